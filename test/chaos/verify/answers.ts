// Calls are answered while others are away: the numbers of an owner that is dead, frozen or cut off work again, through any process that
// lives, a second after its lease at the latest. And how long answers take, by what was going on.
import type { Evidence } from '../evidence.ts';
import { outageWithin } from '../journal.ts';
import type { Try } from '../ledger.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

export interface Speed {
  count: number;
  /** Ms, time without a database taken off. */
  p50: number;
  p99: number;
  max: number;
}

const takeoverMs = 1_000;

export function verifyAnswers(evidence: Evidence): Violation[] {
  const { tries, outages, leaseMs, slackMs } = evidence;
  const findings = new Findings();
  const isWell = wellness(evidence);
  const allowedMs = leaseMs + takeoverMs + slackMs;
  for (const [key, own] of groupBy(tries, (each) => each.key)) {
    // What was lost with a process that was not there is the client's own patience. The pause after a try belongs to it.
    const tookMs = own.reduce((sum, each, index) => {
      const end = own[index + 1]?.from ?? each.to;
      return isWell(each) ? sum + end - each.from - outageWithin(outages, each.from, end) : sum;
    }, 0);
    const said = () => `${key}: ${tookMs} ms, ${own.map(({ server, status }) => `${server} ${status}`).join(', ')}`;
    findings.expect(tookMs <= allowedMs, 'a call is answered within a second of the lease', said);
  }
  return findings.violations;
}

/** Of calls that were answered by servers that were there all the time, by the fault they met; `calm` = none. */
export function speeds(evidence: Evidence): Record<string, Speed> {
  const { tries, outages } = evidence;
  const isWell = wellness(evidence);
  const windows = faultWindows(evidence);
  const good = tries.filter((each) => each.status === 200 && isWell(each));
  const met = ({ from, to }: Try) => windows.findLast((each) => each.from <= to && from <= each.to)?.what ?? 'calm';
  const entries = [...groupBy(good, met)].map(([what, those]): [string, Speed] => {
    const took = those.map(({ from, to }) => Math.round(to - from - outageWithin(outages, from, to)));
    took.sort((a, b) => a - b);
    const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0;
    return [what, { count: took.length, p50: at(0.5), p99: at(0.99), max: at(1) }];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether the server of a try was up from its beginning to its end. */
function wellness({ changes }: Evidence): (each: Try) => boolean {
  const changesOf = groupBy(changes, ({ part }) => part);
  return ({ server, from, to }) => {
    const own = changesOf.get(server) ?? [];
    const before = own.findLast(({ at }) => at <= from);
    return before?.up === true && !own.some(({ at }) => at > from && at <= to);
  };
}

/** From each fault until a second after its end; a kill ends with the lease. */
function faultWindows({ incidents, leaseMs }: Evidence): { what: string; from: number; to: number }[] {
  return incidents.flatMap(({ at, parts, what }, index) => {
    const end = incidents.slice(index).find((later) => later.what === (what === 'cut' ? 'healed' : 'thaw'));
    const to = (end?.at ?? at) + takeoverMs;
    if (what === 'kill' || what === 'died') return [{ what, from: at, to: at + leaseMs + takeoverMs }];
    if (what === 'cut') return [{ what, from: at, to }];
    if (what !== 'freeze') return [];
    return [{ what: parts.includes('postgres') ? 'stall' : what, from: at, to }];
  });
}
