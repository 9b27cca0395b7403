// Calls that are refused before the rate of an account bounds them, by the address they come from: refused keys and administrators' tokens, whose
// number within a minute makes guesses cheap to refuse, and the lines of all of them in the log. They are counted in this process and in
// bounded memory: a guard, not a quota.

import { BoundedMap } from '../../collections/small-maps.ts';
import { callerOf } from '../../core/limits/addresses.ts';
import { isAhead, minuteMs } from '../../time/wall-clock.ts';
import type { Door } from '../waist/context.ts';
import type { ErrorCode } from '../waist/errors.ts';
import type { Logger } from '../waist/ports.ts';

export interface RefusalsOptions {
  /** Refused keys and tokens of one address within a minute, from which on only keys known to be good are looked at. */
  failuresPerMinute(): number;
  /** Unix ms. */
  now(): number;
  logger: Pick<Logger, 'warn'>;
  /** Called at every refusal of a key or token, for the metrics. */
  observe?(refusal: { door: Door; reason: RefusalReason }): void;
  /** Called at every refusal that has no line of its own in the log, for the metrics. */
  unlogged?(refusal: { door: Door; reason: ErrorCode }): void;
  /** Callers remembered. Default 10 000. */
  mostCallers?: number;
  /** Lines of log about single refusals within a minute, over all addresses. Default 1 000. */
  mostLines?: number;
}

/** Error codes of a call that showed no good key or token. */
const refusalReasons = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'invalid_admin_token',
  'too_many_failures',
] as const satisfies readonly ErrorCode[];

export type RefusalReason = (typeof refusalReasons)[number];

export const isRefusal = (code: string): code is RefusalReason => (refusalReasons as readonly string[]).includes(code);

/** Calls that showed no good key or token, and those that were refused for something else: for what their key may not do, say. */
const kinds = ['keys', 'early'] as const;
type Kind = (typeof kinds)[number];

const kindOf = (reason: ErrorCode): Kind => (isRefusal(reason) ? 'keys' : 'early');

const summaries = {
  keys: 'further calls with no good key were refused',
  early: 'further calls were refused before anything was done for them',
} as const;

interface Lines {
  refused: number;
  /** Refusals among them without a log line of their own. */
  unlogged: number;
}

interface Minute extends Record<Kind, Lines> {
  startedAt: number;
  /** Wrong keys and tokens. A call without a key is no guess, and a call answered `too_many_failures` had its key not looked up. */
  failures: number;
}

const isUnderWay = ({ startedAt }: { startedAt: number }, at: number): boolean =>
  isAhead(startedAt + minuteMs, at, minuteMs);
const mostAdmins = 1_000;
/** Summaries in one sweep; further ones are added up to one. */
const mostSummaries = 100;

export class Refusals {
  readonly #options: Required<RefusalsOptions>;
  /** The oldest minute first. */
  readonly #callers: BoundedMap<string, Minute>;
  /** Callers that have shown RAMZ_ADMIN_TOKEN. */
  readonly #admins = new BoundedMap<string, true>(mostAdmins);
  #lines = { startedAt: Number.NEGATIVE_INFINITY, count: 0 };
  /** Refusals without a log line of their own, from callers that had to be forgotten. */
  readonly #forgotten: Record<Kind, number> = { keys: 0, early: 0 };

  constructor(options: RefusalsOptions) {
    this.#options = { observe: () => {}, unlogged: () => {}, mostCallers: 10_000, mostLines: 1_000, ...options };
    this.#callers = new BoundedMap(this.#options.mostCallers, (minute) => {
      for (const kind of kinds) this.#forgotten[kind] += minute[kind].unlogged;
    });
  }

  get callers(): number {
    return this.#callers.size;
  }

  /** How long calls of this address whose key is not known to be good are refused unseen, ms; 0 = they are looked at. */
  blockedForMs(address: string): number {
    if (this.#callers.size === 0) return 0;
    const minute = this.#callers.get(callerOf(address));
    if (!minute || minute.failures < this.#options.failuresPerMinute()) return 0;
    const at = this.#options.now();
    return isUnderWay(minute, at) ? minute.startedAt + minuteMs - at : 0;
  }

  /** Counts a refusal. False where the call shall have no line of its own in the log: there are enough of them. `isGuess`: it showed a key or token. */
  note(address: string, door: Door, reason: ErrorCode, isGuess = true): boolean {
    const { observe, unlogged, failuresPerMinute } = this.#options;
    const minute = this.#minuteOf(callerOf(address));
    if (isRefusal(reason)) {
      observe({ door, reason });
      if (isGuess && reason !== 'missing_api_key' && reason !== 'too_many_failures') minute.failures += 1;
    }
    const lines = minute[kindOf(reason)];
    lines.refused += 1;
    if (lines.refused <= failuresPerMinute() && this.#hasLine()) return true;
    lines.unlogged += 1;
    unlogged({ door, reason });
    return false;
  }

  /** RAMZ_ADMIN_TOKEN was shown: at this address it stays usable, even while others there guess, but not without end. */
  sawAdmin(address: string): void {
    const caller = callerOf(address);
    if (!this.#admins.has(caller)) this.#admins.set(caller, true);
  }

  /**
   * Whether RAMZ_ADMIN_TOKEN is looked at, though too many guesses came from this address. An address may be many people's, e.g. that of a
   * proxy which is not named in `trusted_proxies`: as many guesses again, and nobody's token is looked at there until the minute is over.
   */
  isKnownAdmin(address: string): boolean {
    const caller = callerOf(address);
    const failures = this.#callers.get(caller)?.failures ?? 0;
    return this.#admins.has(caller) && failures < 2 * this.#options.failuresPerMinute();
  }

  /** Called every few seconds, and at the end (`all`): writes one line for each address whose minute is over and had more refusals than lines. */
  sweep(all = false): void {
    const { now, logger } = this.#options;
    const at = now();
    let written = 0;
    for (const [caller, minute] of this.#callers) {
      if (!all && isUnderWay(minute, at)) break;
      this.#callers.delete(caller);
      for (const kind of kinds) {
        const { unlogged: refused } = minute[kind];
        if (refused === 0) continue;
        written += 1;
        if (written > mostSummaries) this.#forgotten[kind] += refused;
        else logger.warn({ client: caller, refused }, summaries[kind]);
      }
    }
    for (const kind of kinds) {
      const refused = this.#forgotten[kind];
      if (refused > 0) logger.warn({ refused }, `${summaries[kind]}, from other addresses`);
      this.#forgotten[kind] = 0;
    }
  }

  #minuteOf(caller: string): Minute {
    const { now } = this.#options;
    const at = now();
    const held = this.#callers.get(caller);
    if (held && isUnderWay(held, at)) return held;
    // Refusals that the minute before did not report are reported with this one.
    const lines = (kind: Kind): Lines => ({ refused: 0, unlogged: held?.[kind].unlogged ?? 0 });
    const minute = { startedAt: at, failures: 0, keys: lines('keys'), early: lines('early') };
    this.#callers.set(caller, minute);
    return minute;
  }

  #hasLine(): boolean {
    const at = this.#options.now();
    if (!isUnderWay(this.#lines, at)) this.#lines = { startedAt: at, count: 0 };
    this.#lines.count += 1;
    return this.#lines.count <= this.#options.mostLines;
  }
}
