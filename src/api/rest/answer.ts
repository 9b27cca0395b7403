// Answers of the REST door as JSON: a message, or an error.

import type { ServerResponse } from 'node:http';
import type { ConnectError } from '@connectrpc/connect';
import { faultOf } from '../waist/errors.ts';

/** Implicit fields are always written: `valid: false` must not look like nothing. */
export const jsonOptions = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

/** `requestId` is in the error, so that one line of a client's log is enough to find the call. */
export function errorJson(error: ConnectError, requestId: string): { error: object } {
  const { code, message, field, metadata } = faultOf(error);
  const body = { code, message, ...(field === undefined ? {} : { field }), request_id: requestId };
  // Twice: read first, and not to be overwritten.
  return { error: { ...body, ...metadata, ...body } };
}

export function writeError(response: ServerResponse, error: ConnectError, requestId: string): void {
  for (const [name, value] of error.metadata) response.setHeader(name, value);
  writeJson(response, faultOf(error).httpStatus, errorJson(error, requestId));
}

export function writeJson(response: ServerResponse, status: number, json: unknown): void {
  // The body is text, not bytes: Node then sends head and body in one write.
  const text = JSON.stringify(json);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(status);
  // Node leaves the body of an answer to HEAD out by itself.
  response.end(text);
}
