// Example events are what the contract says events are.
import { createRegistry, fromJson, getOption, type JsonObject } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { exampleData } from '../../../../src/api/handlers/webhooks/deliveries.ts';
import { file_ramz_v1_events } from '../../../../src/gen/ramz/v1/events_pb.ts';
import { event_types } from '../../../../src/gen/ramz/v1/options_pb.ts';
import { file_ramz_v1_receipt } from '../../../../src/gen/ramz/v1/receipt_pb.ts';
import { file_ramz_v1_webhook } from '../../../../src/gen/ramz/v1/webhook_pb.ts';
import { eventTypeValues } from '../../../../src/gen/values.ts';

const registry = createRegistry(file_ramz_v1_webhook, file_ramz_v1_receipt);

test.each([...eventTypeValues])('%s', (type) => {
  const declared = getOption(file_ramz_v1_events, event_types).find(({ name }) => name === type);
  const desc = registry.getMessage(declared?.data ?? '');
  if (!desc) throw new Error(`${type} has no data`);
  const data = exampleData(type);
  const cleared = new Set(declared?.examples.filter(({ example }) => example === '').map(({ field }) => field));
  const shown = desc.fields.filter(({ name, fieldKind }) => fieldKind !== 'message' || !cleared.has(name));
  expect(Object.keys(data)).toEqual(shown.map(({ name }) => name));
  // Fails for a field of the wrong kind or a time that is none.
  fromJson(desc, data as JsonObject, { ignoreUnknownFields: false });
  const { session, message } = data as { session?: object; message?: object };
  expect(Object.keys({ ...session, ...message })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(messages|timeline|receipts)$/)]),
  );
});

test.each(['verified', 'expired', 'canceled', 'failed'])(
  'an example of session.%s is a session that is over',
  (status) => {
    const { session } = exampleData(`session.${status}`) as { session: Record<string, unknown> };
    expect(session.status).toBe(status);
    expect('verified_at' in session).toBe(status === 'verified');
    expect(session.status_reason).toBe({ canceled: 'canceled_by_client', failed: 'too_many_attempts' }[status] ?? '');
  },
);

test('an example of receipt.updated is a receipt of an SMS: it has no call, and no other name for its state', () => {
  const data = exampleData('receipt.updated');
  expect(data).toMatchObject({ channel: 'sms', status: 'DELIVRD', provider_status: '' });
  expect(data).not.toHaveProperty('call');
});

test('what an event sets otherwise is a field of its data', () => {
  for (const { name, data, examples } of getOption(file_ramz_v1_events, event_types))
    for (const { field } of examples) {
      const parts = field.split('.');
      let within = registry.getMessage(data);
      for (const part of parts) {
        const found = within?.fields.find((each) => each.name === part);
        expect(found, `${name}: ${field}`).toBeDefined();
        within = found?.message;
      }
    }
});

test('there is none for a type that is not in the contract', () => {
  expect(() => exampleData('session.imagined')).toThrow('session.imagined');
});
