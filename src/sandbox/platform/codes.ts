// The codes a signup ends with: good once, for 30 seconds, for the app they were made for.

import type { Clock } from '../clock.ts';
import { newCode } from './ids.ts';

/** Documented life of an exchangeable code. */
export const CODE_LIFE_MS = 30_000;

interface Issued {
  wabaId: string;
  expiresAt: number;
  used: boolean;
}

export type Exchange = { kind: 'ok'; wabaId: string } | { kind: 'unknown' | 'used' | 'expired' };

export class Codes {
  readonly #clock: Clock;
  readonly #issued = new Map<string, Issued>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(wabaId: string): string {
    const code = newCode();
    this.#issued.set(code, { wabaId, expiresAt: this.#clock.now() + CODE_LIFE_MS, used: false });
    return code;
  }

  /** Used up by this call when it is good. */
  exchange(code: string): Exchange {
    const issued = this.#issued.get(code);
    if (!issued) return { kind: 'unknown' };
    if (issued.used) return { kind: 'used' };
    if (this.#clock.now() >= issued.expiresAt) return { kind: 'expired' };
    issued.used = true;
    return { kind: 'ok', wabaId: issued.wabaId };
  }
}
