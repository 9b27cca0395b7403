// Webhook endpoints through the waist on a real database and a real receiver. Delivery itself is tested in ../webhooks.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { afterAll, describe, expect, test } from 'vitest';
import { verify } from '../../../src/core/webhooks/signature.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { WebhookEndpointService } from '../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { startProcess } from './accounts.ts';

const {
  createWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  listWebhookDeliveries,
  redeliverWebhook,
  testWebhookEndpoint,
} = WebhookEndpointService.method;
const database = await testDatabase();
const api = await startProcess(database, { mostEndpoints: 3 });
/** May call this machine. */
const local = await startProcess(database, { allowPrivate: true });

const received: { headers: IncomingHttpHeaders; body: string }[] = [];
let answerStatus = 204;
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  received.push({ headers: request.headers, body });
  if (request.url?.endsWith('/silent')) return;
  response.writeHead(answerStatus).end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => receiver.once('listening', resolve));
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
afterAll(async () => {
  await Promise.all([api.webhooks.stop(0), local.webhooks.stop(0)]);
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const url = 'https://shop.example/hooks';
async function newEndpoint(token: string, request: object = {}, through = api) {
  const { webhookEndpoint } = await through.call(token, createWebhookEndpoint, { url, ...request });
  if (!webhookEndpoint) throw new Error('no endpoint');
  return webhookEndpoint;
}

describe('an endpoint', () => {
  test('shows its secret when it is made and when it is rotated, and never else', async () => {
    const { live } = await api.newAccount();
    const made = await newEndpoint(live, { description: 'production', eventTypes: ['session.verified'] });
    expect(made.secret).toMatch(/^whsec_/);
    expect(made).toMatchObject({ url, description: 'production', enabled: true, eventTypes: ['session.verified'] });
    const { id } = made;
    const shown = [
      (await api.call(live, getWebhookEndpoint, { id })).webhookEndpoint,
      (await api.call(live, listWebhookEndpoints)).webhookEndpoints[0],
      (await api.call(live, updateWebhookEndpoint, { id, description: 'x' })).webhookEndpoint,
    ];
    expect(shown.map((each) => each?.id)).toEqual([id, id, id]);
    expect(shown.map((each) => each?.secret)).toEqual(['', '', '']);
    const before = api.now();
    const { webhookEndpoint: rotated } = await api.call(live, rotateWebhookSecret, { id });
    const after = api.now();
    expect(rotated?.secret).toMatch(/^whsec_/);
    expect(rotated?.secret).not.toBe(made.secret);
    const { previousSecretExpiresAt: expiresAt } = rotated ?? {};
    const rotatedAt = (expiresAt ? timestampMs(expiresAt) : Number.NaN) - 86_400_000;
    expect(rotatedAt).toBeGreaterThanOrEqual(before);
    expect(rotatedAt).toBeLessThanOrEqual(after);
    const { webhookEndpoint: once } = await api.call(live, rotateWebhookSecret, { id, keepPreviousSeconds: 0 });
    expect(once?.previousSecretExpiresAt).toBeUndefined();
    const { rows } = await database.lanes.query('select secret from webhook_endpoint where id = $1', [id]);
    expect(rows[0].secret).not.toContain(once?.secret.slice(6));
  });

  test('keeps what an update leaves out', async () => {
    const { live } = await api.newAccount();
    const { id } = await newEndpoint(live, { description: 'one', eventTypes: ['session.verified'] });
    const update = async (change: object) =>
      (await api.call(live, updateWebhookEndpoint, { id, ...change })).webhookEndpoint;
    expect(await update({ eventTypes: [] })).toMatchObject({ description: 'one', eventTypes: ['session.verified'] });
    expect(await update({ updateMask: { paths: ['event_types'] } })).toMatchObject({ eventTypes: [], url });
    expect(await update({ enabled: false })).toMatchObject({ enabled: false, disabledReason: 'by_client' });
    expect(await update({ enabled: true, description: '' })).toMatchObject({ disabledReason: '', description: '' });
    const none = { id, updateMask: { paths: ['url'] } };
    expect(await api.refused(live, updateWebhookEndpoint, none)).toEqual({ code: 'invalid_webhook_url', field: 'url' });
  });

  test('of another account or mode is not there', async () => {
    const { live, test: testKey } = await api.newAccount();
    const { id } = await newEndpoint(live);
    const stranger = await api.newAccount();
    const missing = { code: 'webhook_endpoint_not_found' };
    for (const token of [stranger.live, testKey]) {
      for (const method of [
        getWebhookEndpoint,
        updateWebhookEndpoint,
        deleteWebhookEndpoint,
        rotateWebhookSecret,
        listWebhookDeliveries,
        testWebhookEndpoint,
      ]) {
        expect(await api.refused(token, method, { id })).toMatchObject(missing);
      }
      const event = { id, eventId: api.ids('evt_') };
      expect(await api.refused(token, redeliverWebhook, event)).toMatchObject(missing);
      expect((await api.call(token, listWebhookEndpoints)).webhookEndpoints).toEqual([]);
    }
    expect(await api.refused(live, getWebhookEndpoint, { id: "whe_' or true" })).toMatchObject(missing);
    await api.call(live, deleteWebhookEndpoint, { id });
    expect(await api.refused(live, getWebhookEndpoint, { id })).toMatchObject(missing);
    expect(await api.refused(live, deleteWebhookEndpoint, { id })).toMatchObject(missing);
  });

  test.each([
    'http://shop.example/',
    'https://localhost/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://user:word@shop.example/',
    'ftp://shop.example/',
    'x',
  ])('does not point to %s', async (bad) => {
    const { live } = await api.newAccount();
    const refusal = { code: 'invalid_webhook_url', field: 'url' };
    expect(await api.refused(live, createWebhookEndpoint, { url: bad })).toEqual(refusal);
    const { id } = await newEndpoint(live);
    expect(await api.refused(live, updateWebhookEndpoint, { id, url: bad })).toEqual(refusal);
  });

  test('wants types of event that there are', async () => {
    const { live } = await api.newAccount();
    const request = { url, eventTypes: ['session.verified', 'session.imagined'] };
    expect(await api.refused(live, createWebhookEndpoint, request)).toMatchObject({ code: 'invalid_argument' });
  });

  test('is one of a few in each mode', async () => {
    const { live, test: testKey } = await api.newAccount();
    for (let n = 0; n < 3; n += 1) await newEndpoint(live);
    expect(await api.refused(live, createWebhookEndpoint, { url })).toMatchObject({ code: 'too_many_resources' });
    await newEndpoint(testKey);
    const first = await api.call(live, listWebhookEndpoints, { pageSize: 2 });
    const rest = await api.call(live, listWebhookEndpoints, { pageToken: first.nextPageToken });
    expect([first.webhookEndpoints.length, rest.webhookEndpoints.length]).toEqual([2, 1]);
    expect(await api.refused(testKey, listWebhookEndpoints, { pageToken: first.nextPageToken })).toMatchObject({
      code: 'invalid_page_token',
    });
  });
});

describe('deliveries', () => {
  test('a test is posted at once, signed, with the data of its type', async () => {
    const { live } = await api.newAccount();
    const { id, secret } = await newEndpoint(live, { url: receiverUrl }, local);
    for (const eventType of ['', 'sender_id.decided', 'endpoint.disabled', 'session.verified', 'message.failed']) {
      const result = await local.call(live, testWebhookEndpoint, { id, eventType });
      expect(result).toMatchObject({ delivered: true, responseStatus: 204, error: '' });
      const { headers, body } = received.at(-1) ?? { headers: {}, body: '{}' };
      expect(JSON.parse(body)).toMatchObject({ type: eventType || 'receipt.updated', test: false });
      expect(JSON.parse(body).data).not.toHaveProperty('call');
      const signed = {
        id: String(headers['webhook-id']),
        timestamp: String(headers['webhook-timestamp']),
        body,
        signature: String(headers['webhook-signature']),
        nowSeconds: Date.now() / 1000,
        secrets: [secret],
      };
      expect(verify(signed)).toEqual({ kind: 'valid' });
    }
    answerStatus = 500;
    const failed = await local.call(live, testWebhookEndpoint, { id });
    answerStatus = 204;
    expect(failed).toMatchObject({ delivered: false, responseStatus: 500, error: 'the endpoint answered 500' });
    expect((await local.call(live, listWebhookDeliveries, { id })).deliveries).toEqual([]);
  });

  test('a test of an endpoint that does not answer says so, before the call itself has lasted too long', async () => {
    const { live } = await api.newAccount();
    const { id } = await newEndpoint(live, { url: `${receiverUrl}/silent` }, local);
    const result = await local.call(live, testWebhookEndpoint, { id });
    expect(result).toMatchObject({ delivered: false, error: 'no complete answer within 8 s' });
    expect(result.responseStatus).toBeUndefined();
  });

  test('are listed, and sent again', async () => {
    const { test: testKey } = await api.newAccount();
    const { id } = await newEndpoint(testKey, { url: receiverUrl }, local);
    await local.call(testKey, SenderIdService.method.createSenderId, { name: 'MyShop' }); // two decisions at once
    await local.webhooks.sweep(local.now());
    await local.webhooks.idle();
    const { deliveries } = await local.call(testKey, listWebhookDeliveries, { id, status: 'delivered' });
    expect(deliveries.map(({ type, attempts }) => [type, attempts])).toEqual([
      ['sender_id.decided', 1],
      ['sender_id.decided', 1],
    ]);
    expect((await local.call(testKey, listWebhookDeliveries, { id, status: 'failed' })).deliveries).toEqual([]);
    const one = await local.call(testKey, listWebhookDeliveries, { id, pageSize: 1 });
    const other = { id, status: 'delivered', pageToken: one.nextPageToken };
    expect(await local.refused(testKey, listWebhookDeliveries, other)).toMatchObject({ code: 'invalid_page_token' });

    const eventId = deliveries[0]?.eventId ?? '';
    const before = received.length;
    const { delivery } = await local.call(testKey, redeliverWebhook, { id, eventId });
    expect(delivery).toMatchObject({ eventId, status: 'pending' });
    await local.webhooks.idle();
    expect(received.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual([eventId]);
    for (const unknown of [api.ids('evt_'), 'evt_1']) {
      expect(await local.refused(testKey, redeliverWebhook, { id, eventId: unknown })).toMatchObject({
        code: 'webhook_delivery_not_found',
      });
    }
    await local.call(testKey, updateWebhookEndpoint, { id, enabled: false });
    expect(await local.refused(testKey, redeliverWebhook, { id, eventId })).toMatchObject({
      code: 'endpoint_disabled',
    });
  });
});
