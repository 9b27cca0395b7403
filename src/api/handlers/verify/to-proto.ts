// From the session of core to the messages of the wire: milliseconds become timestamps and seconds, null becomes absent.
// Never a code: core's session has none.

import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Cost } from '../../../core/money/cost.ts';
import type { Checked } from '../../../core/verify/event.ts';
import { resendAfterOf } from '../../../core/verify/resend.ts';
import type { Rules } from '../../../core/verify/rules.ts';
import type { Leg, Message, Session, StoredReceipt, TimelineEntry } from '../../../core/verify/session.ts';
import {
  type CallView,
  type CostView,
  callView,
  messageView,
  receiptView,
  sessionView,
} from '../../../core/verify/view.ts';
import type { ListedSession } from '../../../db/verify/list.ts';
import type { CallSchema, CostSchema, ReceiptSchema } from '../../../gen/ramz/v1/receipt_pb.ts';
import {
  type Autofill as AutofillMessage,
  type CascadeLegSchema,
  type MessageSchema,
  type Session as SessionMessage,
  SessionSchema,
  type SessionSummary,
  SessionSummarySchema,
  type TimelineEntrySchema,
} from '../../../gen/ramz/v1/session_pb.ts';
import {
  type CheckResponse,
  CheckResponseSchema,
  type SendResponse,
  SendResponseSchema,
} from '../../../gen/ramz/v1/verify_pb.ts';

/** `{ verifiedAt: … }`, or nothing where the time is null: absent fields are not set to undefined. */
const at = <Name extends string>(name: Name, ms: number | null) =>
  (ms === null ? {} : { [name]: timestampFromMs(ms) }) as { [N in Name]?: ReturnType<typeof timestampFromMs> };

export function toSendResponse(session: Session, rules: Rules, now: number): SendResponse {
  const { id, status, delivery, to, purpose, legs } = session;
  return create(SendResponseSchema, {
    id,
    status,
    delivery,
    to,
    purpose,
    test: session.mode === 'test',
    // The legs of this run: a resend may start further down the cascade.
    channel: legs[0]?.channel ?? session.channel,
    cascade: legs.map(toLeg),
    ...at('createdAt', session.createdAt),
    ...at('expiresAt', session.expiresAt),
    ...at('resendAfter', resendAfterOf(session, rules, now)),
  });
}

export function toCheckResponse({ valid, reason, attemptsRemaining }: Checked, session: Session): CheckResponse {
  const { id, status, mode } = session;
  return create(CheckResponseSchema, {
    valid,
    id,
    status,
    reason: reason ?? '',
    attemptsRemaining,
    test: mode === 'test',
    ...at('verifiedAt', session.verifiedAt),
  });
}

/** The whole story of a session. */
export function toSessionMessage(
  session: Session,
  receipts: readonly StoredReceipt[],
  rules: Rules,
  now: number,
): SessionMessage {
  const costs = session.messages.map(({ cost }) => cost);
  return create(SessionSchema, {
    ...plain(session, rules, costs, now),
    messages: session.messages.map((message) => toMessage(session, message, receipts)),
    timeline: session.timeline.map(toTimelineEntry),
  });
}

export const toSessionSummary = ({ session, costs }: ListedSession, rules: Rules, now: number): SessionSummary =>
  create(SessionSummarySchema, plain(session, rules, costs, now));

/** Every field of a summary. */
function plain(
  session: Session,
  rules: Rules,
  costs: Iterable<Cost | null>,
  now: number,
): Omit<MessageInitShape<typeof SessionSummarySchema>, '$typeName'> {
  const { autofill, createdAt, expiresAt, verifiedAt, firstSendAt, resendAfter, ...view } = sessionView(
    session,
    rules,
    costs,
    now,
  );
  return {
    ...view,
    ...(autofill ? { autofill: { target: toTarget(autofill) } } : {}),
    ...at('createdAt', createdAt),
    ...at('expiresAt', expiresAt),
    ...at('verifiedAt', verifiedAt),
    ...at('firstSendAt', firstSendAt),
    ...at('resendAfter', resendAfter),
  };
}

function toTarget({ androidAppHash, webOrigin = '' }: Session['autofill']): AutofillMessage['target'] {
  return androidAppHash ? { case: 'androidAppHash', value: androidAppHash } : { case: 'webOrigin', value: webOrigin };
}

const toLeg = ({ channel, timeoutMs }: Leg): MessageInitShape<typeof CascadeLegSchema> => ({
  channel,
  timeoutSeconds: timeoutMs / 1000,
});

function toMessage(
  session: Session,
  message: Message,
  receipts: readonly StoredReceipt[],
): MessageInitShape<typeof MessageSchema> {
  const { createdAt, submittedAt, finalAt, cost, call, ...view } = messageView(message);
  return {
    ...view,
    ...at('createdAt', createdAt),
    ...at('submittedAt', submittedAt),
    ...at('finalAt', finalAt),
    ...costOf(cost),
    ...callOf(call),
    receipts: receipts
      .filter(({ messageId }) => messageId === message.id)
      .map((receipt) => toReceipt(session, receipt)),
  };
}

function toReceipt(session: Session, receipt: StoredReceipt): MessageInitShape<typeof ReceiptSchema> {
  const { operatorTimestamp, receivedAt, cost, call, ...view } = receiptView(session, receipt);
  return {
    ...view,
    ...at('operatorTimestamp', operatorTimestamp),
    ...at('receivedAt', receivedAt),
    ...costOf(cost),
    ...callOf(call),
  };
}

const costOf = (cost: CostView | null): { cost?: MessageInitShape<typeof CostSchema> } => (cost ? { cost } : {});

function callOf(view: CallView | null): { call?: MessageInitShape<typeof CallSchema> } {
  if (!view) return {};
  const { ringMs, answeredAt, talkSeconds, sipCode, q850, ...call } = view;
  return {
    call: {
      ...call,
      ...(ringMs === null ? {} : { ringMs }),
      ...at('answeredAt', answeredAt),
      ...(talkSeconds === null ? {} : { talkSeconds }),
      ...(sipCode === null ? {} : { sipCode }),
      ...(q850 === null ? {} : { q850 }),
    },
  };
}

export function toTimelineEntry(entry: TimelineEntry): MessageInitShape<typeof TimelineEntrySchema> {
  const { kind, run, position, channel = '', messageId = '', reason = '', detail = '', rule = '' } = entry;
  return {
    kind,
    run,
    channel,
    messageId,
    reason,
    detail,
    rule,
    ...at('at', entry.at),
    ...(position === undefined ? {} : { position }),
    ...callOf(entry.call ? callView(entry.call) : null),
  };
}
