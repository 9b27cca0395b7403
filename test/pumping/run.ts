// The pumping guard played against made-up traffic, without a database: its real counters and rules, with the delays that a deployment of
// four processes has at most.

import { type Cohort, conversionMs, isCollapsed, prefixConversion } from '../../src/core/limits/prefix-conversion.ts';
import {
  isSequential,
  type RecentSend,
  sequentialMs,
  sequentialNumbers,
  sequentialSends,
  type Verification,
} from '../../src/core/limits/sequential-numbers.ts';
import {
  blockOf,
  countedSince,
  prefixToStop,
  type Stop,
  type StopRule,
  stopMs,
  stopOf,
} from '../../src/core/limits/stop.ts';
import { Crowds, type Look } from '../../src/engine/limits/crowds.ts';
import { hash, seeded } from '../simulate/random.ts';
import type { MadeSend, Traffic } from './traffic.ts';

const processes = 4;
/** Until a send is committed, and until the rollups have what became of it. */
const committedMs = 50;
const projectedMs = 2_000;
/** Until a stop that one process has made holds in the others. */
const knownMs = 1_000;

export interface Played {
  sends: number;
  /** Of the attacker, or of all where there is none. */
  went: number;
  /** Honest sends that were refused. */
  refusedHonest: number;
  stops: (Stop & { afterSends: number })[];
}

/** Sessions by minute and prefix, as db/limits/traffic.ts reads them. */
class Rollup {
  readonly #rows = new Map<string, Cohort>();
  /** By the second of the verification. */
  readonly #verified = new Map<number, Cohort[]>();
  #second = 0;

  add({ at, to, delivered, verifiedAfter, claim }: MadeSend): void {
    if (claim === 'own_code') return;
    const minute = Math.floor(at / 60_000) * 60_000;
    const key = `${to.slice(0, 7)} ${minute}`;
    const row = this.#rows.get(key) ?? { prefix: to.slice(0, 7), at: minute, counted: 0, verified: 0 };
    this.#rows.set(key, row);
    if (delivered) row.counted += 1;
    if (verifiedAfter === null || claim) return;
    const second = Math.ceil((at + verifiedAfter + projectedMs) / 1000);
    this.#verified.set(second, [...(this.#verified.get(second) ?? []), row]);
  }

  since(since: number, now: number): Cohort[] {
    for (; this.#second <= now / 1000; this.#second += 1) {
      for (const row of this.#verified.get(this.#second) ?? []) row.verified += 1;
    }
    return [...this.#rows.values()].filter(({ at }) => at >= since);
  }
}

/** As db/limits/traffic.ts reads it. */
function verifiedBy({ at, verifiedAfter, claim }: MadeSend, now: number): Verification {
  if (claim === 'reports' || at + (verifiedAfter ?? Infinity) > now) return 'no';
  return claim === 'own_code' ? 'claimed' : 'checked';
}

export function play(traffic: Traffic, seed: number): Played {
  const random = seeded(seed, 'pumping');
  const crowds = Array.from({ length: processes }, () => new Crowds());
  const accepted: MadeSend[] = [];
  const stops: (Stop & { afterSends: number; by: number })[] = [];
  const played: Played = { sends: 0, went: 0, refusedHonest: 0, stops };

  const stop = (rule: StopRule, found: { reason: string }, prefix: string, now: number, by: number) => {
    if (stops.some((each) => prefix.startsWith(each.prefix) && each.endsAt > now)) return;
    const wide = prefixToStop(prefix, stops, now);
    const id = `stop_${stops.length}`;
    stops.push({
      ...{ id, rule, reason: found.reason, prefix: wide, startedAt: now, endsAt: now + stopMs, liftedAt: null },
      ...{ by, afterSends: played.went },
    });
  };

  const look = (by: number, { crowded, checksConversion }: Look, now: number) => {
    const crowd = crowds[by] as Crowds;
    if (crowded !== null && stopOf(crowded, stops, now)) return;
    const recent: RecentSend[] = [];
    for (let at = accepted.length - 1; at >= 0 && recent.length < sequentialSends; at -= 1) {
      const send = accepted[at] as MadeSend;
      if (send.at < now - sequentialMs) break;
      if (send.at > now - committedMs || send.at < countedSince(send.to, stops)) continue;
      recent.push({ number: send.to, at: send.at, verified: verifiedBy(send, now) });
    }
    const found = sequentialNumbers(recent);
    if (isSequential(found)) stop('sequential_numbers', found, blockOf(found.number), now, by);
    crowd.setPoints('acct_1', found?.points ?? 0, now);
    // All processes read the same rows: one of them is enough here.
    if (by !== 0 || !checksConversion) return;
    const cohorts = rollup.since(now - conversionMs, now).filter(({ prefix, at }) => at >= countedSince(prefix, stops));
    const collapsed = prefixConversion(cohorts, now).find(isCollapsed);
    if (collapsed) stop('prefix_conversion', collapsed, collapsed.prefix, now, by);
  };

  const rollup = new Rollup();

  /** When each process runs next, as its loop does: at the time that its last run named, or at once where a send has woken it. */
  const nextAt = crowds.map(() => Number.POSITIVE_INFINITY);
  const run = (by: number, crowd: Crowds, now: number) => {
    if (now < (nextAt[by] ?? 0)) return;
    for (const due of crowd.due(now)) {
      crowd.begin(due, now);
      look(by, due, now);
    }
    nextAt[by] = now + (crowd.nextMs(now) ?? Number.POSITIVE_INFINITY);
  };

  const line = traffic(random);
  for (let next = line.next(); !next.done; ) {
    const send = next.value;
    const now = send.at;
    crowds.forEach((crowd, each) => {
      run(each, crowd, now);
    });
    const by = hash(send.to) % processes;
    const known = stops.filter((each) => each.by === by || each.startedAt + knownMs <= now);
    const went = stopOf(send.to, known, now) === null;
    played.sends += 1;
    if (went) {
      const isWoken = accepted.at(-1)?.to !== send.to && crowds[by]?.add('acct_1', send.to, { now, processes });
      if (isWoken) nextAt[by] = now;
      accepted.push(send);
      rollup.add(send);
      played.went += 1;
    } else if (!send.isAttack) played.refusedHonest += 1;
    next = line.next(went);
  }
  const attacking = accepted.filter(({ isAttack }) => isAttack).length;
  if (attacking > 0) played.went = attacking;
  return played;
}
