// No timer is later than one second after the lease of whoever had it, and nor is taking over a dead process's messages
// and webhooks: an endpoint that always answers has every event by then.
// Time in which there was nobody to do it (no database, or no server) does not count.
import { defaultRules } from '../../../src/core/verify/rules.ts';
import type { Evidence } from '../evidence.ts';
import { type Incident, outageWithin } from '../journal.ts';
import { Findings, type Violation } from './violation.ts';

export interface Lateness {
  count: number;
  p50: number;
  p99: number;
  max: number;
  /** Beyond one second, outages taken off: done by whoever took over. */
  overOneSecond: number;
}

export interface Late {
  what: 'leg' | 'expiry' | 'takeover' | 'webhook';
  id: string;
  /** Ms, outages taken off. */
  lateMs: number;
}

const takeoverMs = 1_000;
const renewalMs = 1_100;
const causes: ReadonlySet<Incident['what']> = new Set(['kill', 'freeze', 'died']);

/** Every deadline that was due and every takeover, with how late it was. */
export function lateness({ sessions, deliveries, events, outages, incidents, leaseMs }: Evidence): Late[] {
  const found: Late[] = [];
  const add = (what: Late['what'], id: string, due: number, at: number) =>
    found.push({ what, id, lateMs: Math.max(0, at - due - outageWithin(outages, due, at)) });
  for (const { id, created_at, expires_at, legs, timeline } of sessions) {
    const leg = new LegTimes(created_at, legs[0]?.timeoutMs ?? 0);
    for (const { at, kind, reason } of timeline) {
      const due = leg.dueAt(kind, reason ?? null);
      if (due !== null) add('leg', id, due, at);
      leg.pass(kind, at);
      if (kind === 'session_expired') add('expiry', id, expires_at, at);
      if (kind !== 'message_unknown' || reason !== 'process_lost') continue;
      const fault = causeOf({ incidents, leaseMs }, created_at, at);
      if (fault) add('takeover', id, fault.at, at);
    }
  }
  for (const { event_id, created_at } of deliveries) {
    const came = events.get(event_id);
    if (came) add('webhook', event_id, created_at, came.at);
  }
  return found;
}

/** When a session's one leg is due to end, and its message to go out once more where it was in doubt. Unix ms. */
class LegTimes {
  readonly #timeoutMs: number;
  #begunAt: number;
  #doubtedAt: number | null = null;
  #endedAt = 0;

  constructor(begunAt: number, timeoutMs: number) {
    this.#begunAt = begunAt;
    this.#timeoutMs = timeoutMs;
  }

  /** Null for an entry that no timer has caused. */
  dueAt(kind: string, reason: string | null): number | null {
    const doubtEndsAt = (this.#doubtedAt ?? Number.POSITIVE_INFINITY) + defaultRules.inDoubtMs;
    const legEndsAt = this.#begunAt + this.#timeoutMs;
    if (kind === 'leg_timed_out') return reason === 'in_doubt' ? Math.min(legEndsAt, doubtEndsAt) : legEndsAt;
    return kind === 'in_doubt_resend' ? Math.max(doubtEndsAt, this.#endedAt) : null;
  }

  /** The entry is a thing of the past. */
  pass(kind: string, at: number): void {
    if (kind === 'message_unknown') this.#doubtedAt = at;
    if (kind === 'leg_timed_out') this.#endedAt = at;
    if (kind === 'in_doubt_resend') this.#begunAt = at;
  }
}

/** A fault is written down before it strikes: a session of so many ms after it can still be of the process that was killed. */
const strikesWithinMs = 100;

/**
 * The latest fault that can be the reason of a takeover: a lease is renewed every second, so it runs for two at least, and no fault before
 * the session can be. Where the only one since then is younger than that, its process was late to renew, as on a busy machine; null where
 * there was none, and a process that lived was taken for dead.
 */
function causeOf({ incidents, leaseMs }: Pick<Evidence, 'incidents' | 'leaseMs'>, createdAt: number, at: number) {
  const before = (time: number) =>
    incidents.findLast((each) => causes.has(each.what) && each.at <= time && each.at >= createdAt - strikesWithinMs);
  return before(at - leaseMs + renewalMs) ?? before(at) ?? null;
}

export function verifyTimers(evidence: Evidence): Violation[] {
  const findings = new Findings();
  const allowedMs = evidence.leaseMs + takeoverMs + evidence.slackMs;
  for (const { what, id, lateMs } of lateness(evidence)) {
    const promise = 'no timer is later than a second after the lease';
    if (what === 'webhook') continue;
    findings.expect(lateMs <= allowedMs, promise, () => `${what} of ${id}: ${Math.round(lateMs)} ms`);
  }
  verifyWebhookTimes(evidence, allowedMs, findings);
  return findings.violations;
}

/**
 * What waits behind a backlog is late by no fault of a takeover: of a hundred webhooks one may be. But none may have waited for
 * its row's own lease, which is there for the day on which nothing else works.
 */
function verifyWebhookTimes(evidence: Evidence, allowedMs: number, findings: Findings): void {
  const late = lateness(evidence).filter(({ what }) => what === 'webhook');
  const tooLate = late.filter(({ lateMs }) => lateMs > allowedMs);
  const said = (ids: readonly Late[]) => ids.slice(0, 3).map(({ id, lateMs }) => `${id} ${Math.round(lateMs)} ms`);
  const promise = 'of a hundred webhooks 99 come within a second of the lease';
  const share = `${tooLate.length} of ${late.length} are later`;
  findings.expect(tooLate.length * 100 <= late.length, promise, () => `${share}: ${said(tooLate)}`);
  const forgotten = late.filter(({ lateMs }) => lateMs > evidence.deliveryLeaseMs / 2 + evidence.slackMs);
  findings.expect(forgotten.length === 0, "no webhook waits for its row's own lease", () => `${said(forgotten)}`);
}

export function summary(late: readonly Late[], what: Late['what']): Lateness {
  const sorted = late.filter((each) => each.what === what).map(({ lateMs }) => Math.round(lateMs));
  sorted.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const overOneSecond = sorted.filter((each) => each > takeoverMs).length;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1), overOneSecond };
}
