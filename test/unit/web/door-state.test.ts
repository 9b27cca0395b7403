// The page's picture of the sandbox, event by event.
import { expect, it } from 'vitest';
import type { Hello, InboxMessage, PhoneCall, ReceivedWebhook } from '../../../web/phones/door/events.ts';
import { arrivals, changed, type DoorChange, nothingYet } from '../../../web/phones/door/state.ts';

const hello: Hello = {
  messages: [],
  webhooks: [],
  calls: [],
  people: [],
  moods: [{ of: 'atlas', mood: 'well', moods: ['well', 'down'] }],
  service: null,
  numbers: { sms_delivered: '+213550000001' },
  scenarios: [],
  operators: [{ id: 'atlas', prefixes: ['+21355'] }],
};

const message = (id: string, more: Partial<InboxMessage> = {}): InboxMessage => ({
  id,
  channel: 'sms',
  from: 'Ramz',
  to: '+213550000001',
  text: 'Your code: 123456',
  operator: 'atlas',
  received_at: '2026-11-22T19:00:00.000Z',
  ...more,
});

const call = (id: string, more: Partial<PhoneCall> = {}): PhoneCall => ({
  id,
  to: '+213550000001',
  from: '+21321000000',
  state: 'ringing',
  person: false,
  ringing_since: '2026-11-22T19:00:00.000Z',
  answered_at: null,
  over_at: null,
  end: null,
  digits: '',
  keys: '',
  wav: null,
  ...more,
});

const after = (...changes: DoorChange[]) =>
  changes.reduce(changed, changed(nothingYet, { name: 'hello', data: hello }));

it('is live from the first hello on, and lost after a cut', () => {
  expect(changed(nothingYet, { name: 'lost' }).connection).toBe('connecting');
  expect(after().connection).toBe('live');
  expect(after({ name: 'lost' }).connection).toBe('lost');
});

it('begins again with each hello', () => {
  const state = after({ name: 'message', data: message('1') }, { name: 'lost' }, { name: 'hello', data: hello });
  expect(state).toMatchObject({ connection: 'live', messages: [] });
});

it('adds a message once, and replaces one that says more now', () => {
  const state = after(
    { name: 'message', data: message('1') },
    { name: 'message', data: message('2') },
    { name: 'message', data: message('1', { text: 'call: 1 2 3' }) },
  );
  expect(state.messages.map(({ id, text }) => [id, text])).toEqual([
    ['1', 'call: 1 2 3'],
    ['2', 'Your code: 123456'],
  ]);
});

it('follows a call by its id', () => {
  const state = after(
    { name: 'call', data: call('7') },
    { name: 'call', data: call('7', { state: 'answered', digits: '84' }) },
  );
  expect(state.calls).toEqual([call('7', { state: 'answered', digits: '84' })]);
});

it('keeps a bounded number of messages, the newest', () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ name: 'message', data: message(String(at)) }) as const);
  const { messages } = after(...many);
  expect(messages).toHaveLength(400);
  expect(messages.at(-1)?.id).toBe('499');
});

it('clears messages with the calls that are over, and webhooks on their own', () => {
  const webhook = { id: '1' } as ReceivedWebhook;
  const full = after(
    { name: 'message', data: message('1') },
    { name: 'webhook', data: webhook },
    { name: 'call', data: call('1', { state: 'over' }) },
    { name: 'call', data: call('2') },
  );
  const noMessages = changed(full, { name: 'cleared', data: { what: 'messages' } });
  expect(noMessages).toMatchObject({ messages: [], webhooks: [webhook] });
  expect(noMessages.calls.map(({ id }) => id)).toEqual(['2']);
  expect(changed(full, { name: 'cleared', data: { what: 'webhooks' } })).toMatchObject({
    messages: full.messages,
    webhooks: [],
  });
});

it('takes moods, service, and who answers calls in person whole', () => {
  const down = [{ of: 'atlas', mood: 'down', moods: ['well', 'down'] } as const];
  const service = { http: 'http://127.0.0.1:1', grpc: '127.0.0.1:2' };
  const to = '+213550000001';
  const state = after(
    { name: 'moods', data: down.map((mood) => ({ ...mood, moods: [...mood.moods] })) },
    { name: 'service', data: service },
    { name: 'people', data: [to] },
  );
  expect(state).toMatchObject({ moods: down, service, people: [to] });
  expect(changed(state, { name: 'people', data: [] }).people).toEqual([]);
});

it('counts how often the phones were emptied: cleared, or begun again after a cut', () => {
  const begun = after();
  expect(begun.emptied).toBe(0);
  expect(changed(begun, { name: 'cleared', data: { what: 'webhooks' } }).emptied).toBe(0);
  const cleared = changed(begun, { name: 'cleared', data: { what: 'messages' } });
  expect(cleared.emptied).toBe(1);
  const lost = changed(cleared, { name: 'lost' });
  expect(lost.emptied).toBe(1);
  expect(changed(lost, { name: 'hello', data: hello }).emptied).toBe(2);
});

it('counts as arrived what was not there: a text, a ring, and no call a second time', () => {
  const before = after({ name: 'message', data: message('1') });
  const rings = changed(before, { name: 'call', data: call('5') });
  const spoken = { name: 'message', data: message('2', { channel: 'voice', call_id: '5' }) } as const;
  expect(arrivals(before, rings).map(({ id }) => id)).toEqual(['5']);
  expect(arrivals(rings, changed(rings, spoken))).toEqual([]);
  expect(arrivals(before, changed(before, { name: 'message', data: message('1', { text: 'again' }) }))).toEqual([]);
  expect(arrivals(nothingYet, before)).toEqual([]);
});

it('tells a call from a text of the same id', () => {
  const before = after({ name: 'message', data: message('1') });
  expect(arrivals(before, changed(before, { name: 'call', data: call('1') }))).toHaveLength(1);
});
