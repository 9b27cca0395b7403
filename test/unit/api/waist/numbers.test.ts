// Which fields of responses are phone numbers or may contain one, and what is left of them for a key without the scope `numbers`.
import { create, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { withoutNumbers } from '../../../../src/api/waist/interceptors/numbers.ts';
import { fieldRules, methodRules } from '../../../../src/api/waist/method-options.ts';
import { WatchSessionResponseSchema } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { WebhookEventSchema } from '../../../../src/gen/ramz/v1/webhook_pb.ts';
import { allMethods } from '../../../support/methods.ts';

const session = {
  id: 'vrf_1',
  to: '+213550000001',
  messages: [
    {
      id: 'msg_1',
      providerMessageId: 'wamid.HBgMMjEzNTUwMDAwMDAx',
      receipts: [{ to: '+213550000001', status: 'DELIVRD', raw: '{"recipient_id":"213550000001"}' }],
    },
  ],
};

test('numbers are masked however deep they are, and what may contain one is emptied', () => {
  const state = create(WatchSessionResponseSchema, { session });
  const shown = withoutNumbers(WatchSessionResponseSchema, state);
  expect(shown.session).toMatchObject({
    id: 'vrf_1',
    to: '+2135*****01',
    messages: [{ id: 'msg_1', providerMessageId: '', receipts: [{ to: '+2135*****01', status: 'DELIVRD', raw: '' }] }],
  });
  // The handler's own message may be in other hands: another watcher's, say.
  expect(state.session).toMatchObject(session);
  expect(withoutNumbers(WatchSessionResponseSchema, create(WatchSessionResponseSchema)).session).toBeUndefined();
});

// No response has a oneof so far with a number in it; events do.
test('numbers are masked in the chosen field of a oneof, too', () => {
  const { to } = session;
  const event = create(WebhookEventSchema, { data: { case: 'session', value: { session: { to } } } });
  expect(withoutNumbers(WebhookEventSchema, event).data).toMatchObject({
    case: 'session',
    value: { session: { to: '+2135*****01' } },
  });
  expect(event.data.value).toMatchObject({ session: { to } });
  const receipt = create(WebhookEventSchema, { data: { case: 'receipt', value: { to, raw: `id:${to}` } } });
  expect(withoutNumbers(WebhookEventSchema, receipt).data.value).toMatchObject({ to: '+2135*****01', raw: '' });
  expect(withoutNumbers(WebhookEventSchema, create(WebhookEventSchema)).data).toEqual({ case: undefined });
});

test('every field of a response that has a number is marked', async () => {
  const answered = (await allMethods()).filter((method) => methodRules(method).access === 'key');
  const fields = [...within(answered.map(({ output }) => output))].flatMap((message) => message.fields);
  const named = (...names: string[]): DescField[] => fields.filter(({ name }) => names.includes(name));
  const unmarked = [
    ...named('to').filter((field) => !fieldRules(field)?.phoneNumber),
    // WhatsApp's id of a message is base64 with the number in it; a report is verbatim.
    ...named('raw', 'provider_message_id').filter((field) => !fieldRules(field)?.containsNumber),
  ];
  expect(unmarked.map(String)).toEqual([]);
  expect(named('to').length).toBeGreaterThan(2);
});

function within(messages: readonly DescMessage[]): Set<DescMessage> {
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (found.has(message)) return;
    found.add(message);
    for (const field of message.fields) if (field.message) visit(field.message);
  };
  messages.forEach(visit);
  return found;
}
