// The course of an answered call, as decisions without sound or network: the request for a key, the readings of the code, the closing
// words. A voicemail box presses no key, so nothing of the code is spoken to it.

import type { CallState } from '../../core/verify/call.ts';
import type { Clip, ClipName } from './clip.ts';

/** The whole call at the most, from the answer to our hang-up, ms. */
export const callLimitMs = 120_000;
/** We hang up so much before the limit, ms: timers are late, and a second or minute that has begun is charged whole. */
export const limitMarginMs = 500;
/** Silence after each of the two requests for a key, ms. */
export const keyWaitMs = 10_000;
/** Silence after the offer of another reading, ms. */
export const againWaitMs = 5_000;
/** Between the introduction and the request for a key, ms. */
const beforePressMs = 300;
/** Between two digits, ms. */
export const digitGapMs = 450;
/** Before the first digit, ms: who has just pressed a key still has the phone before the eyes. */
const beforeDigitsMs = 700;
/** Readings of the code in one call. */
export const mostReadings = 5;
/** A clip that is being spoken when the call is to end may take this long, ms: the longest, `intro`, is some 8 s. */
export const longestClipMs = 12_000;
/** Kept free before the call's limit for `bye`, ms. */
const closingMs = 5_000;

export type ReadingInput =
  | { kind: 'answered' }
  | { kind: 'key'; digit: string }
  /** The last sample of the list with this token was sent. */
  | { kind: 'played'; token: number }
  /** The call is no longer wanted: it ends after the clip that is being spoken. */
  | { kind: 'stop' }
  | { kind: 'tick' };

/**
 * `no_key`: no key was pressed. `canceled`: stopped before the first reading was played to its end. `media_lost`: the call's limit
 * came first, as when the phone puts the call on hold.
 */
export type ReadingEnd = Extract<CallState, 'heard' | 'no_key' | 'canceled' | 'media_lost'>;

export type ReadingOutput =
  /** To be spoken at once, in place of what is queued. */
  | { kind: 'say'; clips: readonly Clip[]; token: number }
  /** What is queued behind the clip that is being spoken is to be dropped; `played` comes when the clip has ended. */
  | { kind: 'finish_phrase' }
  /** The first reading was played to its end. */
  | { kind: 'heard' }
  | { kind: 'hang_up'; word: ReadingEnd };

export interface ReadingOptions {
  /** The digits to read. */
  code: string;
  /** False: the code is read right after the introduction. */
  requireKey: boolean;
}

/** A phone plays what it heard some 100 ms before: a BYE right behind the last word would cut it. */
const goodbye: readonly Clip[] = [{ clip: 'bye' }, { silenceMs: 300 }];

type Phrase = 'intro' | 'press' | 'reading' | 'again' | 'bye';

type State =
  | { kind: 'ringing' }
  | { kind: 'speaking'; phrase: Phrase; token: number; since: number }
  /** After `intro` and `press`, a key starts the reading; after `again`, the key 1 does. */
  | { kind: 'waiting'; after: 'intro' | 'press' | 'again'; until: number }
  /** Stopped, while the last clip is spoken to its end. */
  | { kind: 'finishing'; token: number; until: number }
  | { kind: 'over' };

/** The word of a call whose limit comes before the code was heard. */
const atLimit = { speaking: 'media_lost', waiting: 'no_key', finishing: 'canceled' } as const;

const isKey = (digit: string): boolean => /^[0-9*#]$/.test(digit);

export class Reading {
  readonly #options: ReadingOptions;
  #state: State = { kind: 'ringing' };
  /** 0 before the answer. */
  #limitAt = 0;
  #token = 0;
  /** How long a reading takes, as measured by the last one, ms. */
  #readingMs = 0;
  /** The key 1 was pressed while the code was being read once more. */
  #again = false;
  #keys = 0;
  #readings = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** Keys pressed so far. */
  get keys(): number {
    return this.#keys;
  }

  /** Readings played to their end so far. */
  get readings(): number {
    return this.#readings;
  }

  /** When `tick` is due, ms by the clock of `take`; null: at no time. */
  nextAt(): number | null {
    const state = this.#state;
    if (state.kind === 'ringing' || state.kind === 'over') return null;
    return 'until' in state ? Math.min(state.until, this.#limitAt) : this.#limitAt;
  }

  /** `now` in ms of a clock that is never set: a call whose clock was set back would stay up, and be paid for. */
  take(input: ReadingInput, now: number): ReadingOutput[] {
    const { kind } = this.#state;
    if (kind === 'over') return [];
    if (kind !== 'ringing' && now >= this.#limitAt) return this.#hangUp(atLimit[kind]);
    switch (input.kind) {
      case 'answered':
        return kind === 'ringing' ? this.#answered(now) : [];
      case 'key':
        return this.#key(input.digit, now);
      case 'played':
        return this.#played(input.token, now);
      case 'stop':
        return this.#stop(now);
      case 'tick':
        return this.#tick(now);
    }
  }

  #answered(now: number): ReadingOutput[] {
    this.#limitAt = now + callLimitMs - limitMarginMs;
    const request: Clip[] = [{ silenceMs: beforePressMs }, { clip: 'press' }];
    return this.#say('intro', [{ clip: 'intro' }, ...(this.#options.requireKey ? request : [])], now);
  }

  #key(digit: string, now: number): ReadingOutput[] {
    const state = this.#state;
    if (state.kind === 'ringing' || !isKey(digit)) return [];
    this.#keys += 1;
    const phrase = state.kind === 'speaking' ? state.phrase : state.kind === 'waiting' ? state.after : null;
    if (phrase === 'intro' || phrase === 'press') return this.#read(now);
    if (digit !== '1') return [];
    // The second reading follows the first one anyway.
    if (phrase === 'reading') this.#again = this.#readings > 0;
    const offered = phrase === 'again' || phrase === 'bye';
    return offered && this.#mayRead(now) ? this.#read(now) : [];
  }

  #played(token: number, now: number): ReadingOutput[] {
    const state = this.#state;
    if (state.kind === 'finishing') return token === state.token ? this.#hangUp('canceled') : [];
    if (state.kind !== 'speaking' || token !== state.token) return [];
    switch (state.phrase) {
      case 'intro':
        return this.#options.requireKey ? this.#wait('intro', keyWaitMs, now) : this.#read(now);
      case 'press':
        return this.#wait('press', keyWaitMs, now);
      case 'reading':
        return this.#readToEnd(state.since, now);
      case 'again':
        return this.#wait('again', againWaitMs, now);
      case 'bye':
        return this.#hangUp('canceled');
    }
  }

  /** A reading was played to its end: after the first the second, then what the key 1 asks for. */
  #readToEnd(since: number, now: number): ReadingOutput[] {
    this.#readings += 1;
    this.#readingMs = now - since;
    if (this.#readings === 1) return [{ kind: 'heard' }, ...this.#afterReading(true, now)];
    return this.#afterReading(this.#again, now);
  }

  #afterReading(readAgain: boolean, now: number): ReadingOutput[] {
    if (!this.#mayRead(now)) return this.#say('bye', goodbye, now);
    return readAgain ? this.#read(now) : this.#say('again', [{ clip: 'again' }], now);
  }

  #mayRead(now: number): boolean {
    return this.#readings < mostReadings && now + this.#readingMs + closingMs <= this.#limitAt;
  }

  #read(now: number): ReadingOutput[] {
    this.#again = false;
    const digits = [...this.#options.code].flatMap((digit, index): Clip[] => [
      { silenceMs: index === 0 ? beforeDigitsMs : digitGapMs },
      { clip: digit as ClipName },
    ]);
    return this.#say('reading', digits, now);
  }

  #stop(now: number): ReadingOutput[] {
    const state = this.#state;
    if (state.kind === 'finishing') return [];
    if (state.kind !== 'speaking') return this.#hangUp('canceled');
    this.#state = { kind: 'finishing', token: state.token, until: now + longestClipMs };
    return [{ kind: 'finish_phrase' }];
  }

  #tick(now: number): ReadingOutput[] {
    const state = this.#state;
    if (!('until' in state) || now < state.until) return [];
    if (state.kind === 'finishing') return this.#hangUp('canceled');
    switch (state.after) {
      case 'intro':
        return this.#say('press', [{ clip: 'press' }], now);
      case 'press':
        return this.#hangUp('no_key');
      case 'again':
        return this.#say('bye', goodbye, now);
    }
  }

  #say(phrase: Phrase, clips: readonly Clip[], now: number): ReadingOutput[] {
    this.#token += 1;
    this.#state = { kind: 'speaking', phrase, token: this.#token, since: now };
    return [{ kind: 'say', clips, token: this.#token }];
  }

  #wait(after: 'intro' | 'press' | 'again', waitMs: number, now: number): ReadingOutput[] {
    this.#state = { kind: 'waiting', after, until: now + waitMs };
    return [];
  }

  /** @param unheard the word of a call in which no reading was played to its end */
  #hangUp(unheard: ReadingEnd): ReadingOutput[] {
    this.#state = { kind: 'over' };
    return [{ kind: 'hang_up', word: this.#readings > 0 ? 'heard' : unheard }];
  }
}
