// A delivery from its row to the receiver and back: signed, tried again, given up.
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { webhookDelaysMs } from '../../../src/core/webhooks/retry.ts';
import { testDatabase } from '../../support/database.ts';
import { leaseMs, receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const shop = await receiver();
const { webhooks, manager, errors, outcomes, ahead } = await testWebhooks(database);
/** Gives up soon: for endpoints that never answer, and for no other, because a slow machine may need as long. */
const hasty = await testWebhooks(database, { timeoutMs: 400 });
const account = await testAccount(database, manager);

afterEach(async () => {
  await webhooks.idle();
  expect([...errors.splice(0), ...hasty.errors.splice(0)]).toEqual([]);
  for (const list of [outcomes, hasty.outcomes]) list.length = 0;
  await sql`truncate webhook_delivery, webhook_retry`.execute(database.db); // or a later test's clock would make them due again
  ahead.ms = 0;
});

/** An endpoint at a path of its own with one event that is due. */
async function due(path: string) {
  const endpoint = await account.create(shop.url(path));
  return { endpoint, event: await account.event(endpoint.id) };
}

/** One round of what is due, with the clock that far ahead. */
async function sweep(aheadMs = 0) {
  ahead.ms = aheadMs;
  await webhooks.sweep(Date.now() + aheadMs);
  await webhooks.idle();
}

/** The same by the process that gives up soon. */
async function sweepHastily() {
  await hasty.webhooks.sweep(Date.now());
  await hasty.webhooks.idle();
}

describe('success', () => {
  test('what was committed is posted at once, signed, and marked', async () => {
    const endpoint = await account.create(shop.url('/ok'));
    const event = await account.event(endpoint.id, Date.now() + leaseMs);
    webhooks.post(
      { deliveries: [{ eventId: event.id, endpointId: endpoint.id }], bodies: [event], storedAt: Date.now() },
      account,
    );
    await webhooks.idle();

    const [post] = shop.at('/ok');
    expect(post?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Ramz-Webhooks/1',
      'webhook-id': event.id,
    });
    expect(post?.body).toBe(event.json);
    expect(new Webhook(endpoint.secret).verify(post!.body, post!.headers)).toMatchObject({
      id: event.id,
      type: event.type,
    });
    expect(await account.one(endpoint.id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      due_in_ms: null,
      last_status: 204,
      last_error: null,
      delivered_at: expect.any(Date),
    });
    expect(outcomes).toEqual(['delivered 204']);
  });

  test('connections are used again, also when the answer has a body', async () => {
    shop.answer('/again', (response) => response.end('thank you'));
    const endpoint = await account.create(shop.url('/again'));
    await account.event(endpoint.id);
    await sweep();
    const before = shop.connections();
    for (let round = 0; round < 3; round += 1) {
      await account.event(endpoint.id);
      await sweep();
    }
    expect(shop.at('/again')).toHaveLength(4);
    expect(shop.connections()).toBe(before);
  });

  test('an endless answer is cut off; its status counts', async () => {
    shop.answer('/endless', (response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const { endpoint } = await due('/endless');
    await sweep();
    expect((await account.one(endpoint.id)).status).toBe('delivered');
  });
});

describe('failure', () => {
  test('is tried again with the same id, a new time and a new signature', async () => {
    let answers = 0;
    shop.answer('/flaky', (response) => {
      answers += 1;
      response.writeHead(answers === 1 ? 500 : 200).end();
    });
    let now = Date.now(); // Its clock stands still between the steps: the row is not due for being looked at late.
    const { webhooks: steady, outcomes: told } = await testWebhooks(database, { now: () => now });
    const sweepAt = async (at: number) => {
      now = at;
      await steady.sweep(at);
      await steady.idle();
    };
    const endpoint = await account.create(shop.url('/flaky'));
    const event = await account.event(endpoint.id, now);
    await sweepAt(now);
    const failed = await account.one(endpoint.id);
    expect(failed).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_status: 500,
      last_error: 'the endpoint answered 500',
    });
    const dueAt = failed.next_at?.getTime() ?? 0;
    expect(dueAt - now).toBeGreaterThan(3_000);
    expect(dueAt - now).toBeLessThanOrEqual(5_000);

    await sweepAt(dueAt - 1);
    expect(shop.at('/flaky')).toHaveLength(1);
    await sweepAt(dueAt);
    const [first, second] = shop.at('/flaky');
    expect(second?.headers['webhook-id']).toBe(event.id);
    expect(second?.body).toBe(first?.body);
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(Number(first?.headers['webhook-timestamp']));
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
    expect(new Webhook(endpoint.secret).verify(second!.body, second!.headers)).toBeTruthy();
    expect(await account.one(endpoint.id)).toMatchObject({ status: 'delivered', attempts: 2, last_error: null });
    expect(told).toEqual(['retry 500', 'delivered 200']);
  });

  test('redirects are not followed', async () => {
    shop.answer('/moved', (response) => response.writeHead(307, { location: shop.url('/elsewhere') }).end());
    const { endpoint } = await due('/moved');
    await sweep();
    expect(await account.one(endpoint.id)).toMatchObject({ status: 'pending', last_status: 307 });
    expect(shop.at('/elsewhere')).toEqual([]);
  });

  test('Retry-After is honoured', async () => {
    shop.answer('/busy', (response) => response.writeHead(503, { 'retry-after': '600' }).end());
    const { endpoint } = await due('/busy');
    await sweep();
    const { due_in_ms } = await account.one(endpoint.id);
    expect(due_in_ms).toBeGreaterThan(590_000);
    expect(due_in_ms).toBeLessThanOrEqual(600_000);
  });

  test.each([
    ['says nothing', '/hang', () => {}],
    [
      'drips its headers',
      '/drip-head',
      (socket: { write(text: string): void }) => socket.write('HTTP/1.1 200 OK\r\nx: '),
    ],
  ] as const)('an endpoint that %s is given up in time', async (_, path, say) => {
    const drips: NodeJS.Timeout[] = [];
    shop.answer(path, (response) => {
      say(response.socket!);
      if (path !== '/hang') drips.push(setInterval(() => response.socket?.write('x'), 50));
    });
    const { endpoint } = await due(path);
    await sweepHastily();
    for (const drip of drips) clearInterval(drip);
    expect(await account.one(endpoint.id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_status: null,
      last_error: 'no complete answer within 0.4 s',
    });
    expect(hasty.outcomes).toEqual(['retry timeout']);
  });

  test('so is one that answers 200 and then drips its body', async () => {
    let drip: NodeJS.Timeout | undefined;
    shop.answer('/drip', (response) => {
      response.writeHead(200);
      drip = setInterval(() => response.write('x'), 50);
    });
    const { endpoint } = await due('/drip');
    await sweepHastily();
    clearInterval(drip);
    expect(await account.one(endpoint.id)).toMatchObject({ status: 'pending', last_status: null });
    expect(hasty.outcomes).toEqual(['retry timeout']);
  });

  test.each([
    ['nobody listens', () => 'http://127.0.0.1:1/', 'the connection failed', 'connection_failed'],
    ['it is no HTTP', () => shop.url('/garbage'), 'its answer was not HTTP', 'malformed_answer'],
    ['it hangs up', () => shop.url('/hangup'), 'the connection failed', 'connection_failed'],
    [
      'it has no TLS',
      () => shop.url('/').replace('http', 'https'),
      'its certificate or TLS could not be verified',
      'tls_failed',
    ],
  ])('%s', async (_, url, lastError, reason) => {
    shop.answer('/garbage', (response) => response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'));
    shop.answer('/hangup', (response) => response.socket?.destroy());
    const endpoint = await account.create(url());
    await account.event(endpoint.id);
    await sweep();
    expect(await account.one(endpoint.id)).toMatchObject({
      status: 'pending',
      last_status: null,
      last_error: lastError,
    });
    expect(outcomes).toEqual([`retry ${reason}`]);
  });

  test('after ten attempts it is given up and stays listed', async () => {
    shop.answer('/down', (response) => response.writeHead(500).end());
    const { endpoint, event } = await due('/down');
    let elapsedMs = 0;
    for (const delayMs of [0, ...webhookDelaysMs]) {
      elapsedMs += delayMs + 1;
      await sweep(elapsedMs);
    }
    expect(shop.at('/down')).toHaveLength(10);
    expect(new Set(shop.at('/down').map((each) => each.headers['webhook-id']))).toEqual(new Set([event.id]));
    expect(await account.one(endpoint.id)).toMatchObject({ status: 'failed', attempts: 10, due_in_ms: null });
    expect(outcomes).toEqual([...Array(9).fill('retry 500'), 'exhausted 500']);
  });

  test('however often it was redelivered: its attempts count as far as they can', async () => {
    const { endpoint, event } = await due('/often');
    for (const status of [200, 500, 200]) {
      await sql`update webhook_delivery set attempts = 32767, status = 'delivered'`.execute(database.db);
      await sql`delete from webhook_retry`.execute(database.db);
      shop.answer('/often', (response) => response.writeHead(status).end());
      await webhooks.deliveries.redeliver(account, endpoint.id, event.id);
      await webhooks.idle();
      expect(await account.one(endpoint.id)).toMatchObject({
        status: status === 200 ? 'delivered' : 'failed',
        attempts: 32_767,
        waits: false,
      });
    }
  });
});
