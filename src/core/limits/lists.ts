// Lists of numbers and prefixes, and the rule `block_list`. A number of a list is known by a keyed hash alone, so that a block may outlive the
// erasure of the number; a prefix is nobody's, and stands in clear.

import { createHmac, type KeyObject } from 'node:crypto';
import { parsePhone } from '../phone.ts';
import { isNumberPrefix } from './allowed-prefixes.ts';
import type { Finding } from './verdict.ts';

/** Of the ids of entries. */
export const listIdPrefix = 'lst_';

export type ListName = 'allow' | 'block';

export type ListValue = { kind: 'number'; number: string } | { kind: 'prefix'; prefix: string };

/** `+213551234567`, or `+213551*` for every number that begins so; null = neither. */
export function parseListValue(text: string): ListValue | null {
  if (text.endsWith('*')) {
    const prefix = text.slice(0, -1);
    return isNumberPrefix(prefix) ? { kind: 'prefix', prefix } : null;
  }
  const parsed = parsePhone(text);
  return parsed.kind === 'ok' ? { kind: 'number', number: parsed.e164 } : null;
}

/** The hash of a number. It is made without the id of a list, so that one hash finds the number in all lists. */
export const numberHash = (key: KeyObject, number: string): Buffer =>
  createHmac('sha256', key).update(`list\n${number}`).digest();

/** Entries of one list as a send looks them up. */
export interface NumberList {
  prefixes: readonly string[];
  /** Hashes of numbers in hexadecimal, by the id of the key they are made with. */
  numbers: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The two lists of one owner. */
export interface NumberLists {
  allow: NumberList;
  block: NumberList;
}

const emptyList: NumberList = { prefixes: [], numbers: new Map() };
export const noLists: NumberLists = { allow: emptyList, block: emptyList };

/** `hashOf`: of the number that is looked up, in hexadecimal, under the key of that id; null where the ring lacks that key. */
export function isListed(
  { prefixes, numbers }: NumberList,
  to: string,
  hashOf: (keyId: string) => string | null,
): boolean {
  if (prefixes.some((prefix) => to.startsWith(prefix))) return true;
  for (const [keyId, hashes] of numbers) {
    const hash = hashOf(keyId);
    if (hash !== null && hashes.has(hash)) return true;
  }
  return false;
}

/** Whether both have the same entries: lists are read again whenever anything of their owner changes. */
export const isSameList = (one: NumberList, other: NumberList): boolean =>
  one === other ||
  (hasSame(new Set(one.prefixes), new Set(other.prefixes)) &&
    hasSame(new Set(one.numbers.keys()), new Set(other.numbers.keys())) &&
    [...one.numbers].every(([keyId, hashes]) => hasSame(hashes, other.numbers.get(keyId) ?? new Set())));

const hasSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((each) => other.has(each));

/** Whether it may name numbers that a prefix of `digits` digits says nothing of. */
export const isFinerThan = ({ prefixes, numbers }: NumberList, digits: number): boolean =>
  numbers.size > 0 || prefixes.some((prefix) => prefix.length > 1 + digits);

/** Says nothing of whose list it is. */
export const blocked: Finding = { rule: 'block_list', reason: 'block_list', field: 'to' };
