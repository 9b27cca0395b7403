// The session timer of a dialog (RFC 4028): the side that was agreed on refreshes the session at half of its interval, and a session
// that was not refreshed is ended shortly before it expires. So a call never outlives a peer that vanished without a BYE.

import { header, parseSessionExpires, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import type { HeaderLine } from './writer.ts';

/** The least interval that section 5 allows, and that we accept. */
export const LEAST_SECONDS = 90;
/** A peer that agrees on less than our least would otherwise be refreshed without a pause, and one on centuries overflow timers. */
const BOUNDS = { least: 10, most: 86_400 };

type Refresher = 'us' | 'them';

interface Agreed {
  readonly seconds: number;
  readonly refresher: Refresher;
}

const timerSupported = (message: SipMessage): boolean =>
  [...values(message, 'supported'), ...values(message, 'require')].some((option) => option.toLowerCase() === 'timer');

/** Seconds of a Min-SE header; null without a readable one. */
const minimumOf = (message: SipMessage): number | null =>
  parseSessionExpires(header(message, 'min-se'))?.seconds ?? null;

export class SessionTimer {
  #proposedSeconds: number;
  /** What a 422 asked for; it is repeated in every later request of the call (section 7.4). */
  #minimumSeconds: number | null = null;
  #agreed: Agreed | null = null;
  #refreshAt: number | null = null;
  #expireAt: number | null = null;

  constructor(proposedSeconds: number) {
    this.#proposedSeconds = Math.max(proposedSeconds, LEAST_SECONDS);
  }

  /** What our INVITE or UPDATE says of the session timer. */
  proposal(): HeaderLine[] {
    // Within the dialog the one who refreshes is the one who asks, and stays it (section 7.4).
    const role = this.#agreed === null ? '' : ';refresher=uac';
    const seconds = Math.max(this.#agreed?.seconds ?? this.#proposedSeconds, this.#minimumSeconds ?? 0);
    const lines: HeaderLine[] = [
      ['Supported', 'timer'],
      ['Session-Expires', `${seconds}${role}`],
    ];
    return this.#minimumSeconds === null ? lines : [...lines, ['Min-SE', String(this.#minimumSeconds)]];
  }

  /** Takes a 422. True where a longer interval can be proposed. */
  raise(response: SipMessage): boolean {
    const seconds = minimumOf(response);
    if (seconds === null || seconds > BOUNDS.most || seconds <= (this.#minimumSeconds ?? 0)) return false;
    this.#minimumSeconds = seconds;
    this.#proposedSeconds = Math.max(this.#proposedSeconds, seconds);
    return true;
  }

  /** Takes the answer to our INVITE or UPDATE: without Session-Expires the session does not expire (section 7.2). */
  takeAnswer(response: SipMessage, now: number): void {
    const expires = parseSessionExpires(header(response, 'session-expires'));
    const refresher = expires?.refresher === 'uas' ? 'them' : 'us';
    this.#agree(expires && { seconds: expires.seconds, refresher }, now);
  }

  /** Takes an INVITE or UPDATE from there. Null: its interval is too small, answer 422; else what our answer says (section 9). */
  takeRequest(request: SipMessage, now: number): HeaderLine[] | null {
    const expires = parseSessionExpires(header(request, 'session-expires'));
    const supported = timerSupported(request);
    if (expires && supported && expires.seconds < LEAST_SECONDS) return null;
    const refresher: Refresher = supported && expires?.refresher !== 'uas' ? 'them' : 'us';
    const kept = supported ? this.#agreed : null;
    this.#agree(expires ? { seconds: expires.seconds, refresher } : kept, now);
    if (this.#agreed === null) return [];
    const { seconds } = this.#agreed;
    if (this.#agreed.refresher === 'us') return [['Session-Expires', `${seconds};refresher=uas`]];
    const lines: HeaderLine[] = [['Session-Expires', `${seconds};refresher=uac`]];
    return [...lines, ['Require', 'timer']];
  }

  #agree(agreed: Agreed | null, now: number): void {
    if (agreed === null) {
      this.#agreed = null;
      this.#refreshAt = null;
      this.#expireAt = null;
      return;
    }
    const seconds = Math.min(Math.max(agreed.seconds, BOUNDS.least), BOUNDS.most);
    this.#agreed = { seconds, refresher: agreed.refresher };
    this.#refreshAt = agreed.refresher === 'us' ? now + seconds * 500 : null;
    // Section 10: the BYE goes out the lesser of 32 s and a third of the interval before the end.
    this.#expireAt = now + (seconds - Math.min(32, seconds / 3)) * 1_000;
  }

  /** Puts the next refresh off: it went out, or it has to be tried again then. */
  refreshLater(at: number | null): void {
    this.#refreshAt = at;
  }

  get refreshAt(): number | null {
    return this.#refreshAt;
  }

  get expireAt(): number | null {
    return this.#expireAt;
  }
}
