// The check of the key ring at a start and when it is read again: a process that lacks keys which the database names would answer good keys 401.

import { type KeyPurpose, type KeyRing, keyPurposes } from '../../core/secrets/key-ring.ts';
import { type Databases, keyUses } from './key-uses.ts';
import { announcedKeys } from './process-rings.ts';

export type { Databases };

export type RequiredKeys =
  | { kind: 'complete' }
  /** `reason`: for the person who starts the program, with the purpose and id of each key that the ring lacks. */
  | { kind: 'missing'; reason: string };

/** Whether the ring has every key that the databases name, but for those that were given up. @param purposes default: all */
export async function requiredKeys(
  databases: Databases,
  ring: KeyRing,
  purposes: readonly KeyPurpose[] = keyPurposes,
): Promise<RequiredKeys> {
  const [uses, announced] = await Promise.all([keyUses(databases), announcedKeys(databases.home)]);
  const givenUp = new Set(announced.flatMap(({ id, removed }) => (removed ? [id] : [])));
  const missing = uses.filter(
    ({ purpose, id }) => purposes.includes(purpose) && ring.byId(id)?.purpose !== purpose && !givenUp.has(id),
  );
  return missing.length > 0 ? { kind: 'missing', reason: reasonFor(missing) } : { kind: 'complete' };
}

const reasonFor = (missing: readonly { purpose: KeyPurpose; id: string }[]): string =>
  [
    'the key ring lacks keys that the database names:',
    ...new Set(missing.map(({ purpose, id }) => `  ${purpose}  ${id}`).sort()),
    'Start with the ring that the other processes have (RAMZ_KEY_RING); a key may go once nothing names it. Where the ring is lost: docs/service-keys.md.',
  ].join('\n');
