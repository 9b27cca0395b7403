// A run in figures, for machines (JSON) and for people.
import type { Evidence } from './evidence.ts';
import type { Ledger } from './ledger.ts';
import type { Fault } from './plan.ts';
import type { RunOptions } from './run.ts';
import { type Speed, speeds } from './verify/answers.ts';
import { type Sums, sums } from './verify/costs.ts';
import { type Lateness, lateness, summary } from './verify/timers.ts';
import type { Violation } from './verify/violation.ts';

export interface Report {
  seed: number;
  options: RunOptions;
  seconds: number;
  kills: {
    faults: number;
    processes: number;
    byPart: Record<string, number>;
    freezes: number;
    frozen: Record<string, number>;
    cuts: number;
  };
  sends: { attempted: number; acknowledged: number; retried: number; givenUp: number; ratePerSecond: number };
  answers: Record<string, number>;
  /** By what was going on. */
  speeds: Record<string, Speed>;
  messages: Record<string, number>;
  smsc: { submits: number; parkedReceipts: number; peakBinds: Record<string, number> };
  checks: { asked: number; verified: number };
  webhooks: { events: number; posts: number };
  outages: { count: number; totalMs: number; longestMs: number };
  late: { leg: Lateness; expiry: Lateness; takeover: Lateness; webhook: Lateness };
  costs: Sums;
  unsettled: string;
  drained: boolean;
  violations: Violation[];
}

export interface Ran {
  options: RunOptions;
  evidence: Evidence;
  ledger: Ledger;
  plan: readonly Fault[];
  loadMs: number;
  startedAt: number;
  unsettled: string;
  drained: boolean;
  violations: Violation[];
}

const tally = (words: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};

export function makeReport(ran: Ran): Report {
  const { options, evidence, ledger, plan, loadMs, unsettled, drained, violations } = ran;
  const { sent, checked, events, messages, arrived, outages, parked, peaks } = evidence;
  const killed = plan.flatMap((fault) => (fault.kind === 'kill' ? fault.parts.map(({ part }) => part) : []));
  const kills = plan.filter(({ kind }) => kind === 'kill').length;
  const frozen = plan.flatMap((fault) => (fault.kind === 'freeze' ? [fault.part] : []));
  const cuts = plan.filter(({ kind }) => kind === 'cut').length;
  const acknowledged = sent.filter(({ ids }) => ids.size > 0);
  const late = lateness(evidence);
  const over = outages.map(({ from, to }) => to - from);
  return {
    seed: options.seed,
    options,
    unsettled,
    drained,
    violations,
    seconds: Math.round((Date.now() - ran.startedAt) / 1000),
    kills: {
      faults: kills,
      processes: killed.length,
      byPart: tally(killed),
      freezes: frozen.length,
      frozen: tally(frozen),
      cuts,
    },
    sends: {
      attempted: sent.length,
      acknowledged: acknowledged.length,
      retried: acknowledged.filter(({ attempts }) => attempts > 1).length,
      givenUp: ledger.givenUp,
      ratePerSecond: Math.round((sent.length / loadMs) * 1000),
    },
    speeds: speeds(evidence),
    answers: Object.fromEntries([...ledger.answers].sort(([a], [b]) => (a < b ? -1 : 1))),
    messages: tally(messages.map(({ status, reason }) => (reason ? `${status} (${reason})` : status))),
    smsc: {
      submits: arrived.length,
      parkedReceipts: parked,
      peakBinds: Object.fromEntries(peaks.map(({ operator, ever }) => [operator, ever])),
    },
    checks: { asked: checked.length, verified: evidence.listed.filter(({ status }) => status === 'verified').length },
    webhooks: { events: events.size, posts: [...events.values()].reduce((sum, { copies }) => sum + copies, 0) },
    outages: {
      count: over.length,
      totalMs: over.reduce((sum, each) => sum + each, 0),
      longestMs: Math.max(0, ...over),
    },
    late: {
      leg: summary(late, 'leg'),
      expiry: summary(late, 'expiry'),
      takeover: summary(late, 'takeover'),
      webhook: summary(late, 'webhook'),
    },
    costs: sums(evidence),
  };
}

const shown = 5;

export function readable(report: Report): string {
  const { kills, sends, smsc, checks, webhooks, outages, late, costs, violations } = report;
  const counts = (of: Record<string, number>) =>
    Object.entries(of)
      .map(([what, n]) => `${what} ${n}`)
      .join(', ');
  const times = ({ count, p50, p99, max, overOneSecond }: Lateness) =>
    `${count}; late by p50 ${p50}, p99 ${p99}, max ${max} ms; ${overOneSecond} over 1 s`;
  const lines = [
    `seed ${report.seed}, ${report.seconds} s`,
    `kills -9    ${kills.faults} faults, ${kills.processes} processes (${counts(kills.byPart)}), ${kills.freezes} freezes${kills.freezes > 0 ? ` (${counts(kills.frozen)})` : ''}, ${kills.cuts} cuts of the peer ports`,
    `outages     ${outages.count}, together ${outages.totalMs} ms, longest ${outages.longestMs} ms`,
    `sends       ${sends.attempted} at ${sends.ratePerSecond}/s, ${sends.acknowledged} acknowledged (${sends.retried} after a retry), ${sends.givenUp} given up`,
    `answers     ${counts(report.answers)}`,
    ...Object.entries(report.speeds).map(
      ([when, { count, p50, p99, max }]) => `  ${when.padEnd(9)} ${count}; p50 ${p50}, p99 ${p99}, max ${max} ms`,
    ),
    `messages    ${counts(report.messages)}`,
    `SMSCs       ${smsc.submits} submit_sm taken, ${smsc.parkedReceipts} receipts parked, peak binds ${counts(smsc.peakBinds)}`,
    `checks      ${checks.asked} asked, ${checks.verified} sessions verified`,
    `webhooks    ${webhooks.events} events in ${webhooks.posts} posts; late by p50 ${late.webhook.p50}, p99 ${late.webhook.p99}, max ${late.webhook.max} ms; ${late.webhook.overOneSecond} over 1 s`,
    `legs        ${times(late.leg)}`,
    `expiries    ${times(late.expiry)}`,
    `takeovers   ${times(late.takeover)} (after the kill; the lease is 3 s)`,
    `costs       operators ${costs.operators}, webhooks ${costs.webhooks}, sessions ${costs.api}`,
    `quiet       ${report.unsettled ? `no: ${report.unsettled}` : 'yes'}; drained on SIGTERM: ${report.drained ? 'yes' : 'no'}`,
  ];
  const promises = Map.groupBy(violations, ({ promise }) => promise);
  lines.push(violations.length === 0 ? 'violations  none' : `violations  ${violations.length}`);
  for (const [promise, breaches] of promises) {
    lines.push(`  ${promise}: ${breaches.length}`);
    for (const { detail } of breaches.slice(0, shown)) lines.push(`    ${detail}`);
  }
  return lines.join('\n');
}
