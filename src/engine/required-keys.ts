// A process whose key ring lacks keys would join the others as ready, and answer good keys 401: it must not start.

import type { KeyRing } from '../core/ring.ts';
import { type NamedKey, namedKeys } from '../db/named-keys.ts';
import type { Queryable } from '../db/queryable.ts';

export class MissingKeys extends Error {
  override name = 'MissingKeys';

  constructor(missing: readonly NamedKey[]) {
    const each = missing.map(({ purpose, id }) => `  ${purpose}  ${id}`);
    super(
      [
        'the key ring lacks keys that the database names:',
        ...each,
        'Start with the ring that the other processes have (RAMZ_KEY_RING); a key may go once nothing names it.',
      ].join('\n'),
    );
  }
}

/** @throws MissingKeys, with the id and purpose of each key the ring must have and has not. */
export async function requireKeys(db: Queryable, ring: KeyRing): Promise<void> {
  const missing = (await namedKeys(db)).filter(({ purpose, id }) => ring.byId(id)?.purpose !== purpose);
  if (missing.length > 0) throw new MissingKeys(missing);
}
