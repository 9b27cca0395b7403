// The bodies of webhook events are what events.proto and webhook.proto declare, field by field.
import { fromJson, getOption, type JsonValue } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { toSessionMessage, toSessionSummary } from '../../../src/api/handlers/verify/to-proto.ts';
import type { EmitEffect, Event } from '../../../src/core/verify/event.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import type { Session } from '../../../src/core/verify/session.ts';
import { eventBody } from '../../../src/core/webhooks/event-body.ts';
import { file_ramz_v1_events } from '../../../src/gen/ramz/v1/events_pb.ts';
import { event_types } from '../../../src/gen/ramz/v1/options_pb.ts';
import { ReceiptSchema } from '../../../src/gen/ramz/v1/receipt_pb.ts';
import { MessageSchema, SessionSummarySchema } from '../../../src/gen/ramz/v1/session_pb.ts';
import { MessageEventSchema, SessionEventSchema, WebhookEventSchema } from '../../../src/gen/ramz/v1/webhook_pb.ts';
import { callReport, Story, type StoryOptions, wholeCascade } from '../../support/session.ts';

const schemas = {
  'ramz.v1.Receipt': ReceiptSchema,
  'ramz.v1.MessageEvent': MessageEventSchema,
  'ramz.v1.SessionEvent': SessionEventSchema,
};
const types = getOption(file_ramz_v1_events, event_types);

type Body = Record<string, JsonValue>;
const strict = { ignoreUnknownFields: false };

/** Plays a story and renders every event at the moment it happens. */
function bodiesOf(
  play: (story: Story) => void,
  skip: StoryOptions['skip'] = {},
  request: StoryOptions['request'] = {},
): { type: string; json: Body }[] {
  const bodies: { type: string; json: Body }[] = [];
  const onStep: StoryOptions['onStep'] = (_before, _event, { effects }) => {
    for (const effect of effects) {
      if (effect.kind === 'emit')
        bodies.push({ type: effect.type, json: JSON.parse(eventBody(effect, 'evt_1', defaultRules).json) });
    }
  };
  play(new Story({ skip, request, onStep }));
  return bodies;
}

test('every body is an envelope with the data its type declares, and no field the contract lacks', () => {
  const check = (correct: boolean): Event => ({ kind: 'check', correct });
  const bodies = [
    ...bodiesOf((story) => {
      story.accept().receipt('DELIVRD');
      story.do(check(true));
    }),
    ...bodiesOf((story) => story.reject(), { whatsapp: 'no_operator', voice: 'no_operator' }),
    ...bodiesOf((story) => story.do({ kind: 'cancel', reason: 'canceled_by_client' })),
    ...bodiesOf((story) => story.deadlineAt(600_000)),
    ...bodiesOf((story) => {
      for (let n = 0; n < 5; n += 1) story.do(check(false));
    }),
    ...bodiesOf(heard, {}, { cascade: wholeCascade.slice(2) }),
  ];
  const seen = new Set(bodies.map(({ type }) => type));
  const own = types.map(({ name }) => name).filter((name) => /^(receipt|message|session)\./.test(name));
  expect([...seen].toSorted()).toEqual(own.toSorted());
  for (const { type, json } of bodies) {
    const declared = types.find(({ name }) => name === type)?.data as keyof typeof schemas;
    fromJson(schemas[declared], json.data as JsonValue, strict);
    const member = WebhookEventSchema.fields.find(({ message }) => message?.typeName === declared);
    const { data, ...envelope } = json;
    const event = fromJson(WebhookEventSchema, { ...envelope, [String(member?.name)]: data as JsonValue }, strict);
    expect(event.data.case).toBe(member?.localName);
  }
});

test('an event of a session carries what lists show of it, and one of a message what the session shows of that', () => {
  const story = new Story({ request: { senderId: 'MyShop', autofill: { webOrigin: 'https://shop.example' } } });
  story.accept().receipt('DELIVRD');
  story.do({ kind: 'check', correct: true });
  const [submitted, verified] = ['message.submitted', 'session.verified'].map((type) => {
    const effect = story.all.find((each) => each.kind === 'emit' && each.type === type) as EmitEffect;
    const { data } = JSON.parse(eventBody(effect, 'evt_1', defaultRules).json) as { data: Record<string, JsonValue> };
    return { session: effect.session, data };
  });
  const { session } = verified as { session: Session };
  expect(verified?.data.session_id).toBe('vrf_1');
  const costs = session.messages.flatMap(({ cost }) => cost ?? []);
  expect(costs).toHaveLength(1);
  const listed = toSessionSummary({ session, costs }, defaultRules, session.lastSendAt);
  expect(fromJson(SessionSummarySchema, verified?.data.session as JsonValue, strict)).toEqual(listed);
  const { messages } = toSessionMessage(submitted?.session as Session, [], defaultRules, session.lastSendAt);
  expect(submitted?.data).toMatchObject({ session_id: 'vrf_1', to: session.to, client_reference: '' });
  expect(fromJson(MessageSchema, submitted?.data.message as JsonValue, strict)).toEqual(messages[0]);
  // What is not loaded is not there: an empty list would say that there is none.
  expect(verified?.data.session).not.toHaveProperty('messages');
  expect(verified?.data.session).not.toHaveProperty('timeline');
  expect(submitted?.data.message).not.toHaveProperty('receipts');
});

const heardCall = {
  state: 'heard',
  ringMs: 8_210,
  answeredAt: 1_000,
  sipCode: 200,
  q850: 16,
  keys: 1,
  readings: 2,
} as const;

function heard(story: Story): void {
  story.ring();
  story.answer();
  const call = callReport({ ...heardCall, talkSeconds: 24, ended: true });
  story.receipt('DELIVRD', 'msg_1', { providerStatus: 'heard', detail: 'answered', call });
}

test('a body about a call shows how it stands; what is not known is absent', () => {
  const [submitted, receipt] = bodiesOf(heard, {}, { cascade: wholeCascade.slice(2) }).map(
    ({ json }) => json.data as Body,
  );
  const { call } = (submitted?.message ?? {}) as Body;
  expect(call).toEqual({ state: 'ringing', keys: 0, readings: 0, trunk: 'atlas', ended: false });
  expect(receipt?.call).toEqual({
    state: 'heard',
    ring_ms: 8_210,
    answered_at: '1970-01-01T00:00:01.000Z',
    talk_seconds: 24,
    sip_code: 200,
    q850: 16,
    keys: 1,
    readings: 2,
    trunk: 'atlas',
    ended: true,
  });
  expect(receipt?.cost).toMatchObject({ amount: '12.00', parts: 24, final: true, revision: 2 });
});
