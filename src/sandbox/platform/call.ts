// A call of the Graph API as the handlers see it, and the platform's errors: the documented table of codes, and how an error is
// written in an answer and in a status webhook. Clients are asked to go by the code, since some codes have changed their HTTP status.

import { randomBytes } from 'node:crypto';
import type { Request, Response } from '../http/server.ts';

export interface GraphCall {
  method: string;
  /** The path behind the version: an object's id or a name, then an edge of it. */
  node: string;
  edge: string | null;
  /** Parameters of the body and of the query; the body wins. */
  params: Record<string, unknown>;
  /** The token in the Authorization header, else the parameter `access_token`, else null. */
  token: string | null;
}

export type ReadCall = { kind: 'ok'; call: GraphCall } | { kind: 'refused'; answer: Response };

/** `path`: behind `/graph`. */
export function readCall(request: Request, path: string, version: string): ReadCall {
  const [given = '', node = '', edge = null, ...more] = path.split('/').filter(Boolean);
  if (given !== version || node === '' || more.length > 0) {
    const message = `Unknown path components: /${[given === version ? node : given, ...more].join('/')}`;
    return { kind: 'refused', answer: graphError(2500, { message }) };
  }
  const body = readBody(request);
  if (body === null) {
    const message = '(#100) The body is neither JSON, an object of it, nor a form.';
    return { kind: 'refused', answer: graphError(100, { message }) };
  }
  const { access_token, ...params } = { ...Object.fromEntries(request.query), ...body };
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const token = bearer ?? (typeof access_token === 'string' ? access_token : null);
  return { kind: 'ok', call: { method: request.method, node, edge, params, token } };
}

/** Null when the body cannot be read. A missing body counts as an empty object. */
function readBody({ body, headers }: Request): Record<string, unknown> | null {
  if (body.trim() === '') return {};
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(body));
  if (!type.startsWith('application/json')) return null;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** A parameter that must be text. */
export function textParam({ params }: GraphCall, name: string): string | undefined {
  const value = params[name];
  return typeof value === 'string' ? value : undefined;
}

/** The documented answer of calls that only do something. */
export const success: Response = { status: 200, body: { success: true } };

export const missing = (name: string): Response =>
  graphError(100, { message: `(#100) The parameter ${name} is required.` });

export interface ErrorCode {
  status: number;
  title: string;
}

export const errorCodes: Readonly<Record<number, ErrorCode>> = {
  // Authorization.
  0: { status: 401, title: 'AuthException' },
  3: { status: 500, title: 'API Method' },
  10: { status: 403, title: 'Permission denied' },
  190: { status: 401, title: 'Access token has expired' },
  200: { status: 403, title: 'API permission' },
  // The Graph API in general.
  1: { status: 400, title: 'API Unknown' },
  2: { status: 503, title: 'API Service' },
  4: { status: 400, title: 'API Too Many Calls' },
  33: { status: 400, title: 'Parameter value is not valid' },
  100: { status: 400, title: 'Invalid parameter' },
  101: { status: 400, title: 'Error validating application' },
  368: { status: 403, title: 'Temporarily blocked for policies violations' },
  2200: { status: 400, title: 'Callback verification failed' },
  2500: { status: 400, title: 'Unknown path components' },
  80007: { status: 400, title: 'Rate limit issues' },
  // Sending.
  130429: { status: 429, title: 'Rate limit hit' },
  130472: { status: 400, title: "User's number is part of an experiment" },
  130497: { status: 403, title: 'Business account is restricted from messaging users in this country' },
  131000: { status: 500, title: 'Something went wrong' },
  131005: { status: 403, title: 'Access denied' },
  131008: { status: 400, title: 'Required parameter is missing' },
  131009: { status: 400, title: 'Parameter value is not valid' },
  131016: { status: 503, title: 'Service unavailable' },
  131021: { status: 400, title: 'Recipient cannot be sender' },
  131026: { status: 400, title: 'Message undeliverable' },
  131031: { status: 403, title: 'Business Account locked' },
  131042: { status: 400, title: 'Business eligibility payment issue' },
  131047: { status: 400, title: 'Re-engagement message' },
  131048: { status: 400, title: 'Spam rate limit hit' },
  131049: {
    status: 400,
    title: 'Message not delivered to maintain healthy ecosystem engagement',
  },
  131051: { status: 400, title: 'Unsupported message type' },
  131056: { status: 400, title: '(Business Account, Consumer Account) pair rate limit hit' },
  131057: { status: 500, title: 'Account in maintenance mode' },
  131062: { status: 400, title: 'Business-scoped user id recipients are not supported for this message' },
  // Templates.
  132000: { status: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { status: 404, title: 'Template name does not exist in the translation' },
  132005: { status: 400, title: 'Template hydrated text too long' },
  132007: { status: 400, title: 'Template format character policy violated' },
  132012: { status: 400, title: 'Template parameter format mismatch' },
  132015: { status: 400, title: 'Template is paused' },
  132016: { status: 400, title: 'Template is disabled' },
  // Registration.
  133000: { status: 500, title: 'Incomplete deregistration' },
  133004: { status: 503, title: 'Server temporarily unavailable' },
  133005: { status: 400, title: 'Two step verification PIN mismatch' },
  133006: { status: 400, title: 'Phone number re-verification needed' },
  133008: { status: 400, title: 'Too many two step verification PIN guesses' },
  133009: { status: 400, title: 'Two step verification PIN guessed too fast' },
  133010: { status: 400, title: 'Account not registered' },
  133015: { status: 400, title: 'Please wait a few minutes before attempting to register this phone number' },
  133016: { status: 400, title: 'Account register deregister rate limit exceeded' },
};

export const isErrorCode = (code: number): boolean => Object.hasOwn(errorCodes, code);

export interface ErrorDetail {
  /** `error_data.details`: the mistake in words for people. Only errors of the messaging API have it. */
  details?: string | undefined;
  /** Instead of `(#code) title`. */
  message?: string | undefined;
  /** Default OAuthException. */
  type?: string | undefined;
  subcode?: number | undefined;
  /** Title and text for the business's own eyes. */
  user?: { title: string; text: string } | undefined;
}

/** An answer with a Graph error object. A code outside the table is 400. */
export function graphError(code: number, detail: ErrorDetail = {}): Response {
  const known = errorCodes[code] ?? { status: 400, title: 'Unknown error' };
  const { details, message = `(#${code}) ${known.title}`, type = 'OAuthException', subcode, user } = detail;
  const error = {
    message,
    type,
    code,
    error_data: details === undefined ? undefined : { messaging_product: 'whatsapp', details },
    error_subcode: subcode,
    error_user_title: user?.title,
    error_user_msg: user?.text,
    fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
  };
  const headers: Record<string, string> =
    known.status === 401 ? { 'www-authenticate': `OAuth "Sandbox Platform" "invalid_token" "${message}"` } : {};
  return { status: known.status, headers, body: { error } };
}

/** The answer where the object does not exist or this token must not see it: the platform keeps the two indistinguishable. */
export function noSuchObject(id: string, method: string): Response {
  const message = `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist or can not be seen with this token.`;
  return graphError(100, { message, type: 'GraphMethodException', subcode: 33 });
}

/** An entry of `statuses[].errors`. */
export function statusError(code: number, details?: string): Record<string, unknown> {
  const title = errorCodes[code]?.title ?? 'Unknown error';
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? `${title}.` },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}
