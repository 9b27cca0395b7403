// The promises: what must hold at every commit, at every answer, and once all is quiet. Each complaint is one sentence with the ids it is about.

import type { OutgoingMessage } from '../../src/channels/channel.ts';
import { isInDoubt } from '../../src/core/verify/cascade.ts';
import type { Message, Session } from '../../src/core/verify/session.ts';
import { routeHeldBy } from '../../src/db/fleet/holder.ts';
import { mostPauseMs } from '../../src/engine/delivery/outgoing.ts';
import type { CheckResult } from '../../src/engine/engine.ts';
import { usualLeaseMs } from '../../src/engine/fleet/members.ts';
import {
  budgetsHold,
  keysHold,
  limitsHold,
  operationsAreStoredOnce,
  operationsHold,
  rightCodeOnce,
  triesAreCountedOnce,
} from './answers.ts';
import { appRoute } from './app-channel.ts';
import { operatorOf, smsRouteOf } from './carrier.ts';
import type { Call } from './clients.ts';
import { endedEarly } from './gaps.ts';
import { endTypes, inDoubtMs } from './process.ts';
import { receiptsAreKept, receiptsAreOfTheirPhones } from './receipt-promises.ts';
import type { Schedule } from './schedule.ts';
import type { World } from './world.ts';

export type Complain = (what: string) => void;

/** What was written before its connection broke arrives within this. */
const mostOnWireMs = 5;

/** After every commit of sessions. */
export function whileItRuns({ tables, schedule, over, givenUp, time }: World, complain: Complain): void {
  const pending = new Set<string>();
  for (const { session, messages, holder } of tables.sessions.values()) {
    const { id, status, to, purpose, attempts } = session;
    if (routeHeldBy(holder) === appRoute) complain(`${id} waits in a queue that no process looks at`);
    if (attempts > schedule.settings.maxAttempts) complain(`${id} counts ${attempts} tries, more than it allows`);
    const before = over.get(id);
    if (before && before !== status) complain(`${id} was ${before} and became ${status}`);
    if (status !== 'pending') over.set(id, status);
    else if (pending.has(`${to} ${purpose}`)) complain(`two sessions are pending for ${to}`);
    else pending.add(`${to} ${purpose}`);
    for (const { id: messageId, status: is } of messages.values())
      if (is === 'unknown' && !givenUp.has(messageId)) givenUp.set(messageId, time.now);
    if (messages.size > 1) eachLegOnce(id, [...messages.values()], session.timeline, complain);
    if (status === 'pending' && session.delivery === 'sending') noLongDoubt(session, messages, complain);
  }
}

/** A leg has one message. A second one is for one in doubt, once a run and never by a call, and the timeline says so. */
function eachLegOnce(
  id: string,
  messages: readonly Message[],
  timeline: Session['timeline'],
  complain: Complain,
): void {
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
      const ofRun = messages.filter((each) => each.run === run && each.attempt > 1 && !each.senderFallback);
      if (first?.attempt !== 1 || attempt !== 2 || channel === 'voice' || !isSaid || ofRun.length > 1)
        complain(`${id} has two messages of one leg`);
    }
  }
}

/** Nobody waits for longer than a doubt may last on a leg whose message is in doubt. */
function noLongDoubt(session: Session, messages: ReadonlyMap<string, Message>, complain: Complain): void {
  const { id, run, position, legEndsAt, timeline } = session;
  let current: Message | null = null;
  for (const each of messages.values()) if (each.run === run && each.position === position) current = each;
  if (!current || legEndsAt === null || !isInDoubt(current)) return;
  const since = timeline.findLast(({ kind, messageId }) => kind === 'message_unknown' && messageId === current.id)?.at;
  if (legEndsAt > (since ?? 0) + inDoubtMs) complain(`${id} waits on a message in doubt`);
}

/** When a message has reached its carrier. `writer`: the process that wrote it. */
export function onTaken(
  { tables, operators, givenUp, time, schedule, startsAt }: World,
  { message, writer }: { message: OutgoingMessage; writer: string },
  complain: Complain,
): void {
  const { id, sessionId, channel, route, to } = message;
  if (channel === 'sms' && route !== smsRouteOf(operatorOf(to))) complain(`${id} went to another operator by ${route}`);
  if ((operators.taken.get(id) ?? 0) > 1) complain(`${id} was submitted twice`);
  const status = tables.sessions.get(sessionId)?.messages.get(id)?.status;
  if (status === undefined || status === 'queued')
    complain(`${id} was written and is on record as ${status ?? 'nothing'}`);
  const lateMs = time.now - (givenUp.get(id) ?? time.now);
  const isGap = lateMs <= mostPauseMs && hasLostLease(schedule, writer, time.now - startsAt);
  if (lateMs > mostOnWireMs) complain(`${id} was written after it was given up${isGap ? `: ${endedEarly}` : ''}`);
}

/** Whether a fault has ended the process's lease that would still run. `at`: ms since the start. */
const hasLostLease = ({ faults }: Schedule, process: string, at: number): boolean =>
  faults.some(
    ({ kind, process: hit, at: since }) =>
      kind === 'lease' && `p${hit}` === process && since <= at && at < since + usualLeaseMs,
  );

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
  stopsLeaveNoDoubt(world, complain);
  receiptsAreKept(world, complain);
  receiptsAreOfTheirPhones(world, complain);
  eventsAreStored(world, complain);
  keysHold(world, complain);
  operationsHold(world, complain);
  operationsAreStoredOnce(world, complain);
  limitsHold(world, complain);
  budgetsHold(world, complain);
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
    else if (nextAt !== null) complain(`${id} is over and has a deadline for good`);
    for (const message of messages.values()) {
      if (message.status === 'queued' || message.status === 'submitting')
        complain(`${message.id} is ${message.status} for good`);
      if (message.holder !== null) complain(`${message.id} is in a process's hands for good`);
      if (message.channel === 'whatsapp' && message.submittedAt !== null && message.finalAt === null)
        complain(`${message.id} was taken by the app and has no end`);
    }
  }
  if (receipts.waiting > 0) complain(`${receipts.waiting} receipts were never acknowledged`);
  if (clients.busy > 0) complain(`${clients.busy} operations were never over`);
}

/** Processes that are asked to end, and nothing else that goes wrong: each message has its carrier's answer. */
function stopsLeaveNoDoubt({ tables, schedule }: World, complain: Complain): void {
  const { faults, settings } = schedule;
  if (settings.carrierTrouble > 0 || faults.some(({ kind }) => kind !== 'stop')) return;
  for (const { messages } of tables.sessions.values()) {
    for (const { id, channel, status } of messages.values())
      if (status === 'unknown' && channel !== 'whatsapp') complain(`${id} is in doubt, and processes only stopped`);
  }
}

/** For each endpoint what it wants: the one that wants everything has each event of each session once, without a gap. */
function eventsAreStored({ tables }: World, complain: Complain): void {
  const numbers = new Map<string, number[]>();
  const ofAll = tables.deliveries.filter(({ endpointId }) => endpointId === 'whe_all');
  const ofEnds = new Set(
    tables.deliveries.filter(({ endpointId }) => endpointId === 'whe_ends').map((row) => row.eventId),
  );
  for (const { eventId, type } of ofAll) {
    if (ofEnds.has(eventId) !== endTypes.includes(type)) complain(`an event ${type} is stored for the wrong endpoints`);
  }
  for (const { sessionId, body } of ofAll) {
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
