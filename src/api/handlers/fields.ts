// Fields that several messages of the contract share: pages and their tokens, free text, times. One reading for all keeps their
// refusals the same in every list and every form.

import { createHash } from 'node:crypto';
import { type Timestamp, timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { isId } from '../../core/ids.ts';
import { isNumberPrefix } from '../../core/limits/allowed-prefixes.ts';
import { type Principal, seesNumbers } from '../waist/context.ts';
import { fail } from '../waist/errors.ts';

/** Rows on a page where the client gives no number; the most it may ask for is in the contract. */
export const defaultPageSize = 20;

export interface PageRequest {
  pageSize?: number | undefined;
  pageToken: string;
}

export interface Page {
  limit: number;
  /** Id after which the page begins; null = the newest. */
  before: string | null;
}

/**
 * @param prefix of the list's ids.
 * @param binding the list's name, its owner and its filters: the token must come from the same. Throws `invalid_page_token`.
 */
export function readPage({ pageSize, pageToken }: PageRequest, prefix: string, binding: readonly string[]): Page {
  const limit = pageSize ?? defaultPageSize;
  if (pageToken === '') return { limit, before: null };
  const before = readPageToken(pageToken, prefix, binding);
  if (before !== null) return { limit, before };
  throw fail('invalid_page_token', 'page_token is not one of this list with these filters', { field: 'page_token' });
}

/** Empty on the last page. */
export const nextPageToken = (next: string | null, binding: readonly string[]): string =>
  next === null ? '' : writePageToken(next, binding);

/** One page of the `limit + 1` rows that were read, and after which id the next begins; null = there is none. */
export function cutPage<Row extends { id: string }>(rows: readonly Row[], limit: number) {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

const digestBytes = 12;

/** @param binding everything the list depends on: account, mode and filters, not the page's size. */
export function writePageToken(lastId: string, binding: readonly string[]): string {
  return Buffer.concat([digestOf(lastId, binding), Buffer.from(lastId)]).toString('base64url');
}

/** The last id of the page before; null where the token is not one of this list. */
export function readPageToken(token: string, prefix: string, binding: readonly string[]): string | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.toString('base64url') !== token) return null; // Node skips what is not base64url
  const id = bytes.subarray(digestBytes).toString('latin1');
  return isId(prefix, id) && bytes.subarray(0, digestBytes).equals(digestOf(id, binding)) ? id : null;
}

/** JSON keeps the parts apart: ["a", "b"] and ["a,b"] are two lists. */
function digestOf(id: string, binding: readonly string[]): Buffer {
  const text = JSON.stringify([id, ...binding]);
  return createHash('sha256').update(text).digest().subarray(0, digestBytes);
}

/** The text without spaces around it. Throws `invalid_argument` when nothing is left. */
export function readText(text: string, field: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw fail('invalid_argument', `${field} must not be blank`, { field });
  return trimmed;
}

/** The beginnings of numbers in the list `field`. Throws `invalid_argument`. */
export function readPrefixes(prefixes: readonly string[], field: string): readonly string[] {
  const index = prefixes.findIndex((prefix) => !isNumberPrefix(prefix));
  if (index < 0) return prefixes;
  const item = `${field}[${index}]`;
  throw fail('invalid_argument', `${item} must be the beginning of many numbers, and not a whole one`, { field: item });
}

/** Guards methods that are about one number. @throws `missing_scope` for a key that sees no numbers. */
export function requireNumbers(key: Principal): void {
  if (seesNumbers(key)) return;
  throw fail('missing_scope', 'the API key lacks the scope numbers', { metadata: { scope: 'numbers' } });
}

/** Absent where there is none. */
export const toTimestamp = (at: Date | number | null): Timestamp | undefined => {
  if (at === null) return undefined;
  return typeof at === 'number' ? timestampFromMs(at) : timestampFromDate(at);
};

/** Years 1 and 9999, the range of a Timestamp; its binary form can hold more. */
const earliestMs = -62_135_596_800_000;
const latestMs = 253_402_300_799_999;

/** Unix ms, what is beyond them cut off; undefined for a time before 1970 or after 9999. */
export function toMs({ seconds, nanos }: Timestamp): number | undefined {
  const ms = Number(seconds) * 1000 + Math.floor(nanos / 1_000_000);
  return ms >= 0 && ms <= latestMs ? ms : undefined;
}

/** A bound of a filter, Unix ms: the next whole millisecond. Sessions have whole ones, so `at or after` and `before` stay exact. */
export function boundOf(time: Timestamp | undefined): number | null {
  if (!time) return null;
  return within(Number(time.seconds) * 1000 + Math.ceil(time.nanos / 1_000_000));
}

/** A bound as it was rounded or left to us, which may have led out of the range. */
export const toBound = (ms: number): Timestamp => timestampFromMs(within(ms));

const within = (ms: number): number => Math.min(Math.max(ms, earliestMs), latestMs);
