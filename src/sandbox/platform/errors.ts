// Errors as the platform writes them: in answers (Graph error objects) and in status webhooks.

import { randomBytes } from 'node:crypto';
import type { Response } from '../http/server.ts';
import { errorCodes } from './error-codes.ts';

export interface ErrorDetail {
  /** `error_data.details`: what was wrong, for people. Only errors of the messaging API have it. */
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
    ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(user ? { error_user_title: user.title, error_user_msg: user.text } : {}),
    fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
  };
  const headers: Record<string, string> =
    known.status === 401 ? { 'www-authenticate': `OAuth "Sandbox Platform" "invalid_token" "${message}"` } : {};
  return { status: known.status, headers, body: { error } };
}

/** The object does not exist, or this token must not see it: the platform does not tell which. */
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
