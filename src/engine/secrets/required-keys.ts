// The check of the key ring at a start: a process that lacks keys would join the others as ready, and answer good keys 401.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type NamedKey, namedKeys } from '../../db/secrets/named-keys.ts';

export type RequiredKeys =
  | { kind: 'complete' }
  /** `reason`: for the person who starts the program, with the purpose and id of each key that the ring lacks. */
  | { kind: 'missing'; reason: string };

/** Whether the ring has every key that the database names. */
export async function requiredKeys(db: Queryable, ring: KeyRing): Promise<RequiredKeys> {
  const missing = (await namedKeys(db)).filter(({ purpose, id }) => ring.byId(id)?.purpose !== purpose);
  return missing.length > 0 ? { kind: 'missing', reason: reasonFor(missing) } : { kind: 'complete' };
}

const reasonFor = (missing: readonly NamedKey[]): string =>
  [
    'the key ring lacks keys that the database names:',
    ...missing.map(({ purpose, id }) => `  ${purpose}  ${id}`),
    'Start with the ring that the other processes have (RAMZ_KEY_RING); a key may go once nothing names it.',
  ].join('\n');
