// Keys that were good when this process last looked, kept when the rows themselves are forgotten: from an address that guesses keys
// only these are looked up. Whether one is still good is decided as for any other key.

import { hash } from 'node:crypto';
import { hashesEqual } from '../../core/apikey.ts';

export class KnownKeys {
  readonly #most: number;
  /** SHA-256 of the secret, by the key's id; the oldest first. */
  readonly #known = new Map<string, Buffer>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#known.size;
  }

  /** `proven`: the digest of the secret that was found right. */
  add(id: string, proven: Buffer): void {
    if (this.#known.get(id) === proven) return;
    this.#known.delete(id);
    this.#known.set(id, proven);
    // A key in use that is dropped here is back with its next call.
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value as string);
  }

  has({ id, secret }: { id: string; secret: string }): boolean {
    const proven = this.#known.get(id);
    return proven !== undefined && hashesEqual(hash('sha256', secret, 'buffer'), proven);
  }

  delete(id: string): void {
    this.#known.delete(id);
  }
}
