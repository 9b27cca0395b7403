// The cascade: the choice of the next leg, and the start, progress, exhaustion and stop of a run. Every event that ends a leg comes
// through here, so that a leg is never left with a message that nothing waits for.

import type { StopReason } from './call.ts';
import { type Draft, emit, note, patchMessage, settleDeadline } from './draft.ts';
import type { Note, SkippedLeg } from './event.ts';
import { isDelivered, isOutgoing, type Leg, type Message, type Session, type SkipReason } from './session.ts';

/** Starts the leg at `position` of the run under way, or the next one that can be used; ends the cascade when there is none. */
export function startLeg(draft: Draft, position: number): void {
  for (let at = position; at < draft.session.legs.length; at += 1) if (begin(draft, at, 1)) return;
  endCascade(draft);
}

/** A leg that is skipped has no message, which would say whose number it is. */
export const whySkipped = ({ reason, operator }: SkippedLeg): Pick<Note, 'reason' | 'detail'> =>
  operator === undefined ? { reason } : { reason, detail: operator };

/** Makes the leg's message; false, and noted why, where the leg can't be used. */
function begin(draft: Draft, position: number, attempt: number): boolean {
  const { session, world } = draft;
  const leg = session.legs[position] as Leg;
  const { channel } = leg;
  const plan = world.plan(session, leg);
  if (plan.kind === 'skip') {
    note(draft, { kind: 'leg_skipped', position, channel, ...whySkipped(plan) });
    return false;
  }
  const message = newMessage(draft, { position, attempt }, leg, plan);
  session.messages.push(message);
  session.position = position;
  session.legEndsAt = world.now + leg.timeoutMs;
  note(draft, {
    kind: attempt === 1 ? 'leg_started' : 'in_doubt_resend',
    position,
    channel,
    messageId: message.id,
  });
  draft.effects.push({ kind: 'send', messageId: message.id, route: plan.route });
  return true;
}

/** Ends the current leg (the caller has recorded why), and goes to the next one. Behind a resend in doubt all legs have had their turn. */
export function moveOn(draft: Draft): void {
  withdraw(draft, 'leg_over');
  if (hasResentInDoubt(draft.session)) endCascade(draft);
  else startLeg(draft, draft.session.position + 1);
}

/** No leg is left. A message in doubt has its time first, and then goes out once more: the person may have had no code at all. */
function endCascade(draft: Draft): void {
  const { session, world } = draft;
  session.position = session.legs.length;
  const message = world.rules.inDoubtResend ? toResendInDoubt(session) : undefined;
  if (!message) {
    exhaust(draft);
    return;
  }
  session.delivery = 'sending';
  const dueAt = doubtedAt(session, message) + world.rules.inDoubtMs;
  if (world.now < dueAt) session.legEndsAt = dueAt;
  else if (!begin(draft, message.position, 2)) exhaust(draft);
}

/**
 * The first message of the run in doubt; none where one of the run was sent again already. A call in doubt may have rung, and the carrier
 * of a message with a receipt has it.
 */
const toResendInDoubt = (session: Session): Message | undefined =>
  hasResentInDoubt(session)
    ? undefined
    : session.messages.find((message) => message.run === session.run && isInDoubt(message));

const hasResentInDoubt = ({ messages, run }: Session): boolean =>
  messages.some((message) => message.run === run && message.attempt > 1);

/** Whether nothing at all is known of a message that may have been taken. */
export const isInDoubt = ({ status, finalAt, receipts, channel }: Message): boolean =>
  channel !== 'voice' && status === 'unknown' && finalAt === null && receipts.length === 0;

const doubtedAt = ({ timeline }: Session, { id, createdAt }: Message): number =>
  timeline.findLast(({ kind, messageId }) => kind === 'message_unknown' && messageId === id)?.at ?? createdAt;

/** The message came to be in doubt: its leg ends sooner, and a cascade that has ended goes on. */
export function doubt(draft: Draft, message: Message): void {
  const { session, world } = draft;
  if (isCurrentLeg(session, message)) {
    session.legEndsAt = Math.min(session.legEndsAt ?? Number.POSITIVE_INFINITY, world.now + world.rules.inDoubtMs);
  } else if (session.status === 'pending' && session.delivery === 'exhausted' && message.run === session.run) {
    endCascade(draft);
  }
}

/**
 * The carrier has a message that was in doubt: its leg has its whole time, and it goes out no second time, unless it has `failed`.
 */
export function endDoubt(draft: Draft, message: Message, { failed = false } = {}): void {
  const { session } = draft;
  const leg = session.legs[message.position];
  if (!leg || !isInDoubt(message)) return;
  const again = session.messages.find((each) => isCurrentLeg(session, each) && each.attempt > 1 && isOutgoing(each));
  const isAgain = again !== undefined && again.run === message.run && again.position === message.position;
  if (isAgain ? failed : !isCurrentLeg(session, message)) return;
  session.legEndsAt = message.createdAt + leg.timeoutMs;
  if (isAgain) stop(draft, again, 'leg_over');
}

/** Whether the message is sent once more for a doubt that is over before it was written. What has been written is waited for. */
function isNeedless({ messages }: Session, { run, position, attempt, status }: Message): boolean {
  const isWritten = status !== 'queued' && status !== 'submitting' && status !== 'withdrawn';
  if (attempt === 1 || isWritten) return false;
  return messages.some(
    (each) => each.run === run && each.position === position && each.attempt === 1 && isWithCarrier(each),
  );
}

const isWithCarrier = ({ status, receipts }: Message): boolean =>
  status === 'submitted' || isDelivered(status) || (status === 'unknown' && receipts.length > 0);

/**
 * Stops the run: a code arrived, a new run starts, or the session is over. Nothing further may be sent, and queued messages are
 * withdrawn. `own`: the message whose delivery is the reason; its call goes on.
 */
export function stopSending(draft: Draft, why: StopReason, own?: Message): void {
  withdraw(draft, why, own);
  draft.session.position = draft.session.legs.length;
}

/**
 * True while `message` is the one whose receipt the run is waiting for: the current leg's, and of two in one leg the later, unless that one is
 * not wanted any more.
 */
export function isCurrentLeg(session: Session, message: Message): boolean {
  const { run, position, messages } = session;
  const isCurrent = session.status === 'pending' && session.delivery === 'sending';
  if (!isCurrent || message.run !== run || message.position !== position) return false;
  const isInLeg = (each: Message) => each.run === run && each.position === position && !isNeedless(session, each);
  return messages.findLast(isInLeg)?.id === message.id;
}

/** Why nothing more goes out for an account by a channel, whatever the route. */
const ofAccount = ['budget_exhausted', 'in_country_only', 'account_suspended'] as const satisfies SkipReason[];

/** What the account does not have, or may not have, by the channel of the message's leg; null where nothing stops it. */
export function stoppedByAccount({ session, world }: Draft, { position }: Message): (typeof ofAccount)[number] | null {
  const plan = world.plan(session, session.legs[position] as Leg);
  return plan.kind === 'skip' ? (ofAccount.find((reason) => reason === plan.reason) ?? null) : null;
}

/**
 * The sender of `refused` is refused for every recipient, said its carrier after it had taken the message: the code goes out once more in
 * the same leg.
 */
export function sendElsewhere(draft: Draft, refused: Message, to: { route: string; senderId: string }): void {
  const { position, attempt, channel } = refused;
  const reason = stoppedByAccount(draft, refused);
  if (reason) {
    note(draft, { kind: 'leg_skipped', position, channel, messageId: refused.id, reason });
    moveOn(draft);
    return;
  }
  const plan = { route: to.route, operator: refused.operator, senderId: to.senderId };
  const message = { ...newMessage(draft, { position, attempt }, { channel }, plan), senderFallback: true };
  draft.session.messages.push(message);
  const about = { position, channel, messageId: message.id };
  note(draft, { kind: 'sender_fallback', ...about, reason: 'sender_id_refused', detail: to.senderId });
  draft.effects.push({ kind: 'send', messageId: message.id, route: to.route });
}

/** The client hears of it once a run. */
function exhaust(draft: Draft): void {
  const { session } = draft;
  session.delivery = 'exhausted';
  const wasExhausted = session.timeline.some(({ kind, run }) => kind === 'delivery_exhausted' && run === session.run);
  note(draft, { kind: 'delivery_exhausted' });
  if (!wasExhausted) emit(draft, 'session.delivery_exhausted');
  settleDeadline(draft);
}

/** Why a message that is being written, or a call that is under way, is no longer wanted; null where it may go on, or there is none. */
export function stopReasonOf(session: Session, message: Message): StopReason | null {
  if (message.holder === null) return null;
  if (session.status !== 'pending') return 'session_over';
  if (isAnswered(message) || isCurrentLeg(session, message)) return null;
  return session.delivery === 'delivered' ? 'delivered_elsewhere' : 'leg_over';
}

/**
 * Why a call that only begins to ring is not wanted any more. What was asked for before may not have reached it; and where its process was
 * taken for dead meanwhile, another leg has begun.
 */
export function unwantedAt(session: Session, message: Message): StopReason | null {
  const { call, holder } = message;
  const isLost = call !== null && !call.ended && holder === null;
  return isLost ? reasonOfLost(session) : stopReasonOf(session, message);
}

export const reasonOfLost = ({ status }: Session): StopReason => (status === 'pending' ? 'leg_over' : 'session_over');

/** Whether the message is a call that was answered: it ends by itself, or with its session. */
export const isAnswered = ({ call, status }: Message): boolean => call?.answeredAt != null || isDelivered(status);

/** Whether a call of the session is under way. A phone is not called a second time before the first call is over. */
export const isCalling = ({ messages }: Session): boolean => messages.some(isCallInHand);

/** Whether the message is a call that is being made or not over yet. */
export const isCallInHand = ({ channel, holder }: Message): boolean => channel === 'voice' && holder !== null;

/** The call before it is over, and a resend's own call may begin. */
export function sendWaitingCall({ session, effects }: Draft): void {
  const waits = (each: Message) => each.channel === 'voice' && each.status === 'queued' && isCurrentLeg(session, each);
  const message = session.messages.find(waits);
  if (!message || effects.some((effect) => effect.kind === 'send' && effect.messageId === message.id)) return;
  effects.push({ kind: 'send', messageId: message.id, route: message.route });
}

/** Asks the message's channel to stop what can be stopped, in the process that it stays with where there is one. */
export function askToStop({ effects }: Draft, { id, channel, holder }: Message, why: StopReason): void {
  effects.push({ kind: 'withdraw', messageId: id, channel, why, holder });
}

/**
 * Withdraws every message that was not written yet, and asks for the end of calls: of those that ring, and where the session is over of
 * those that were answered. A message in `submitting` may already be on the wire, so its state is left to its answer.
 */
function withdraw(draft: Draft, why: StopReason, own?: Message): void {
  for (const message of draft.session.messages) {
    const stops = message.holder === null ? isOutgoing(message) : why === 'session_over' || !isAnswered(message);
    if (message.id !== own?.id && stops) stop(draft, message, why);
  }
}

function stop(draft: Draft, message: Message, why: StopReason): void {
  askToStop(draft, message, why);
  if (message.status !== 'queued') return;
  noteBusy(draft, message);
  patchMessage(draft, message.id, { status: 'withdrawn', finalAt: draft.world.now });
  const { run, position, channel, id } = message;
  note(draft, { kind: 'message_withdrawn', run, position, channel, messageId: id });
}

/** Once, when the wait for a carrier that has put the message off is over: why it took so long, or ended with nothing. */
export function noteBusy(draft: Draft, { id, refusals, errorCode, run, position, channel }: Message): void {
  const wasNoted = draft.session.timeline.some(({ kind, messageId }) => kind === 'operator_busy' && messageId === id);
  if (refusals === 0 || wasNoted) return;
  note(draft, { kind: 'operator_busy', run, position, channel, messageId: id, detail: `${refusals} × ${errorCode}` });
}

function newMessage(
  draft: Draft,
  { position, attempt }: Pick<Message, 'position' | 'attempt'>,
  leg: Pick<Leg, 'channel'>,
  plan: { route: string; operator: string | null; senderId: string | null },
): Message {
  return {
    id: draft.world.newMessageId(draft.session.messages.at(-1)?.id ?? null),
    run: draft.session.run,
    position,
    attempt,
    channel: leg.channel,
    route: plan.route,
    operator: plan.operator,
    status: 'queued',
    reason: null,
    errorCode: null,
    refusals: 0,
    senderId: plan.senderId,
    senderFallback: false,
    providerMessageId: null,
    parts: null,
    createdAt: draft.world.now,
    submittedAt: null,
    finalAt: null,
    tariff: null,
    cost: null,
    reserve: null,
    call: null,
    holder: null,
    receipts: [],
  };
}
