// Pages of the lists of accounts, keys, endpoints and sender names.

import { fail } from '../waist/errors.ts';
import { readPageToken, writePageToken } from './verify/page-token.ts';

/** Rows on a page where the client gives no number; the most it may ask for is in the contract. */
const defaultPageSize = 20;

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
