// Rows of API keys this process has looked up, until any key anywhere is changed. Only keys that exist are held: an id that
// does not can be made up endlessly, and holding those would push the real ones out.

import { hash } from 'node:crypto';
import { BoundedMap } from '../../collections/small-maps.ts';
import { hashesEqual } from '../../core/accounts/api-key.ts';
import type { FoundApiKey } from '../../db/accounts/api-keys.ts';
import { type HeldSecret, heldSecret } from './uses.ts';

export interface HeldKey extends HeldSecret<FoundApiKey> {
  /** Whether it was used since it was last its turn to make room. */
  used: boolean;
}

/**
 * A key that was not used since its last turn makes room first (the "clock" algorithm). A use is only noted, since moving
 * an entry of a Map at every call keeps the garbage collector busy.
 */
export class HeldKeys {
  readonly #most: number;
  readonly #held = new Map<string, HeldKey>();
  /** Rises at every `clear`: a row that was asked for before must not be held after. */
  generation = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#held.size;
  }

  get(id: string): HeldKey | undefined {
    const held = this.#held.get(id);
    if (held) held.used = true;
    return held;
  }

  /** Keeps the row unless something was changed since `generation` was read. */
  hold(row: FoundApiKey, generation: number): HeldKey {
    const held = { ...heldSecret(row), used: false };
    if (generation !== this.generation) return held;
    if (this.#held.size >= this.#most && !this.#held.has(row.id)) this.#makeRoom();
    this.#held.set(row.id, held);
    return held;
  }

  /** The loop ends: a key that was passed over is last by then, and unused. */
  #makeRoom(): void {
    for (const [id, held] of this.#held) {
      this.#held.delete(id);
      if (!held.used) return;
      held.used = false;
      this.#held.set(id, held); // a Map keeps the order of insertion
    }
  }

  /** Forgets the account's keys; without one, all. */
  clear(accountId?: string): void {
    this.generation += 1;
    if (accountId === undefined) this.#held.clear();
    else for (const [id, { row }] of this.#held) if (row.account_id === accountId) this.#held.delete(id);
  }
}

/**
 * Keys that were good when this process last looked, kept when the rows themselves are forgotten: from an address that guesses keys only
 * these are looked up. Whether one is still good is decided as for any other key.
 */
export class KnownKeys {
  /** SHA-256 of the secret, by the key's id. A key in use that had to make room is back with its next call. */
  readonly #known: BoundedMap<string, Buffer>;

  constructor(most: number) {
    this.#known = new BoundedMap(most);
  }

  get size(): number {
    return this.#known.size;
  }

  /** `proven`: the digest of the secret that was found right. */
  add(id: string, proven: Buffer): void {
    if (this.#known.get(id) === proven) return;
    this.#known.set(id, proven);
  }

  has({ id, secret }: { id: string; secret: string }): boolean {
    const proven = this.#known.get(id);
    return proven !== undefined && hashesEqual(hash('sha256', secret, 'buffer'), proven);
  }

  delete(id: string): void {
    this.#known.delete(id);
  }
}
