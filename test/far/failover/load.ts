// Clients as the README wants them: each call has an Idempotency-Key and is repeated with it, at any server, until it is answered.
import { setTimeout as pause } from 'node:timers/promises';
import type { TestServer } from '../../support/service.ts';
import type { Checked, Sent } from '../../support/service-client.ts';

export interface Verification {
  number: string;
  /** Answered to the send; null where nothing answered it in time. */
  id: string | null;
  /** Answered to the right code; null where it was not, or no SMS came. */
  valid: boolean | null;
}

export interface Call {
  at: number;
  server: number;
  ok: boolean;
  ms: number;
}

/** Between two tries of a call, and until a client gives it up. */
const againMs = 250;
const givenUpMs = 40_000;

export class Clients {
  readonly calls: Call[] = [];
  readonly verifications: Verification[] = [];
  readonly #servers: readonly TestServer[];
  readonly #codeTo: (number: string) => Promise<string>;

  /** `codeTo` waits for the SMS, and rejects where none comes. */
  constructor(servers: readonly TestServer[], codeTo: (number: string) => Promise<string>) {
    this.#servers = servers;
    this.#codeTo = codeTo;
  }

  /** Begins so many verifications a second until the signal; resolves when the last one has ended. */
  async run(perSecond: number, signal: AbortSignal): Promise<void> {
    const under: Promise<void>[] = [];
    const begun = performance.now();
    for (; !signal.aborted; await pause(2)) {
      const due = ((performance.now() - begun) * perSecond) / 1000;
      while (under.length < due) under.push(this.#verify(under.length));
    }
    await Promise.all(under);
  }

  async #verify(n: number): Promise<void> {
    const number = `${['+21355', '+21366', '+21377'][n % 3]}${2_000_000 + n}`;
    const own: Verification = { number, id: null, valid: null };
    this.verifications.push(own);
    const sent = await this.#call<Sent>('/v1/verify/send', { to: number }, `send-${n}`);
    if (!sent) return;
    own.id = sent.id;
    const code = await this.#codeTo(number).catch(() => null);
    if (code === null) return;
    const checked = await this.#call<Checked>('/v1/verify/check', { id: sent.id, code }, `check-${n}`);
    own.valid = checked?.valid ?? null;
  }

  /** What the call was answered with 200; null where it never was, or was refused for good. */
  async #call<Body>(path: string, body: object, key: string): Promise<Body | null> {
    for (const until = performance.now() + givenUpMs; performance.now() < until; await pause(againMs)) {
      const server = Math.floor(Math.random() * this.#servers.length);
      const at = performance.now();
      const answer = await this.#servers[server]?.live
        .call<Body>('POST', path, body, { 'idempotency-key': key })
        .catch(() => null);
      const status = answer?.status ?? 0;
      this.calls.push({ at, server, ok: status === 200, ms: performance.now() - at });
      if (answer && status === 200) return answer.body;
      if (status >= 400 && status < 500 && status !== 429) return null;
    }
    return null;
  }
}
