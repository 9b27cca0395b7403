// One number at the platform that messages go out from: its rate, its exchanges under way, its pauses and its outage. A line tries a
// message until the platform has decided, the leg is over, or more tries cannot help. Pauses are pure, with the time as an argument,
// so that minutes of waiting need none in a test.

import { setTimeout as pauseFor } from 'node:timers/promises';
import { isAhead } from '../../time/wall-clock.ts';
import type { OutgoingMessage, Place, SendOutcome } from '../channel.ts';
import { PlaceQueue, type Seat } from '../places/queue.ts';
import { Throttle } from '../places/throttle.ts';
import { type AppAccount, tariffOf, templateMessage } from './account.ts';
import { type AppObserver, codeOf, type Meaning, meaningOf, rejection, wordOf } from './answer.ts';
import { isTooFast, isUnknownCode, type Refusal } from './errors.ts';
import type { GraphClient } from './graph.ts';
import { Outage } from './outage.ts';

export interface LineOptions {
  /** Evaluated for each message; null once the number is no longer ours. */
  account(): AppAccount | null;
  client: Pick<GraphClient, 'call'>;
  now(): number;
  observer: AppObserver;
  /** Called for every refusal, in an answer or in a status. */
  onRefused?(refusal: Refusal): void;
  /** False when the signal is aborted first. Injectable for tests. */
  pause?(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** Exchanges under way at once: at 80 a second and a second each, with room. */
export const maxInFlight = 128;
/** Between two tries of one message: this, doubled each time up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 8_000;
/** The platform's own faults after which a message is given up: the next leg may be faster than waiting. */
const maxTroubles = 3;

export class Line {
  readonly #options: LineOptions;
  readonly #queue: PlaceQueue<Seat>;
  readonly #throttle: Throttle;
  readonly #pairs = new Pairs();
  readonly #outage = new Outage();
  readonly #seat: Seat;
  #inFlight = 0;
  #closed = false;

  constructor(options: LineOptions) {
    this.#options = options;
    const { account, now } = options;
    const isOpen = () => this.open;
    const free = () => maxInFlight - this.#inFlight;
    this.#seat = {
      get open() {
        return isOpen();
      },
      get free() {
        return free();
      },
    };
    this.#throttle = new Throttle({ ratePerSecond: account()?.ratePerSecond ?? 1 }, now());
    this.#queue = new PlaceQueue({ seats: () => [this.#seat], rate: this.#throttle, now });
  }

  get open(): boolean {
    return !this.#closed && this.#options.account() !== null;
  }

  /** True for a business's own number. */
  get isOwn(): boolean {
    return (this.#options.account()?.ownerName ?? null) !== null;
  }

  /** Why legs are skipped at the moment: the platform's code; null while they are not. */
  get downCode(): string | null {
    return this.#outage.codeAt(this.#options.now());
  }

  get ratePerSecond(): number {
    return this.#throttle.ratePerSecond(this.#options.now());
  }

  /** The number's rate may be another one by now: the settings have changed, or what the platform allows a business's own number. */
  #followRate(): void {
    const account = this.#options.account();
    if (account) this.#throttle.setLimit(account.ratePerSecond, this.#options.now());
  }

  /** Takes new settings: messages refused under the old ones may be taken now. */
  configured(): void {
    this.#followRate();
    if (this.#outage.end()) this.#tellUp();
    this.#queue.pump();
  }

  /** Notes a refusal; `by`: some come in a callback only, after the platform has taken the message. */
  refused(refusal: Refusal, by: 'answer' | 'callback' = 'answer'): void {
    const { observer, now, onRefused } = this.#options;
    const account = this.#options.account();
    const id = account?.phoneNumberId ?? '';
    onRefused?.(refusal);
    if (isUnknownCode(refusal.code)) observer.unknownCode?.(id, refusal);
    if (refusal.meaning === 'configuration') observer.misconfigured?.(id, refusal, account?.ownerName ?? null);
    if (by === 'callback' && isTooFast(refusal)) this.#throttle.pressed(now());
    // An answer may come when the number is ours no longer.
    if (refusal.meaning !== 'channel_down' || !this.open) return;
    const until = this.#outage.refused(refusal.code, by, now());
    if (until !== null) observer.down?.(id, refusal, until, account?.ownerName ?? null);
  }

  /** A message has reached its phone. `madeAt`: Unix ms, when its leg began. */
  delivered(madeAt: number): void {
    if (this.#outage.delivered(madeAt)) this.#tellUp();
  }

  async reserve(signal: AbortSignal): Promise<Place | null> {
    this.#followRate();
    const seat = await this.#queue.reserve(signal);
    if (!seat) return null;
    return {
      release: () => this.#queue.giveBack(seat),
      send: (message) => this.#send(message, signal),
    };
  }

  close(): void {
    this.#closed = true;
    this.#queue.stop();
  }

  /** Has room on the seat whenever it begins a turn. */
  async #send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> {
    let pauseMs = firstPauseMs;
    let troubles = 0;
    for (;;) {
      const turn = await this.#turn(message);
      if (turn.kind === 'done') return turn.outcome;
      if (turn.kind === 'again') {
        troubles += turn.why === 'trouble' ? 1 : 0;
        if (troubles >= maxTroubles) return { kind: 'rejected', reason: 'throttled', errorCode: turn.code };
      }
      const waitMs = turn.kind === 'wait' ? turn.ms : pauseMs;
      if (turn.kind === 'again') pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      if (!(await (this.#options.pause ?? pause)(waitMs, signal))) return notSent;
      if (!(await this.#queue.reserve(signal))) return notSent;
    }
  }

  /** One try, or the finding that it is not yet time for one. Uses the room on the seat or gives it back. */
  async #turn(message: OutgoingMessage): Promise<Turn> {
    const { now } = this.#options;
    const account = this.#options.account();
    const down = this.downCode;
    const waitMs = account && down === null ? this.#pairs.take(message.to, now(), account.pairIntervalMs) : 0;
    if (!account || down !== null || waitMs > 0) {
      this.#queue.giveBack(this.#seat);
      if (!account) return { kind: 'done', outcome: notSent };
      if (down === null) return { kind: 'wait', ms: waitMs };
      return { kind: 'done', outcome: { kind: 'rejected', reason: 'channel_down', errorCode: down } };
    }
    this.#inFlight += 1;
    this.#outage.tried(now());
    this.#queue.release(this.#seat); // The message is counted as in flight from here on.
    const meaning = await this.#exchange(message, account);
    this.#inFlight -= 1;
    this.#queue.pump();
    return this.#after(meaning, message, account);
  }

  async #exchange(message: OutgoingMessage, account: AppAccount): Promise<Meaning> {
    const { client, now, observer } = this.#options;
    const { phoneNumberId, accessToken } = account;
    const began = now();
    const meaning = meaningOf(
      await client.call({
        url: `${account.graphUrl}/${phoneNumberId}/messages`,
        body: templateMessage(message, account),
        accessToken,
        timeoutMs: account.responseTimeoutMs,
      }),
    );
    const code = codeOf(meaning);
    observer.exchange?.({ phoneNumberId, meaning: wordOf(meaning), code, ms: now() - began });
    return meaning;
  }

  #after(meaning: Meaning, message: OutgoingMessage, account: AppAccount): Turn {
    const { now, observer } = this.#options;
    if (meaning.kind === 'accepted' || meaning.kind === 'unknown') observer.sent?.(account.phoneNumberId, message.to);
    switch (meaning.kind) {
      case 'accepted': {
        if (this.#outage.taken()) this.#tellUp();
        const { wamid } = meaning;
        const ids = { providerMessageId: wamid, reference: wamid };
        return { kind: 'done', outcome: { kind: 'accepted', ...ids, parts: 1, tariff: tariffOf(account, now()) } };
      }
      case 'unknown':
        return { kind: 'done', outcome: meaning };
      case 'again':
        this.#outage.notTaken();
        if (meaning.why === 'limited') this.#throttle.pressed(now());
        if (isUnknownCode(meaning.code)) this.refused({ meaning: 'other', code: meaning.code });
        // The message was not taken, so it does not count against its phone, unless the platform says that it does.
        this.#pairs.hold(message.to, now() + (meaning.why === 'pair' ? account.pairIntervalMs : 0));
        return meaning;
      case 'refused':
        this.#outage.notTaken();
        if (!this.#isReplaced(account, meaning.refusal)) this.refused(meaning.refusal);
        return { kind: 'done', outcome: rejection(meaning.refusal) };
    }
  }

  /** Whether it is a refusal of a token that another has taken the place of since: of that one it says nothing. */
  #isReplaced({ accessToken }: AppAccount, { meaning }: Refusal): boolean {
    const now = this.#options.account();
    return meaning === 'channel_down' && now !== null && now.accessToken !== accessToken;
  }

  #tellUp(): void {
    if (this.open) this.#options.observer.up?.(this.#options.account()?.phoneNumberId ?? '');
  }
}

type Turn =
  | { kind: 'done'; outcome: SendOutcome }
  | Extract<Meaning, { kind: 'again' }>
  /** No exchange was made: this phone had a message a moment ago. */
  | { kind: 'wait'; ms: number };

const notSent: SendOutcome = { kind: 'not_sent', reason: 'leg_over' };

/** False when the leg is over first. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> => pauseFor(ms, true, { signal }).catch(() => false);

/** Phones remembered; the one sent to longest ago is forgotten first, and the platform's own limit still holds for it. */
const maxPhones = 50_000;

/** The pause between two messages to one phone: the platform counts messages per pair of numbers. */
class Pairs {
  /** When the next message may go to a phone, Unix ms; in the order of sending. */
  readonly #freeAt = new Map<string, number>();

  /** Takes the phone's turn, which is free again after `intervalMs`, and returns 0; or returns the wait until then, in ms. */
  take(to: string, now: number, intervalMs: number): number {
    const freeAt = this.#freeAt.get(to) ?? 0;
    if (isAhead(freeAt, now, intervalMs)) return freeAt - now;
    this.hold(to, now + intervalMs);
    this.#forget(now);
    return 0;
  }

  /** Keeps messages from the phone until then: the platform itself said "too many to this phone". */
  hold(to: string, until: number): void {
    this.#freeAt.delete(to);
    this.#freeAt.set(to, until);
  }

  #forget(now: number): void {
    for (const [to, freeAt] of this.#freeAt) {
      if (freeAt > now && this.#freeAt.size <= maxPhones) return;
      this.#freeAt.delete(to);
    }
  }
}
