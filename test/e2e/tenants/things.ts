// An account with one of everything that has an id, in one mode; and ids of the same form that nobody has.
import { randomBytes } from 'node:crypto';
import { idSource } from '../../../src/core/ids.ts';
import type { Mode } from '../../../src/core/verify/session.ts';
import { type Client, serviceClient } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

/** What the things of one account and mode go by. */
export interface Things {
  key: string;
  accountId: string;
  /** Another key of the account, which may be revoked. */
  keyId: string;
  keysToken: string;
  auditToken: string;
  /** A pending session, delivered. */
  sessionId: string;
  number: string;
  purpose: string;
  clientReference: string;
  sessionsToken: string;
  /** With this key a code was sent to `otherNumber`, and a wrong code of `sessionId` checked. */
  idempotencyKey: string;
  otherSessionId: string;
  otherNumber: string;
  endpointId: string;
  endpointsToken: string;
  /** Was sent to `endpointId`. */
  eventId: string;
  deliveriesToken: string;
  /** Approved everywhere. */
  senderId: string;
  senderName: string;
  sendersToken: string;
  /** On its block list; so is another one. */
  listEntryId: string;
  listToken: string;
  /** Of live mode; another well-formed one in test mode. */
  stopId: string;
  stopsToken: string;
  /** Of the whole account. */
  wabaId: string;
  phoneNumberId: string;
  /** Of a signup that nobody has used. */
  state: string;
}

/** Members of Things that name one thing, which no stranger's answer may hold. */
export const idsOf = (things: Things): string[] => [
  things.accountId,
  things.keyId,
  things.sessionId,
  things.otherSessionId,
  things.endpointId,
  things.eventId,
  things.senderId,
  things.listEntryId,
  things.stopId,
  things.state,
];

const newId = idSource({ now: Date.now, randomBytes });

/** Well-formed, and nobody's. */
export const nobodys = (): Things => ({
  key: '',
  accountId: newId('acct_'),
  keyId: newId('key_'),
  keysToken: 'bm9ib2R5',
  auditToken: 'bm9ib2R5',
  sessionId: newId('vrf_'),
  number: '+213669999998',
  purpose: 'nobody',
  clientReference: 'nobody-1',
  sessionsToken: 'bm9ib2R5',
  idempotencyKey: newId('idem_'),
  otherSessionId: newId('vrf_'),
  otherNumber: '+213669999999',
  endpointId: newId('whe_'),
  endpointsToken: 'bm9ib2R5',
  eventId: newId('evt_'),
  deliveriesToken: 'bm9ib2R5',
  senderId: newId('snd_'),
  senderName: 'Nobody',
  sendersToken: 'bm9ib2R5',
  listEntryId: newId('lst_'),
  listToken: 'bm9ib2R5',
  stopId: newId('stop_'),
  stopsToken: 'bm9ib2R5',
  wabaId: '10420',
  phoneNumberId: '10930',
  state: randomBytes(32).toString('base64url'),
});

export interface Making {
  http: string;
  adminToken: string;
  accountId: string;
  key: string;
  mode: Mode;
  /** Two numbers nobody else uses. */
  numbers: readonly [string, string];
  /** A customer's endpoint that takes everything. */
  webhookUrl: string;
  senderName: string;
  operators: readonly string[];
  /** One of the account's two. */
  stopId: string;
}

type Listed = { next_page_token: string };

export async function makeThings(making: Making): Promise<Things> {
  const { http, accountId, key, mode, numbers, webhookUrl, senderName } = making;
  const client = serviceClient(http, key);
  const ok = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    answered(client, method, path, body, headers);
  const [number, otherNumber] = numbers;
  const [purpose, clientReference, idempotencyKey] = ['guard', `order-${accountId}-${mode}`, `${accountId} ${mode}`];

  const endpoint = await ok('POST', '/v1/webhook_endpoints', { url: webhookUrl });
  await ok('POST', '/v1/webhook_endpoints', { url: webhookUrl, event_types: ['waba.connected'] });
  const spare = await ok('POST', '/v1/api_keys', { name: 'spare' });
  const sender = await ok('POST', '/v1/sender_ids', { name: senderName });
  await ok('POST', '/v1/sender_ids', { name: `${senderName}2` });
  if (mode === 'live') {
    const operator = serviceClient(http, making.adminToken);
    for (const name of making.operators) {
      await answered(operator, 'POST', `/v1/sender_ids/${sender.id}/decisions`, { operator: name, status: 'approved' });
    }
  }
  const options = { purpose, client_reference: clientReference };
  const session = await ok('POST', '/v1/verify/send', { to: number, ...options });
  const once = { 'idempotency-key': idempotencyKey };
  const other = await ok('POST', '/v1/verify/send', { to: otherNumber, purpose }, once);
  await ok('POST', '/v1/verify/check', { id: session.id, code: '123456' }, once);

  for (const id of [session.id, other.id]) {
    await client.sessionWhen(String(id), 'the delivery', ({ delivery }) => delivery === 'delivered');
  }
  const deliveries = `/v1/webhook_endpoints/${endpoint.id}/deliveries`;
  const settled = async () => {
    const { body } = await client.call<{ deliveries: { event_id: string; status: string }[] }>('GET', deliveries);
    const events = body.deliveries;
    return events.length >= 4 && events.every(({ status }) => status === 'delivered') && events;
  };
  const [event] = await until(settled, { what: 'the webhooks to be delivered' });
  const token = async (path: string) => {
    const page = (await ok('GET', `${path}${path.includes('?') ? '&' : '?'}page_size=1`)) as unknown as Listed;
    if (page.next_page_token === '') throw new Error(`${path} has one page only`);
    return page.next_page_token;
  };
  const listEntry = await ok('POST', '/v1/limits/lists', { list: 'block', value: '+213779998*' });
  await ok('POST', '/v1/limits/lists', { list: 'block', value: '+213779997*' });
  return {
    key,
    accountId,
    keyId: String(spare.id),
    keysToken: await token('/v1/api_keys'),
    auditToken: await token('/v1/audit_events'),
    sessionId: String(session.id),
    otherSessionId: String(other.id),
    number,
    otherNumber,
    purpose,
    clientReference,
    idempotencyKey,
    sessionsToken: await token('/v1/verify/sessions'),
    endpointId: String(endpoint.id),
    endpointsToken: await token('/v1/webhook_endpoints'),
    eventId: event?.event_id ?? '',
    deliveriesToken: await token(deliveries),
    senderId: String(sender.id),
    senderName,
    sendersToken: await token('/v1/sender_ids'),
    listEntryId: String(listEntry.id),
    listToken: await token('/v1/limits/lists'),
    stopId: mode === 'live' ? making.stopId : newId('stop_'),
    stopsToken: mode === 'live' ? await token('/v1/limits/stops') : 'bm9ib2R5',
    wabaId: '',
    phoneNumberId: '',
    state: '',
  };
}

async function answered(
  client: Client,
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Record<string, unknown>> {
  const answer = await client.call<Record<string, unknown>>(method, path, body, headers);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
