// When a bind acts: the clock it reads, the checks of a silent peer (SMPP v3.4 sections 2.7 and 7.2), and the pause before the next
// try to connect. Everything but the clock is pure: times are arguments, in ms, so that tests need not wait.

import { type Alarm, alarm } from '../time/alarm.ts';
import { statusMeaning } from './status.ts';

export type Timer = Alarm;

/**
 * Where this library gets the time from. Only differences matter here, so the system's clock is monotonic: a host that corrects its
 * clock must not time out every request at once.
 */
export interface Clock {
  /** Ms since any fixed moment. */
  now(): number;
  setTimer(run: () => void, ms: number): Timer;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimer: alarm,
};

export interface LinkTimersOptions {
  /** Silence after which enquire_link is sent. */
  idleMs: number;
  /** How long an answer may take. */
  responseMs: number;
  /** Unanswered enquire_link in a row after which the connection counts as dead. */
  maxMisses: number;
  /** Time without anything but enquire_link after which the connection is not worth keeping; null = never. */
  inactivityMs: number | null;
}

/** The action that is due now; nothing else is due before `until`. */
export type Due =
  | { kind: 'enquire_link'; until: number }
  | { kind: 'dead' }
  | { kind: 'inactive' }
  | { kind: 'wait'; until: number };

/** Decides when a silent connection gets an enquire_link, and when it counts as dead. */
export class LinkTimers {
  readonly #options: LinkTimersOptions;
  #heardAt: number;
  #workedAt: number;
  #askedAt: number | null = null;
  #misses = 0;

  constructor(options: LinkTimersOptions, now: number) {
    this.#options = options;
    this.#heardAt = now;
    this.#workedAt = now;
  }

  /** Any PDU came: the peer is alive. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#askedAt = null;
    this.#misses = 0;
  }

  /** A PDU came or went that was not about the link itself. */
  worked(now: number): void {
    this.#workedAt = now;
  }

  /** The action due now; an enquire_link that is returned counts as sent. */
  due(now: number): Due {
    const { idleMs, responseMs, maxMisses, inactivityMs } = this.#options;
    const inactiveAt = inactivityMs === null ? Number.POSITIVE_INFINITY : this.#workedAt + inactivityMs;
    if (now >= inactiveAt) return { kind: 'inactive' };

    const askAt = this.#askedAt === null ? this.#heardAt + idleMs : this.#askedAt + responseMs;
    // The next look is due after idleMs at the latest, because an answer that comes meanwhile restarts the idle time.
    const until = (at: number): number => Math.min(at, now + idleMs, inactiveAt);
    if (now < askAt) return { kind: 'wait', until: until(askAt) };

    if (this.#askedAt !== null) this.#misses += 1;
    if (this.#misses >= maxMisses) return { kind: 'dead' };
    this.#askedAt = now;
    return { kind: 'enquire_link', until: until(now + responseMs) };
  }
}

/** How long reading must have gone on, after a time in which nothing was read, before the lack of an answer counts. */
const CATCH_UP_MS = 100;
/** A timer that rings so late says that this process stood still. */
const LATE_MS = 250;

/**
 * Whether what has come on a connection has been read: a request whose answer may lie unread is not yet without one.
 */
export class Reading {
  #stopped = false;
  #since = Number.NEGATIVE_INFINITY;
  #wasLate = false;

  /** Reading has stopped, because what came before is not done yet, or goes on. True where that is new. */
  stop(stopped: boolean, now: number): boolean {
    if (stopped === this.#stopped) return false;
    this.#stopped = stopped;
    this.#since = now;
    return true;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** A timer that was set for `at` has rung. Two that are late in a row say that this process is too busy, and it has read in between. */
  rang(at: number, now: number): void {
    const isLate = now - at >= LATE_MS;
    if (isLate && !this.#wasLate) this.#since = now;
    this.#wasLate = isLate;
  }

  isUpToDate(now: number): boolean {
    return !this.#stopped && now >= this.#since + CATCH_UP_MS;
  }

  /** When the lack of an answer that is due at `deadline` counts; infinite while nothing is read. */
  countsAt(deadline: number): number {
    return this.#stopped ? Number.POSITIVE_INFINITY : Math.max(deadline, this.#since + CATCH_UP_MS);
  }
}

export interface BackoffOptions {
  /** Ceiling after the first failure; doubles with each. Default 1 000. */
  minMs: number;
  /** Highest ceiling. Default 60 000. */
  maxMs: number;
  /** After "already bound" (0x05): the SMSC must first notice that the old connection is gone. Doubles to 30 000. Default 2 000. */
  alreadyBoundMs: number;
  /** After "bind failed" (0x0D): SMSCs that restart say it, and those that are asked for one bind too many. Doubles up to `maxMs`. Default 5 000. */
  bindFailedMs: number;
  /** After a wrong password or system_id (0x0E, 0x0F): more tries may lock the account, and a person must correct them. Default 300 000. */
  credentialsMs: number;
  /** After a bind that lasted this long, failures are counted from one again. Default 10 000. */
  stableMs: number;
}

export const defaultBackoff: BackoffOptions = {
  minMs: 1_000,
  maxMs: 60_000,
  alreadyBoundMs: 2_000,
  bindFailedMs: 5_000,
  credentialsMs: 300_000,
  stableMs: 10_000,
};

export interface Pause {
  ms: number;
  /** True where waiting will not help and a person must act. */
  alarm: boolean;
}

/** Failures in a row of one connection. */
export class Failures {
  /** Of whatever kind. */
  inRow = 0;
  /** With the status of the last one: an SMSC that restarts first refuses connections, and then a bind or two. */
  alike = 0;
  #status: number | null = null;

  /** @param status see `pauseAfter`. @param wasStable a good bind came before it. */
  add(status: number | null, wasStable: boolean): void {
    this.alike = status === this.#status && !wasStable ? this.alike + 1 : 1;
    this.inRow = wasStable ? 1 : this.inRow + 1;
    this.#status = status;
  }
}

const MOST_ALREADY_BOUND_MS = 30_000;
/** "Bind failed" so often in a row is no restart: a person should look. */
const FAILED_BINDS_TO_ALARM = 5;

/**
 * The pause before the next try, with full jitter: anywhere below the ceiling, so that binds cut together do not return together. After a
 * refusal that passes by itself the pause is what it says, and up to a fifth more.
 * @param status command_status of the refusal; null when there was none to read.
 * @param failures this one included.
 * @param random from 0 to 1.
 */
export function pauseAfter(
  status: number | null,
  { inRow, alike }: Pick<Failures, 'inRow' | 'alike'>,
  random: number,
  options: BackoffOptions,
): Pause {
  const meaning = status === null ? null : statusMeaning(status);
  if (meaning === 'credentials') return { ms: options.credentialsMs, alarm: true };
  const doubled = (firstMs: number, mostMs: number, times: number) =>
    Math.min(mostMs, firstMs * 2 ** Math.min(times - 1, 30));
  const passing = (firstMs: number, mostMs: number) =>
    Math.min(mostMs, doubled(firstMs, mostMs, alike) * (1 + random * 0.2));
  if (meaning === 'already_bound') {
    return {
      ms: passing(options.alreadyBoundMs, Math.max(MOST_ALREADY_BOUND_MS, options.alreadyBoundMs)),
      alarm: false,
    };
  }
  if (meaning === 'bind_failed') {
    const ms = passing(options.bindFailedMs, Math.max(options.maxMs, options.bindFailedMs));
    return { ms, alarm: alike >= FAILED_BINDS_TO_ALARM };
  }
  return { ms: random * doubled(options.minMs, options.maxMs, inRow), alarm: false };
}
