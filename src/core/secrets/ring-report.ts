// The report of a key ring: which keys a process holds and which it makes new things with, without the keys themselves. Processes compare
// reports before one of them uses a key that another may lack.

import { createHmac, type KeyObject } from 'node:crypto';
import { type KeyPurpose, type KeyRing, keyPurposes } from './key-ring.ts';

export interface PurposeReport {
  current: string;
  next: string | null;
  /** Check values by the ids of all keys. */
  keys: Readonly<Record<string, string>>;
}

/** Purposes that the ring lacks are missing. */
export type RingReport = Readonly<Partial<Record<KeyPurpose, PurposeReport>>>;

/** A key that is looked for in reports. */
export interface KnownKey {
  purpose: KeyPurpose;
  id: string;
  /** See `checkValue`. */
  check: string;
}

const checkLabel = 'ramz key check 1';

/** Eight hexadecimal digits that differ where two keys with one id do. They tell nothing of a key of 32 random bytes. */
export const checkValue = (key: KeyObject): string =>
  createHmac('sha256', key).update(checkLabel).digest('hex').slice(0, 8);

export function reportOf(ring: KeyRing): RingReport {
  const purposes = keyPurposes.filter((purpose) => ring.has(purpose));
  return Object.fromEntries(
    purposes.map((purpose): [KeyPurpose, PurposeReport] => [
      purpose,
      {
        current: ring.current(purpose).id,
        next: ring.next(purpose)?.id ?? null,
        keys: Object.fromEntries(ring.all(purpose).map(({ id, key }) => [id, checkValue(key)])),
      },
    ]),
  );
}

const each = (report: RingReport): [KeyPurpose, PurposeReport][] =>
  keyPurposes.flatMap((purpose) =>
    report[purpose] ? [[purpose, report[purpose]] as [KeyPurpose, PurposeReport]] : [],
  );

/** The keys that new things are made with. */
export const currentKeys = (report: RingReport): KnownKey[] =>
  each(report).map(([purpose, { current: id, keys }]) => ({ purpose, id, check: keys[id] ?? '' }));

/** All keys of a report. */
export const keysOf = (report: RingReport): KnownKey[] =>
  each(report).flatMap(([purpose, { keys }]) => Object.entries(keys).map(([id, check]) => ({ purpose, id, check })));

/**
 * The keys that a ring lacks, or has with other bytes. A purpose that it has no key for is left out: what is made with such a key is of no
 * use there, with or without a rotation.
 */
export const lackedKeys = (report: RingReport, wanted: readonly KnownKey[]): KnownKey[] =>
  wanted.filter(({ purpose, id, check }) => report[purpose] !== undefined && report[purpose].keys[id] !== check);
