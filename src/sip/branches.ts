// The branches of one forked INVITE (RFC 3261 sections 12.1 and 13.2.2.4), by the tag that each phone or gateway gave itself: those
// that rang, and those that answered. The first that answered is the call; every other one is left at once.

import { descriptionOf } from './body.ts';
import type { CallContext } from './call-context.ts';
import { earliest } from './client-transaction.ts';
import { DialogClient, type Settled } from './dialog-client.ts';
import { header, tagOf } from './headers.ts';
import type { SipMessage } from './message.ts';

/** The most branches of each kind, ringing and answered, that are kept: no real network makes more. */
const MOST_BRANCHES = 16;
/** A longer description of a branch that only rings is not kept. */
const MOST_SDP_OCTETS = 4_096;

export class Branches {
  readonly #context: CallContext;
  /** Descriptions that came with provisional answers; '' = none. */
  readonly #ringing = new Map<string, string>();
  readonly #answered = new Map<string, DialogClient>();
  /** The branch that is the call; null before one has answered. */
  current: DialogClient | null = null;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Notes the branch of a provisional answer. */
  note(response: SipMessage): void {
    const tag = tagOf(header(response, 'to'));
    const sdp = descriptionOf(response);
    const isNew = tag !== null && !this.#ringing.has(tag);
    if (tag === null || (isNew && this.#ringing.size === MOST_BRANCHES)) return;
    if (isNew || sdp !== '') this.#ringing.set(tag, sdp.length <= MOST_SDP_OCTETS ? sdp : '');
  }

  /** Adds the branch of an answer of 200 to 299 to the INVITE of this number; null where there are too many. */
  add(answer: SipMessage, number: number): DialogClient | null {
    if (this.#answered.size === MOST_BRANCHES) return null;
    const client = new DialogClient(this.#context, answer, number);
    this.#answered.set(client.dialog.remoteTag, client);
    return client;
  }

  /** A callee that described itself in a provisional answer may leave its description out of the final one. */
  sdpOf(answer: SipMessage): string {
    return descriptionOf(answer) || (this.#ringing.get(tagOf(header(answer, 'to')) ?? '') ?? '');
  }

  /** The dialog whose callee has this From or To; null where it has not answered. */
  answered(address: string): DialogClient | null {
    return this.#answered.get(tagOf(address) ?? '') ?? null;
  }

  /** Whether the branch of this From or To rang. */
  rang(address: string): boolean {
    return this.#ringing.has(tagOf(address) ?? '');
  }

  get isIdle(): boolean {
    return [...this.#answered.values()].every(({ isIdle }) => isIdle);
  }

  /** Sends what is due; returns what was settled in the dialog that is the call. */
  tick(now: number): Settled[] {
    return this.#ofCurrent((client) => client.tick(now));
  }

  transportFailed(): Settled[] {
    return this.#ofCurrent((client) => client.transportFailed());
  }

  #ofCurrent(act: (client: DialogClient) => Settled[]): Settled[] {
    return [...this.#answered.values()].flatMap((client) => {
      const settled = act(client);
      return client === this.current ? settled : [];
    });
  }

  nextAt(): number | null {
    return earliest([...this.#answered.values()].map((client) => client.nextAt()));
  }
}
