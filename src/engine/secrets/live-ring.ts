// The key ring in force. It is replaced whole when the ring is read again, and each use asks it: nothing keeps a key.

import type { KeyPurpose, KeyRing, RingKey } from '../../core/secrets/key-ring.ts';

export class LiveRing implements KeyRing {
  #inForce: KeyRing;

  constructor(ring: KeyRing) {
    this.#inForce = ring;
  }

  current(purpose: KeyPurpose): RingKey {
    return this.#inForce.current(purpose);
  }

  next(purpose: KeyPurpose): RingKey | undefined {
    return this.#inForce.next(purpose);
  }

  has(purpose: KeyPurpose): boolean {
    return this.#inForce.has(purpose);
  }

  byId(id: string): RingKey | undefined {
    return this.#inForce.byId(id);
  }

  all(purpose: KeyPurpose): RingKey[] {
    return this.#inForce.all(purpose);
  }

  replace(ring: KeyRing): void {
    this.#inForce = ring;
  }
}
