// Keys that were good when this process last looked, kept when the rows themselves are forgotten: from an address that guesses keys
// only these are looked up. Whether one is still good is decided as for any other key.

import { hash } from 'node:crypto';
import { BoundedMap } from '../../collections/bounded-map.ts';
import { hashesEqual } from '../../core/accounts/api-key.ts';

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
