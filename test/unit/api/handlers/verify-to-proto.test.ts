// Every field of the wire is filled from core: one that somebody forgets to map stays empty, and is found here.
import { type DescMessage, type Message, type MessageShape, toJson } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { toCheckResponse, toSendResponse, toSessionMessage } from '../../../../src/api/handlers/verify/to-proto.ts';
import { defaultRules } from '../../../../src/core/verify/rules.ts';
import type { Session, StoredReceipt } from '../../../../src/core/verify/session.ts';

import { CallSchema, ReceiptSchema } from '../../../../src/gen/ramz/v1/receipt_pb.ts';
import { MessageSchema, SessionSchema, TimelineEntrySchema } from '../../../../src/gen/ramz/v1/session_pb.ts';
import { CheckResponseSchema, SendResponseSchema } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { callReport, receiptOf, Story } from '../../../support/session.ts';

const call = callReport({
  state: 'heard',
  ringMs: 8_210,
  answeredAt: 1_000,
  talkSeconds: 24,
  sipCode: 200,
  q850: 16,
  keys: 1,
  readings: 2,
  ended: true,
});

/** A session in which everything that can be said is said, whether or not it could come about. */
function fullSession(): Session {
  const story = new Story();
  story.clock = 1_000;
  story.accept();
  story.clock = 2_000;
  story.receipt('DELIVRD');
  const [message] = story.session.messages;
  return {
    ...story.session,
    mode: 'test',
    statusReason: 'replaced',
    purpose: 'login',
    senderId: 'MyShop',
    clientReference: 'order-1',
    metadata: { cart: '8812' },
    autofill: { androidAppHash: 'FA+9qCX9VSu', webOrigin: 'shop.example' },
    verifiedAt: 3_000,
    firstSendAt: 1_000,
    messages: [{ ...message!, position: 1, reason: 'submit_refused', errorCode: '011', finalAt: 2_000, call }],
    timeline: [
      {
        at: 5,
        kind: 'leg_skipped',
        run: 1,
        position: 0,
        channel: 'sms',
        messageId: 'msg_1',
        reason: 'a',
        detail: 'b',
        rule: 'client_limit',
        call,
      },
    ],
  };
}
const receipt: StoredReceipt = {
  ...receiptOf('DELIVRD', 2_000),
  id: 'rcp_1',
  messageId: 'msg_1',
  run: 1,
  channel: 'sms',
  operator: 'atlas',
  senderId: 'MyShop',
  raw: 'stat:DELIVRD',
  providerStatus: 'read',
  providerMessageId: 'p-1',
  call,
  cost: { amount: '2.50', currency: 'DZD', parts: 1, source: 'tariff', final: true, revision: 2, billedBy: 'service' },
};

/** Names of the fields that say nothing. */
function empty<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc> | undefined): string[] {
  const written = toJson(desc, message!, { useProtoFieldName: true }) as Record<string, unknown>;
  return desc.fields.map(({ name }) => name).filter((name) => written[name] === undefined);
}

describe('a full session', () => {
  const session = fullSession();
  const told = toSessionMessage(
    session,
    [receipt, { ...receipt, messageId: 'msg_2' }],
    defaultRules,
    session.lastSendAt,
  );

  it('fills every field', () => {
    const [message] = told.messages;
    expect(empty(SessionSchema, told)).toEqual([]);
    expect(empty(MessageSchema, message)).toEqual([]);
    expect(empty(ReceiptSchema, message?.receipts[0])).toEqual([]);
    expect(empty(TimelineEntrySchema, told.timeline[0])).toEqual([]);
    for (const { call } of [message!, message!.receipts[0]!, told.timeline[0]!]) {
      expect(empty(CallSchema, call)).toEqual([]);
    }
    expect(empty(SendResponseSchema, toSendResponse(session, defaultRules, session.lastSendAt))).toEqual([]);
    // `valid` and `reason` exclude each other.
    const checked = { valid: true, reason: null, attemptsRemaining: 4 };
    expect(empty(CheckResponseSchema, toCheckResponse(checked, session))).toEqual(['reason']);
  });

  it('gives each message its own receipts', () => {
    expect(told.messages[0]?.receipts).toHaveLength(1);
  });

  it('says times and timeouts in the units of the wire', () => {
    const json = toJson(SessionSchema, told, { useProtoFieldName: true }) as Record<string, unknown>;
    expect(json).toMatchObject({
      created_at: '1970-01-01T00:00:00Z',
      verified_at: '1970-01-01T00:00:03Z',
      expires_at: '1970-01-01T00:10:00Z',
      resend_after: '1970-01-01T00:00:30Z',
      cascade: [{ timeout_seconds: 15 }, { timeout_seconds: 15 }, { timeout_seconds: 45 }],
      timeline: [{ at: '1970-01-01T00:00:00.005Z', position: 0 }],
    });
  });
});

it('what is not known is absent, not zero', () => {
  const session = { ...new Story().session, legs: [] };
  const told = toSessionMessage(session, [], defaultRules, session.lastSendAt);
  const absent: [Message, string[]][] = [
    [told, ['verifiedAt', 'firstSendAt', 'autofill']],
    [told.messages[0]!, ['submittedAt', 'finalAt', 'cost']],
    [{ ...told.timeline[0]! }, ['position']],
  ];
  for (const [message, names] of absent) {
    for (const name of names) expect((message as unknown as Record<string, unknown>)[name]).toBeUndefined();
  }
  expect(told.totalCost).toEqual([]);
});
