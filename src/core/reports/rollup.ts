// The counts of rollups: what one session adds to which row, and what a change of it adds or takes away. The same rules stand in SQL in
// db/reports/rollup-raw.ts; a test compares both on random histories.

import { addAmounts } from '../money/money.ts';
import { isDelivered, type Message, type MessageStatus, type Session, type SessionStatus } from '../verify/session.ts';

/**
 * Upper borders in seconds of the time from submission to delivery, and from the first submission to the right code. Each counter has all
 * that took at most so long, so that a share is one division; what took longer is the difference to `delivered` and `verified`.
 */
export const borders = [5, 10, 20, 30, 60, 120, 300] as const;

type Border = (typeof borders)[number];

const within = <Prefix extends 'delivered_within' | 'verified_within'>(prefix: Prefix) =>
  borders.map((border): `${Prefix}_${Border}s` => `${prefix}_${border}s`);

/** What a row counts, in the order of `Rollup.counts`; also the names of its columns. */
export const counters = [
  'sessions',
  'verified',
  'expired',
  'failed',
  'canceled',
  'unreported',
  'verified_own_code',
  'verified_by_report',
  'sent',
  'parts',
  'delivered',
  ...within('delivered_within'),
  ...within('verified_within'),
] as const;

export type Counter = (typeof counters)[number];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Rows that are older may be hours: an hour less than minutes are kept (db/reports/rollup-raw.ts), so that no half of one is asked for. */
const minutesMs = 25 * hourMs;

/** The time that whole rows cover, which is what can be counted: rounded outward to minutes, and to hours where only those are left. */
export function coveredBy({ since, until }: { since: number; until: number }, now: number) {
  const unitOf = (at: number) => (at < now - minutesMs ? hourMs : minuteMs);
  return {
    since: Math.floor(since / unitOf(since)) * unitOf(since),
    until: Math.ceil(until / unitOf(until)) * unitOf(until),
  };
}

/** What the rows are divided by. All are bounded, and none names a person. */
export interface Dimensions {
  /** The minute in which the session was opened, Unix ms: all that ever becomes of a session counts there. */
  at: number;
  accountId: string;
  mode: string;
  /** '' where the channel has no operators. */
  operator: string;
  channel: string;
  /** Of the number: see `prefixOf`. */
  prefix: string;
  /** Of the message's cost, ISO 4217; '' while it has none. */
  currency: string;
}

/** One row, or what is to be added to one. */
export interface Rollup {
  dimensions: Dimensions;
  /** As in `counters`. */
  counts: number[];
  /** Decimal strings in the row's currency: what carriers bill this service, and what the messaging platform bills the business itself. */
  cost: string;
  platformCost: string;
}

/** The first minute of a session. */
export const minuteOf = (at: number): number => Math.floor(at / 60_000) * 60_000;

/** Digits of a prefix at most. */
export const prefixDigits = 6;

/**
 * The first six digits of a number, with its plus sign; fewer where they would leave less than four digits open, so that ten thousand
 * numbers at least have it in common.
 */
export const prefixOf = (e164: string): string =>
  e164.slice(0, Math.max(1, Math.min(1 + prefixDigits, e164.length - 4)));

/** Statuses of messages that may have reached the carrier, whether its answer came or not. `rejected` is not one: `submittedAt` decides. */
export const sentStatuses: readonly MessageStatus[] = [
  'submitted',
  'unknown',
  'delivered',
  'undelivered',
  'expired',
  'read',
  'answered',
];

const isSent = ({ submittedAt, status }: Message): boolean => submittedAt !== null || sentStatuses.includes(status);

const outcomes: Partial<Record<SessionStatus, Counter>> = {
  verified: 'verified',
  expired: 'expired',
  failed: 'failed',
  canceled: 'canceled',
};

/**
 * The message that a session counts at: the last one that was sent, or the last one where none was. Undefined where there is none. They are in the
 * order in which they were made, which their ids keep: a second message of an earlier leg comes behind those of later legs.
 */
export const countedAt = ({ messages }: Session): Message | undefined => messages.findLast(isSent) ?? messages.at(-1);

/** The rows that a change adds to, `before` null where the session was opened. Rows that it leaves as they are are left out. */
export function rollupsOf(before: Session | null, after: Session): Rollup[] {
  if (before && before.messages === after.messages && before.status === after.status) return [];
  const rollups = new Map<string, Rollup>();
  if (before) count(rollups, before, -1);
  count(rollups, after, 1);
  return [...rollups.values()].filter(isSome);
}

/** Adds up what belongs to one row. */
export function summed(rollups: Iterable<Rollup>): Rollup[] {
  const sums = new Map<string, Rollup>();
  for (const { dimensions, counts, cost, platformCost } of rollups) {
    const sum = rowOf(sums, dimensions);
    for (let i = 0; i < counts.length; i += 1) sum.counts[i] = (sum.counts[i] ?? 0) + (counts[i] ?? 0);
    sum.cost = addAmounts(sum.cost, cost);
    sum.platformCost = addAmounts(sum.platformCost, platformCost);
  }
  return [...sums.values()].filter(isSome);
}

const isZero = (amount: string): boolean => /^-?[0.]*$/.test(amount);

const isSome = ({ counts, cost, platformCost }: Rollup): boolean =>
  counts.some((each) => each !== 0) || !isZero(cost) || !isZero(platformCost);

function rowOf(rows: Map<string, Rollup>, dimensions: Dimensions): Rollup {
  const { at, accountId, mode, operator, channel, prefix, currency } = dimensions;
  const key = `${at} ${accountId} ${mode} ${operator} ${channel} ${prefix} ${currency}`;
  const known = rows.get(key);
  if (known) return known;
  const row: Rollup = { dimensions, counts: Array(counters.length).fill(0), cost: '0', platformCost: '0' };
  rows.set(key, row);
  return row;
}

function count(rows: Map<string, Rollup>, session: Session, sign: 1 | -1): void {
  const last = countedAt(session);
  for (const message of session.messages) {
    const sent = isSent(message);
    if (!sent && message !== last && !message.cost) continue;
    const row = rowOf(rows, dimensionsOf(session, message));
    const add = (counter: Counter, by: number) => {
      const at = counterIndex[counter];
      row.counts[at] = (row.counts[at] ?? 0) + sign * by;
    };
    if (sent) countMessage(message, add);
    if (message === last) countSession(session, add);
    if (message.cost) addCost(row, message.cost, sign);
  }
}

const counterIndex = Object.fromEntries(counters.map((name, index) => [name, index])) as Record<Counter, number>;

type Add = (counter: Counter, by: number) => void;

function countMessage({ parts, status, submittedAt, finalAt }: Message, add: Add): void {
  add('sent', 1);
  add('parts', parts ?? 0);
  if (!isDelivered(status)) return;
  add('delivered', 1);
  if (submittedAt === null || finalAt === null) return;
  for (const border of borders) if (finalAt - submittedAt <= border * 1000) add(`delivered_within_${border}s`, 1);
}

function countSession(session: Session, add: Add): void {
  const { status, firstSendAt, verifiedAt } = session;
  add('sessions', 1);
  if (isUnreported(session)) add('unreported', 1);
  const outcome = outcomes[status];
  if (outcome) add(outcome, 1);
  const claim = claimOf(session);
  if (claim) add(claim, 1);
  if (status !== 'verified' || firstSendAt === null || verifiedAt === null) return;
  for (const border of borders) if (verifiedAt - firstSendAt <= border * 1000) add(`verified_within_${border}s`, 1);
}

/** Whether the outcome is not known here: the caller compares a code of its own, and has reported nothing. */
const isUnreported = ({ sealedCode, status, statusReason }: Session): boolean =>
  sealedCode !== null && status !== 'verified' && statusReason !== 'reported_fraud';

/** That a session is verified may be the caller's word alone: the code was its own, or it has reported on one that was made here. */
function claimOf({ sealedCode, status, statusReason }: Session): Counter | null {
  if (status !== 'verified') return null;
  if (sealedCode !== null) return 'verified_own_code';
  return statusReason === 'reported' ? 'verified_by_report' : null;
}

function addCost(row: Rollup, { amount, billedBy }: NonNullable<Message['cost']>, sign: 1 | -1): void {
  const signed = sign === 1 || isZero(amount) ? amount : `-${amount}`;
  if (billedBy === 'platform') row.platformCost = addAmounts(row.platformCost, signed);
  else row.cost = addAmounts(row.cost, signed);
}

const dimensionsOf = (
  { accountId, mode, to, createdAt }: Session,
  { operator, channel, cost }: Message,
): Dimensions => ({
  at: minuteOf(createdAt),
  accountId,
  mode,
  operator: operator ?? '',
  channel,
  prefix: prefixOf(to),
  currency: cost?.currency ?? '',
});
