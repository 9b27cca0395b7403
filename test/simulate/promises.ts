// The promises: what must hold at every commit, at every answer, and once all is quiet. Each complaint is one sentence with the ids it is about.

import { isInDoubt } from '../../src/core/verify/cascade.ts';
import type { Message, Session } from '../../src/core/verify/session.ts';
import type { CheckResult, SendResult } from '../../src/engine/engine.ts';
import { type Call, numberOf } from './clients.ts';
import { type Done, failureWindowMs, inDoubtMs } from './process.ts';
import type { Settings } from './schedule.ts';
import type { StoredSession } from './store/tables.ts';
import type { World } from './world.ts';

type Complain = (what: string) => void;

/** After every commit of sessions. */
export function whileItRuns({ tables, schedule, over }: World, complain: Complain): void {
  const pending = new Set<string>();
  for (const { session, messages } of tables.sessions.values()) {
    const { id, status, to, purpose, attempts } = session;
    if (attempts > schedule.settings.maxAttempts) complain(`${id} counts ${attempts} tries, more than it allows`);
    const before = over.get(id);
    if (before && before !== status) complain(`${id} was ${before} and became ${status}`);
    if (status !== 'pending') over.set(id, status);
    else if (pending.has(`${to} ${purpose}`)) complain(`two sessions are pending for ${to}`);
    else pending.add(`${to} ${purpose}`);
    eachLegOnce(id, [...messages.values()], session.timeline, complain);
    if (status === 'pending' && session.delivery === 'sending') noLongDoubt(session, [...messages.values()], complain);
  }
}

/** A leg has one message. A second one is for one in doubt, once a run and never by a call, and the timeline says so. */
function eachLegOnce(
  id: string,
  messages: readonly Message[],
  timeline: Session['timeline'],
  complain: Complain,
): void {
  if (messages.length < 2) return;
  const legs = new Map<string, Message[]>();
  for (const message of messages) {
    const leg = `${message.run} ${message.position}`;
    legs.set(leg, [...(legs.get(leg) ?? []), message]);
  }
  for (const [first, ...more] of legs.values()) {
    for (const { id: messageId, attempt, channel, run, senderFallback } of more) {
      if (senderFallback && timeline.some((entry) => entry.kind === 'sender_fallback' && entry.messageId === messageId))
        continue;
      const isSaid = timeline.some((entry) => entry.kind === 'in_doubt_resend' && entry.messageId === messageId);
      const ofRun = messages.filter((each) => each.run === run && each.attempt > 1);
      if (first?.attempt !== 1 || attempt !== 2 || channel === 'voice' || !isSaid || ofRun.length > 1)
        complain(`${id} has two messages of one leg`);
    }
  }
}

/** Nobody waits for longer than a doubt may last on a leg whose message is in doubt. */
function noLongDoubt(session: Session, messages: readonly Message[], complain: Complain): void {
  const { id, run, position, legEndsAt, timeline } = session;
  const current = messages.findLast((each) => each.run === run && each.position === position);
  if (!current || legEndsAt === null || !isInDoubt(current)) return;
  const since = timeline.findLast(({ kind, messageId }) => kind === 'message_unknown' && messageId === current.id)?.at;
  if (legEndsAt > (since ?? 0) + inDoubtMs) complain(`${id} waits on a message in doubt`);
}

/** When a message has reached its carrier. */
export function onTaken(
  { tables, operator }: World,
  { id, sessionId }: { id: string; sessionId: string },
  complain: Complain,
): void {
  if ((operator.taken.get(id) ?? 0) > 1) complain(`${id} was submitted twice`);
  const status = tables.sessions.get(sessionId)?.messages.get(id)?.status;
  if (status === undefined || status === 'queued')
    complain(`${id} was written and is on record as ${status ?? 'nothing'}`);
}

/** When a client has its answer: what it says is stored. */
export function onAnswer({ tables }: World, { answer }: Call, complain: Complain): void {
  if (answer?.kind !== 'answered') return;
  const { result } = answer;
  if (!('session' in result) || typeof result.session !== 'object') return;
  const { id, sends } = result.session as { id: string; sends: number };
  const stored = tables.sessions.get(id)?.session;
  const kind: string = result.kind;
  if (!stored) {
    complain(`${id} was answered (${kind}) and is not stored`);
    return;
  }
  if (kind === 'sent' && stored.sends < sends) complain(`send ${sends} of ${id} was answered and is not stored`);
  if (kind === 'canceled' && stored.status !== 'canceled') complain(`${id} was canceled and is ${stored.status}`);
  if (isValid(result as CheckResult) && stored.status !== 'verified')
    complain(`${id} was verified and is ${stored.status}`);
}

const isValid = (result: CheckResult): boolean => result.kind === 'checked' && result.checked.valid;

export function atTheEnd(world: World, complain: Complain): void {
  allIsOver(world, complain);
  receiptsAreKept(world, complain);
  eventsAreStored(world, complain);
  keysHold(world, complain);
  operationsHold(world, complain);
  operationsAreStoredOnce(world, complain);
  limitsHold(world, complain);
  for (const row of world.tables.sessions.values()) {
    triesAreCountedOnce(world, row, complain);
    rightCodeOnce(world, row, complain);
  }
}

function allIsOver({ tables, time, receipts, clients }: World, complain: Complain): void {
  for (const { session, messages } of tables.sessions.values()) {
    const { id, status, nextAt } = session;
    const lateMs = time.now - (nextAt ?? session.expiresAt);
    if (status === 'pending') complain(`${id} is pending, ${Math.round(lateMs)} ms past its deadline`);
    for (const message of messages.values()) {
      if (message.status === 'queued' || message.status === 'submitting')
        complain(`${message.id} is ${message.status} for good`);
      if (message.holder !== null) complain(`${message.id} is in a process's hands for good`);
    }
  }
  if (receipts.waiting > 0) complain(`${receipts.waiting} receipts were never acknowledged`);
  if (clients.busy > 0) complain(`${clients.busy} operations were never over`);
}

/** With its own message, or with another of its phone where its id is not known: its time tells. */
function receiptsAreKept({ tables, receipts }: World, complain: Complain): void {
  for (const { message, receipt, acknowledged } of receipts.given) {
    if (!acknowledged) continue;
    const isStored = [...tables.sessions.values()].some(({ receipts: stored }) =>
      stored.some(
        ({ status, operatorTimestamp: at }) =>
          status === receipt.receipt.status && at === receipt.receipt.operatorTimestamp,
      ),
    );
    const isParked = [...tables.parked.values()].some((row) => row.receipt?.references[0] === receipt.references[0]);
    if (!isStored && !isParked)
      complain(`the receipt ${receipt.receipt.status} of ${message.id} was acknowledged and is lost`);
  }
}

function eventsAreStored({ tables }: World, complain: Complain): void {
  const numbers = new Map<string, number[]>();
  for (const { sessionId, body } of tables.deliveries) {
    const { session_sequence: sequence } = JSON.parse(body) as { session_sequence: number };
    if (sequence > 0) numbers.set(sessionId, [...(numbers.get(sessionId) ?? []), sequence]);
  }
  for (const { session } of tables.sessions.values()) {
    const stored = (numbers.get(session.id) ?? []).sort((a, b) => a - b);
    const wanted = Array.from({ length: session.eventSequence }, (_, index) => index + 1);
    if (String(stored) !== String(wanted)) {
      complain(`${session.id} has emitted ${session.eventSequence} events, and the webhooks stored are ${stored}`);
    }
  }
}

/** What an answer says of its effect; null where it had none. */
function effectOf({ answer }: Pick<Call, 'answer'> | Done): { fresh: boolean; text: string } | null {
  if (answer?.kind !== 'answered') return null;
  const result = answer.result as SendResult | CheckResult;
  if (result.kind === 'replayed') return { fresh: false, text: JSON.stringify(result.answer) };
  if (result.kind === 'sent') {
    return { fresh: true, text: JSON.stringify({ id: result.session.id, sends: result.session.sends }) };
  }
  if (result.kind !== 'checked') return null;
  const { reason } = result.checked;
  return reason === null || reason === 'incorrect_code' ? { fresh: true, text: JSON.stringify(result.checked) } : null;
}

const byKey = (calls: readonly Call[]) =>
  Map.groupBy(
    calls.filter(({ key }) => key !== null),
    ({ key }) => key,
  );

/** One key, one effect, one answer. */
function keysHold({ clients }: World, complain: Complain): void {
  for (const [key, calls] of byKey(clients.calls)) {
    const effects = calls.map(effectOf).filter((effect) => effect !== null);
    if (effects.filter(({ fresh }) => fresh).length > 1) complain(`${key} was done twice`);
    const texts = new Set(effects.map(({ text }) => text));
    if (texts.size > 1) complain(`${key} was answered in two ways: ${[...texts].join(' and ')}`);
  }
}

/** A call that two processes do is answered alike by both, as far as each says that it did it. */
function operationsHold({ done }: World, complain: Complain): void {
  for (const all of done.values()) {
    const did = all.filter((each) => effectOf(each) !== null);
    if (did.length < 2) continue;
    const sessions = new Set(did.map(sessionOf).filter((session) => session !== null));
    // A send is answered by its session as it is by then.
    const texts = new Set(did.map((each) => effectOf(each)?.text.replace(/,"sends":\d+/, '')));
    const kind = did[0]?.kind ?? 'call';
    if (sessions.size > 1) complain(`a ${kind} was done in two sessions`);
    else if (texts.size > 1) complain(`a ${kind} was answered in two ways: ${[...texts].join(' and ')}`);
  }
}

/** A check or a resend is noted in the timeline of its session, and a send that opens one gives it its id. */
function operationsAreStoredOnce({ tables }: World, complain: Complain): void {
  const stored = new Set<string>(tables.sessions.keys());
  for (const { session } of tables.sessions.values()) {
    for (const { operation, kind } of session.timeline) {
      if (operation === undefined) continue;
      if (stored.has(operation)) complain(`a ${kind === 'code_checked' ? 'check' : 'send'} was done twice`);
      stored.add(operation);
    }
  }
}

const isUnanswered = ({ answer }: Call): boolean => answer?.kind !== 'answered';

/**
 * Whether the call may have had an effect that its answer does not say: it has none, or says of none, and another process than the one that
 * answered may have done it before or after.
 */
const mayHaveMore = (call: Call, { hasOwners }: Settings): boolean =>
  isUnanswered(call) || (hasOwners && effectOf(call) === null);

/** Calls that may have had one effect: those without an answer, but a key has one effect at most. */
function possible(calls: readonly Call[], settings: Settings): number {
  const unkeyed = calls.filter((call) => call.key === null && (mayHaveMore(call, settings) || effectOf(call)?.fresh));
  const keys = [...byKey(calls).values()].filter((same) =>
    same.some((call) => mayHaveMore(call, settings) || effectOf(call)),
  );
  return unkeyed.length + keys.length;
}

function triesAreCountedOnce({ clients, schedule }: World, { session }: StoredSession, complain: Complain): void {
  const { id, attempts, timeline } = session;
  const noted = timeline.filter(({ kind }) => kind === 'code_checked').length;
  if (noted !== attempts) complain(`${id} counts ${attempts} tries, and its timeline ${noted}`);
  const checks = clients.calls.filter(({ operation }) => operation.kind === 'check');
  const answered = checks.filter((call) => sessionOf(call) === id && effectOf(call)?.fresh === true).length;
  if (answered > attempts) complain(`${answered} tries of ${id} were answered and ${attempts} are counted`);
  const mayBeIts = checks.filter((call) => {
    const named = sessionOf(call);
    return named === id || (named === null && numberOf(call.operation.number) === session.to);
  });
  const most = possible(mayBeIts, schedule.settings);
  if (attempts > most) complain(`${id} counts ${attempts} tries, and clients made ${most}`);
}

/** The session an answer names; null where there is no answer or it names none. */
function sessionOf({ answer }: Call | Done): string | null {
  if (answer?.kind !== 'answered' || !('session' in answer.result)) return null;
  return (answer.result.session as { id: string }).id;
}

function rightCodeOnce({ clients, schedule }: World, { session }: StoredSession, complain: Complain): void {
  const right = clients.calls.filter(({ typed }) => typed?.sessionId === session.id);
  const valid = right.filter((call) => effectOf(call)?.text.includes('"valid":true'));
  const once = new Set(valid.map((call) => call.key ?? call));
  if (once.size > 1) complain(`the right code of ${session.id} was valid ${once.size} times`);
  if (session.status !== 'verified' || once.size === 1) return;
  const mayHave = right.filter((call) => {
    if (!mayHaveMore(call, schedule.settings)) return false;
    return call.key === null || !right.some((same) => same.key === call.key && effectOf(same) !== null);
  });
  const isRefused = (call: Call) =>
    call.key !== null && right.some((same) => same.key === call.key && !isUnanswered(same));
  if (mayHave.length === 0) complain(`${session.id} was verified, and no right code was answered so`);
  else if (mayHave.every(isRefused)) complain(`${session.id} was verified by a key that was answered otherwise`);
}

function limitsHold({ tables, schedule, clients, time }: World, complain: Complain): void {
  const { settings } = schedule;
  const lastedSeconds = (time.now - (clients.calls[0]?.askedAt ?? time.now)) / 1000;
  const sessions = [...tables.sessions.values()].map(({ session }) => session);
  const mostSends = Math.floor(Math.min(settings.perNumber, settings.platformPerNumber) * (1 + lastedSeconds / 3600));
  let all = 0;
  for (const [to, same] of Map.groupBy(sessions, (session) => session.to)) {
    const sends = same.reduce((sum, session) => sum + session.sends, 0);
    all += sends;
    if (sends > mostSends) complain(`${to} was sent to ${sends} times, of ${mostSends}`);
    const wrong = clients.calls.filter(
      (call) =>
        numberOf(call.operation.number) === to &&
        effectOf(call)?.fresh === true &&
        effectOf(call)?.text.includes('incorrect_code'),
    ).length;
    const windows = Math.floor((lastedSeconds * 1000 + 3_000) / failureWindowMs) + 1;
    if (wrong > settings.failures * windows)
      complain(`${wrong} wrong codes of ${to} were answered, of ${settings.failures} a window`);
  }
  const burst = Math.max(settings.accountBurst, settings.accountPerSecond);
  const most = burst + settings.accountPerSecond * lastedSeconds;
  if (all > most) complain(`${all} sends of the account, of ${Math.floor(most)}`);
}
