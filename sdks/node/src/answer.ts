// An HTTP answer as what it means: the JSON of a success, or the error that it is.

import { isObject, type Json } from './codec.ts';
import { apiError } from './errors.ts';
import { parseJson } from './json.ts';

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Throws an ApiError for everything that is not a JSON object with a status of success. */
export function readAnswer({ status, headers, text }: HttpAnswer): Json {
  const json = parseJson(text);
  if (status >= 200 && status < 300 && isObject(json)) return json;
  const found = isObject(json) && isObject(json.error) ? json.error : {};
  const { code, message, field, request_id: requestId, ...details } = found;
  const isOurs = typeof code === 'string' && code !== '';
  throw apiError({
    status,
    code: isOurs ? code : '',
    message: isOurs && typeof message === 'string' ? message : `HTTP ${status}`,
    field: isOurs && typeof field === 'string' ? field : undefined,
    requestId: isOurs && typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? ''),
    retryAfterSeconds: readRetryAfter(headers.get('retry-after')),
    details: isOurs ? details : {},
  });
}

/** Whole seconds. A date is not understood: clocks differ. */
export const readRetryAfter = (text: string | null | undefined): number | undefined =>
  text && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
