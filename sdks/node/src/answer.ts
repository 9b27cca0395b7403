// An HTTP answer as what it means: the JSON of a success, or the error that it is.

import { isObject, type Json } from './codec.ts';
import { type ApiError, apiError } from './errors.ts';
import { foreignAnswer, type HttpAnswer, Mismatch, masked, maskedHeaders } from './foreign.ts';
import { parseJson } from './json.ts';

/** What `read` makes of a success. Throws an ApiError for everything else, and where `read` throws a Mismatch. */
export function readAnswer<T>(answer: HttpAnswer, apiKey: string, read: (json: Json) => T): T {
  const isSuccess = answer.status >= 200 && answer.status < 300;
  // Whoever refuses in the service's place may repeat what it was sent.
  const json = parseJson(isSuccess ? answer.text : masked(answer.text, apiKey));
  if (!isSuccess || !isObject(json)) throw errorOf(answer, apiKey, isSuccess ? undefined : json);
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const requestId = requestIdOf(maskedHeaders(answer.headers, apiKey));
    throw foreignAnswer(answer, { apiKey, mismatch: error.message, requestId });
  }
}

/**
 * The error that an answer is: the service's where it has a code, else one of somebody on the way.
 * @param json what it says, without the key
 */
export function errorOf(answer: HttpAnswer, apiKey: string, json: unknown): ApiError {
  const { status } = answer;
  const headers = maskedHeaders(answer.headers, apiKey);
  const found = isObject(json) && isObject(json.error) ? json.error : {};
  const { code, message, field, request_id: requestId, ...details } = found;
  const retryAfterSeconds = readRetryAfter(headers);
  if (!isCode(code)) return foreignAnswer(answer, { apiKey, requestId: requestIdOf(headers), retryAfterSeconds });
  return apiError({
    status,
    code,
    message: typeof message === 'string' ? message : `HTTP ${status}`,
    field: typeof field === 'string' ? field : undefined,
    requestId: typeof requestId === 'string' ? requestId : requestIdOf(headers),
    retryAfterSeconds,
    details,
    headers,
  });
}

/** Of the contract's shape: others have codes, too. */
const isCode = (code: unknown): code is string => typeof code === 'string' && /^[a-z][a-z0-9_]*$/.test(code);

const requestIdOf = (headers: Headers): string => trimmed(headers, 'x-request-id');

/**
 * Seconds, from `retry-after-ms`, which only some proxies write, or from `Retry-After`. A date is measured by the clock of
 * the answer: ours may be another. One that is over says nothing.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const milliseconds = trimmed(headers, 'retry-after-ms');
  if (isWhole(milliseconds)) return Number(milliseconds) / 1000;
  const text = trimmed(headers, 'retry-after');
  if (isWhole(text)) return Number(text);
  const seconds = (readDate(text) - readDate(trimmed(headers, 'date'))) / 1000;
  return seconds >= 0 ? seconds : undefined;
}

/** Without the spaces at its end, which are no part of it (RFC 9110, section 5.5), and which Node leaves there. */
const trimmed = (headers: Headers, name: string): string => headers.get(name)?.trim() ?? '';

const isWhole = (text: string): boolean => /^\d{1,9}$/.test(text);

/** RFC 9110's form of dates, in Unix ms; NaN for what is none. */
const readDate = (text: string): number =>
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
