// One call of the Graph API as the handlers see it: version and path taken apart, parameters of query and body in one record.
// The platform takes a parameter from either place, so handlers must not care which one it was.

import type { Request, Response } from '../http/server.ts';
import { graphError } from './errors.ts';

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
