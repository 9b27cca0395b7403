// What is not an answer of Ramz: a proxy's page, a redirect, JSON of somebody else. Always a ServerError, because whoever uses
// the application has no part in it; its message says where to look. The rules of the text are in sdks/README.md.

import { ServerError } from './errors.ts';

/** An answer as it came over HTTP. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** An answer of success that is not as the contract has it. The message says what is wrong. */
export class Mismatch extends Error {}

const prefix = 'not an answer of Ramz';
/** Characters of the body that the error keeps, and those in its message. */
const keptLength = 1024;
const shownLength = 80;
const unprintable = /[\p{Cc}\u2028\u2029 ]+/gu;

export interface Circumstances {
  /** Something on the way may print what it was sent: the key is cut out of everything. */
  apiKey: string;
  /** What is wrong with an object of success. Its text is not shown: it may hold numbers and secrets. */
  mismatch?: string | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

export function foreignAnswer({ status, headers, text }: HttpAnswer, circumstances: Circumstances): ServerError {
  const { apiKey, requestId = '', retryAfterSeconds } = circumstances;
  const mismatch = circumstances.mismatch ?? (isLikeSuccess(status, text) ? 'not the JSON of an answer' : undefined);
  const shown = maskedHeaders(headers, apiKey);
  const body = mismatch === undefined ? first(keptLength, masked(text, apiKey)) : '';
  const address = status >= 300 && status < 400 ? addressOf(shown.get('location')) : undefined;
  const about =
    mismatch !== undefined
      ? ` (${masked(mismatch, apiKey)})`
      : address !== undefined
        ? ` to ${address}/… (set base_url to that)`
        : `${mediaTypeOf(shown.get('content-type'))}${excerptOf(body)}`;
  return new ServerError({
    status,
    code: '',
    message: `${prefix}: HTTP ${status}${about}`,
    requestId,
    retryAfterSeconds,
    details: {},
    headers: shown,
    body,
  });
}

/** Whether it begins as an object of success, though it is none to its end: it may hold the same. */
const isLikeSuccess = (status: number, text: string): boolean =>
  status >= 200 && status < 300 && text.trimStart().startsWith('{');

/** Runs `read` on what came over gRPC, where there is no answer of HTTP to show. */
export function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new ServerError({
      status: 200,
      code: '',
      message: `${prefix} (${error.message})`,
      requestId: '',
      details: {},
    });
  }
}

/** Headers without the key, and without the user and password of a redirect. */
export function maskedHeaders(headers: Headers, apiKey: string): Headers {
  const result = new Headers();
  for (const [name, value] of headers) {
    const plain = masked(value, apiKey);
    result.append(name, name === 'location' ? plain.replace(/\/\/[^/?#\s]*@/, '//***@') : plain);
  }
  return result;
}

/** Text without the key. */
export const masked = (text: string, apiKey: string): string => text.replaceAll(apiKey, '***');

/** Scheme and host of an absolute address; its path and query may hold numbers. */
function addressOf(location: string | null): string | undefined {
  const [, scheme, host] = /^(https?:\/\/)(?:[^/?#\s]*@)?([\w.:[\]-]+)(?:[/?#]|$)/i.exec(location ?? '') ?? [];
  return scheme && host && `${scheme}${host}`;
}

function mediaTypeOf(contentType: string | null): string {
  const [type = ''] = (contentType ?? '').split(';');
  return /^\s*[\w.+-]+\/[\w.+-]+\s*$/.test(type) ? ` ${type.trim().toLowerCase()}` : '';
}

function excerptOf(body: string): string {
  const line = body.replace(unprintable, ' ').trim();
  const start = first(shownLength, line);
  return line === '' ? '' : `: "${start}${start.length < line.length ? '…' : ''}"`;
}

/** Characters, of which some are two units of a string. */
const first = (count: number, text: string): string =>
  Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
