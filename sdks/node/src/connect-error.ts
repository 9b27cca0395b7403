// Errors of Connect and their details (google.rpc.ErrorInfo and others, as protobuf in base64) as errors of the SDK.

import { readRetryAfter } from './answer.ts';
import { fromBase64 } from './base64.ts';
import { isObject, type Json } from './codec.ts';
import { type ApiError, apiError, statusOf } from './errors.ts';
import { readFields, textOf } from './protobuf.ts';

/** @param status the HTTP status, where the error came with one */
export function connectError(error: Json, headers: Headers, status?: number): ApiError {
  const details = Array.isArray(error.details) ? error.details : [];
  return errorOfDetails(
    {
      word: typeof error.code === 'string' ? error.code : 'unknown',
      message: typeof error.message === 'string' ? error.message : '',
      details: details.filter(isObject).map(({ type, value }) => ({
        type: String(type),
        bytes: (typeof value === 'string' ? fromBase64(value) : undefined) ?? new Uint8Array(0),
      })),
    },
    headers,
    status,
  );
}

/** An error of gRPC or Connect: `word` is its status in snake_case, `details` are messages of google.rpc. */
export interface DetailedError {
  word: string;
  message: string;
  details: readonly { type: string; bytes: Uint8Array }[];
}

export function errorOfDetails({ word, message, details }: DetailedError, headers: Headers, status?: number): ApiError {
  const detail = (name: string) => {
    const bytes = details.find(({ type }) => type === `google.rpc.${name}`)?.bytes;
    return bytes && readFields(bytes);
  };
  const info = detail('ErrorInfo');
  const code = info && textOf(info, 2) === 'ramz' ? textOf(info, 1) : '';
  const violation = detail('BadRequest')?.find(({ number }) => number === 1)?.bytes;
  const field = violation && textOf(readFields(violation), 1);
  const metadata = (code && info ? info : [])
    .filter(({ number }) => number === 3)
    .map(({ bytes }) => readFields(bytes));
  return apiError({
    status: statusOf(code) || (status ?? statusOfWord(word)),
    code,
    message: message || word,
    field: field || undefined,
    requestId: textOf(detail('RequestInfo') ?? [], 1) || (headers.get('x-request-id') ?? ''),
    retryAfterSeconds: readRetryAfter(headers),
    details: Object.fromEntries(metadata.map((entry) => [textOf(entry, 1), textOf(entry, 2)])),
  });
}

/** HTTP statuses of Connect, for codes that are not ours. */
const statuses: Readonly<Record<string, number>> = {
  canceled: 499,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  unavailable: 503,
  unauthenticated: 401,
};
const statusOfWord = (word: string): number => (Object.hasOwn(statuses, word) ? statuses[word] : undefined) ?? 500;
