// Answers and errors of the REST door, written to their response.

import type { ServerResponse } from 'node:http';
import { type DescField, type Message, toJson } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { faultOf } from '../waist/errors.ts';
import type { Route } from './router.ts';

/** Implicit fields are always written: `valid: false` must not look like nothing. */
const jsonOptions = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

export function writeMessage(response: ServerResponse, route: Route, message: Message, header: Headers): void {
  for (const [name, value] of header) response.setHeader(name, value);
  writeJson(response, 200, jsonOf(route.method.output, message, route.responseField));
}

function jsonOf(desc: Route['method']['output'], message: Message, field: DescField | undefined): unknown {
  if (!field) return toJson(desc, message, jsonOptions);
  const value = (message as unknown as Record<string, unknown>)[field.localName];
  if (field.fieldKind === 'message')
    return value === undefined ? {} : toJson(field.message, value as Message, jsonOptions);
  return (toJson(desc, message, jsonOptions) as Record<string, unknown>)[field.name];
}

/** `requestId` is in the error, so that one line of a client's log is enough to find the call. */
export function writeError(response: ServerResponse, error: ConnectError, requestId: string): void {
  const { code, message, field, metadata, httpStatus } = faultOf(error);
  for (const [name, value] of error.metadata) response.setHeader(name, value);
  const body = { code, message, ...(field === undefined ? {} : { field }), request_id: requestId };
  // Twice: read first, and not to be overwritten.
  writeJson(response, httpStatus, { error: { ...body, ...metadata, ...body } });
}

export function writeJson(response: ServerResponse, status: number, json: unknown): void {
  // As text, not bytes: Node then sends head and body in one write.
  const text = JSON.stringify(json);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(status);
  // Node leaves the body of an answer to HEAD out by itself.
  response.end(text);
}
