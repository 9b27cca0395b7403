// Page tokens: where the next page begins, bound to the list they came from. No secret is in them and they open nothing: the
// digest only tells a token of another list, with other filters, or a mangled one.

import { createHash } from 'node:crypto';
import { isId } from '../../../core/ids.ts';

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
