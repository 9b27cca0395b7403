// The line of one session: the jobs that wait for it, and the one change that they make together. Pure but for the promises that are settled
// at the end; sessions.ts runs it.

import type { KeyBudget } from '../../core/limits/budget.ts';
import type { Finding } from '../../core/limits/verdict.ts';
import { advance } from '../../core/verify/advance.ts';
import type { Effect, Event, Outcome, World } from '../../core/verify/event.ts';
import type { Session } from '../../core/verify/session.ts';
import type { Patience } from '../../db/batch.ts';
import type { Spent } from '../../db/limits/number-tokens.ts';
import { isRepeatedKey, isRepeatedOperation } from '../../db/verify/open.ts';
import type { SaveResult } from '../../db/verify/save.ts';
import type { Answers } from '../context.ts';
import type { Extras } from './change.ts';
import type { Idempotency } from './store.ts';

export type Applied =
  /** `held`: this process is to send what is outgoing in the session. */
  | {
      kind: 'applied';
      outcome: Outcome;
      session: Session;
      held: boolean;
      /** What a budget has found: some leg could not be paid for. */
      finding?: Finding;
    }
  | { kind: 'not_found' }
  /** Too many wrong codes for this number; nothing was counted. Until then, Unix ms; null = until the operator unlocks it. */
  | { kind: 'number_locked'; until: number | null }
  /** The number has had as many sends as it may have. */
  | { kind: 'number_spent'; by: Spent }
  /** A block list has refused the resend, which nothing else does but maybe its number. Nothing was stored or paid. */
  | { kind: 'blocked'; finding: Finding };

export interface ApplyOptions {
  /**
   * Ignores the event unless this process holds the session, or was writing the message that the event gives back: its report of a message
   * is out of date once another process has taken the message over.
   */
  onlyIfHeld?: boolean;
  /** No caller waits for it: it may be saved some milliseconds later, together with what comes next. */
  patient?: Patience;
  /** The reference by which the carrier's receipts will name the message; stored with the answer that brought it. */
  reference?: { messageId: string; operator: string; reference: string };
  /** The event makes room for a send, whose token of the number it takes: where that can't be had, the event is refused. */
  takesToken?: boolean;
  /** Budgets of the call's API key, which pay for what it sends. */
  keys?: readonly KeyBudget[];
  /** What a block list says of the number of a resend: the answer where the resend would be saved. */
  blocked?: Finding;
  /** Stores the answer of a check or a resend under the key in the same statement, when the event changed anything. */
  idempotency?: Idempotency;
}

export interface Job {
  event: Event | ((session: Session) => Event);
  options: ApplyOptions;
  resolve(applied: Applied): void;
  reject(error: unknown): void;
}

/**
 * Whether the session in memory is older than what an event is about: a message that another process has stored since, or a deadline that
 * it has set or moved. A save would find that out, but an event that memory ignores is never saved: its receipt would be acknowledged and lost.
 */
export const isOlderThan = (jobs: readonly Job[], { messages, nextAt }: Session, now: number): boolean =>
  jobs.some(({ event }) => {
    if (typeof event === 'function') return false;
    if (event.kind === 'deadline') return nextAt === null || nextAt > now;
    return 'messageId' in event && !messages.some(({ id }) => id === event.messageId);
  });

/**
 * All jobs waiting, but at most one that a limit may refuse or that has an Idempotency-Key: a save answers one. If five checks were
 * counted in one save, they could only be refused together, even when two tries were left.
 */
export function takeJobs(jobs: Job[]): Job[] {
  const alone = (job: Job) => isLimited(job) || job.options.idempotency !== undefined;
  const first = jobs.findIndex(alone);
  const second = jobs.findIndex((job, index) => index > first && alone(job));
  return jobs.splice(0, first < 0 || second < 0 ? jobs.length : second);
}

/** A check, whose event is made from the session it meets. */
const isCheck = ({ event }: Job): boolean => typeof event === 'function';
/** A check, a resend, or room for a send. A save has one at most, so that a refusal of the save is the answer to that one. */
const isLimited = (job: Job): boolean =>
  isCheck(job) || job.options.takesToken === true || (job.event as Event).kind === 'resend';

export interface Work {
  next: Session;
  effects: Effect[];
  outcomes: { job: Job; outcome: Outcome }[];
  extras: Extras;
}

export function advanceAll(
  before: Session,
  jobs: readonly Job[],
  { world, held, answers }: { world: World; held: boolean; answers: Answers },
): Work {
  const work: Work = {
    next: before,
    effects: [],
    outcomes: [],
    extras: { references: [], idempotency: null, guarded: false, failures: 0, sends: 0, operation: null },
  };
  for (const job of jobs) {
    const event = typeof job.event === 'function' ? job.event(work.next) : job.event;
    if (job.options.onlyIfHeld && !held && !isWritersOwn(event, work.next)) {
      work.outcomes.push({ job, outcome: { kind: 'ignored', reason: 'another process has taken over' } });
      continue;
    }
    const { next, effects, outcome } = advance(work.next, event, world);
    work.effects.push(...effects);
    work.outcomes.push({ job, outcome });
    const { extras } = work;
    // A check that only finds its session run out compares nothing: as one without a wrong code it would pass for a right one.
    const isTry = outcome.kind === 'checked' && next.attempts > work.next.attempts;
    if (isTry) {
      extras.guarded = true;
      if (outcome.reason === 'incorrect_code') extras.failures += 1;
    }
    if (event.kind === 'resend' && next !== work.next && outcome.kind === 'resent') {
      extras.sends += 1;
      extras.operation = event.operation ?? null;
    }
    if (job.options.takesToken && outcome.kind === 'done') extras.sends += 1;
    if (job.options.reference && next !== work.next) extras.references.push(job.options.reference);
    const { idempotency } = job.options;
    const isKept = next !== work.next && (outcome.kind !== 'checked' || isTry);
    const answer = isKept ? answerTo(outcome, next, answers) : null;
    if (idempotency && answer !== null) extras.idempotency = { ...idempotency, answer };
    work.next = next;
  }
  return work;
}

/** Whether what is stored may allow what memory refuses: since the run has exhausted its legs, a resend need not wait. */
export const mayBeOutdated = ({ outcomes }: Pick<Work, 'outcomes'>): boolean =>
  outcomes.some(({ outcome }) => outcome.kind === 'resend_too_soon');

/** Whether the writer of a message gives it back: the holder of the session may not know what became of it. */
const isWritersOwn = (event: Event, { messages }: Session): boolean =>
  event.kind === 'not_sent' && messages.some(({ id, holder }) => id === event.messageId && holder === event.holder);

/** Null where the caller has not been served yet: a resend that finds its session over goes on to a new one. */
function answerTo(outcome: Outcome, session: Session, answers: Answers): unknown {
  if (outcome.kind === 'checked') return answers.checked(outcome, session);
  return outcome.kind === 'resent' ? answers.sent(session) : null;
}

/** The refusal of a resend that is about to be saved; null where there is none. */
export function blockedIn({ extras, outcomes }: Work): Applied | null {
  const blocked = extras.sends > 0 && outcomes.find(({ job }) => job.options.blocked)?.job.options.blocked;
  return blocked ? { kind: 'blocked', finding: blocked } : null;
}

export function settle(
  outcomes: Work['outcomes'],
  session: Session,
  held: boolean,
  finding: Finding | null = null,
): void {
  const found = finding ? { finding } : {};
  for (const { job, outcome } of outcomes) job.resolve({ kind: 'applied', outcome, session, held, ...found });
}

/** Jobs that are saved together wait as the most pressing of them may. */
export function patienceOf(jobs: readonly Job[]): Patience {
  if (!jobs.every(({ options }) => options.patient)) return false;
  return jobs.some(({ options }) => options.patient === 'briefly') ? 'briefly' : true;
}

/** An Idempotency-Key, or the id of a resend, that was used meanwhile fails its own job only; the others start again without it. */
export function failedBy(error: unknown, jobs: readonly Job[]): readonly Job[] {
  if (isRepeatedKey(error)) return jobs.filter((job) => job.options.idempotency);
  return isRepeatedOperation(error) ? jobs.filter(isLimited) : jobs;
}

/** Answers the job that a limit refuses; the others start again. */
export function refuseLimited(jobs: Job[], refusal: Applied): Job[] {
  for (const job of jobs.filter(isLimited)) job.resolve(refusal);
  return jobs.filter((job) => !isLimited(job));
}

/** The answer to the job that a limit refuses in the save. */
export const refusalOf = (result: Exclude<SaveResult, { kind: 'saved' | 'stale' }>): Applied =>
  result.kind === 'locked' ? { kind: 'number_locked', until: result.until } : { kind: 'number_spent', by: result.by };
