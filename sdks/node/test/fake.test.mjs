// The fake, used as an application's tests would.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, InvalidRequestError, NotFoundError, Ramz, ServerError } from '@ramz/sdk';
import { FakeRamz } from '@ramz/sdk/testing';
import { errorOf } from './support.mjs';

const to = '+213550000001';

test('a number is verified', async () => {
  const ramz = new FakeRamz();
  assert.ok(ramz instanceof Ramz);
  const { id, createdAt } = await ramz.verify.send({ to, purpose: 'login', clientReference: 'طلب' });
  assert.ok(createdAt instanceof Date);
  assert.deepEqual(ramz.sent, [
    { to, channel: 'sms', code: '000000', sessionId: id, purpose: 'login', clientReference: 'طلب' },
  ]);
  const wrong = await ramz.verify.check({ id, code: '123456' });
  assert.deepEqual([wrong.valid, wrong.reason, wrong.attemptsRemaining], [false, 'incorrect_code', 4]);
  const right = await ramz.verify.check({ to, purpose: 'login', code: '٠٠٠-٠٠٠' });
  assert.ok(right.valid && right.verifiedAt instanceof Date);
  const again = await ramz.verify.check({ id, code: '000000' });
  assert.deepEqual([again.valid, again.reason], [false, 'already_verified']);
  const session = await ramz.verify.get(id);
  assert.equal(session.status, 'verified');
  assert.equal(session.timeline.at(-1).kind, 'session_verified');
});

test('a second send is a resend', async () => {
  const ramz = new FakeRamz();
  const first = await ramz.verify.send({ to });
  ramz.advance(30_000);
  const second = await ramz.verify.send({ to });
  assert.equal(second.id, first.id);
  assert.equal(ramz.sent.length, 2);
});

test('the same idempotency key sends once', async () => {
  const ramz = new FakeRamz();
  await ramz.verify.send({ to }, { idempotencyKey: 'a' });
  await ramz.verify.send({ to }, { idempotencyKey: 'a' });
  assert.equal(ramz.sent.length, 1);
});

describe('ends', () => {
  test('after five wrong codes', async () => {
    const ramz = new FakeRamz();
    const { id } = await ramz.verify.send({ to });
    for (let tries = 0; tries < 5; tries++) await ramz.verify.check({ id, code: '111111' });
    const last = await ramz.verify.check({ id, code: '000000' });
    assert.deepEqual([last.valid, last.reason, last.status], [false, 'too_many_attempts', 'failed']);
  });
  test('when time passes', async () => {
    const ramz = new FakeRamz({ now: new Date('2026-03-01T10:15:30Z') });
    const { id } = await ramz.verify.send({ to, ttlSeconds: 60 });
    ramz.advance(60_000);
    assert.equal((await ramz.verify.check({ id, code: '000000' })).reason, 'expired');
    assert.notEqual((await ramz.verify.send({ to })).id, id);
  });
  test('when it is canceled', async () => {
    const ramz = new FakeRamz();
    const { id } = await ramz.verify.send({ to });
    assert.equal((await ramz.verify.cancel(id)).status, 'canceled');
    assert.equal((await ramz.verify.cancel(id)).status, 'canceled');
    assert.equal((await ramz.verify.check({ id, code: '000000' })).reason, 'canceled');
  });
});

describe('refuses', () => {
  test('a number it was told to', async () => {
    const ramz = new FakeRamz();
    ramz.refuse(to, 'no_route');
    const error = await errorOf(ramz.verify.send({ to }));
    assert.ok(error instanceof InvalidRequestError);
    assert.equal(error.code, 'no_route');
    assert.equal(ramz.sent.length, 0);
    assert.throws(() => ramz.refuse(to, 'no_such_code'), /no_such_code/);
  });
  test('what the service would', async () => {
    const ramz = new FakeRamz();
    const { id } = await ramz.verify.send({ to });
    assert.equal((await errorOf(ramz.verify.send({ to: '0550' }))).field, 'to');
    assert.equal((await errorOf(ramz.verify.check({ id, code: '12' }))).code, 'invalid_code');
    assert.ok((await errorOf(ramz.verify.get('vrf_x'))) instanceof NotFoundError);
    assert.ok((await errorOf(ramz.verify.check({ to: '+213660000000', code: '000000' }))) instanceof NotFoundError);
  });
  test('what it does not know', async () => {
    const error = await errorOf(new FakeRamz().webhookEndpoints.create({ url: 'https://shop.example' }));
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'unimplemented');
  });
});

describe('is told', () => {
  test('to fail, once or more', async () => {
    const ramz = new FakeRamz();
    ramz.fail('verify.send', 'overloaded', { times: 2, retryAfterSeconds: 7 });
    for (let calls = 0; calls < 2; calls++) {
      const error = await errorOf(ramz.verify.send({ to }));
      assert.deepEqual([error.code, error.status, error.retryAfterSeconds], ['overloaded', 503, 7]);
    }
    const { id } = await ramz.verify.send({ to });
    ramz.fail('verify.watch', 'unavailable');
    const watch = async () => {
      for await (const _ of ramz.verify.watch(id));
    };
    assert.equal((await errorOf(watch())).code, 'unavailable');
    assert.throws(() => ramz.fail('verify.sned', 'overloaded'), /verify.sned/);
  });
  test('to fail in several ways, one after another', async () => {
    const ramz = new FakeRamz();
    ramz.fail('apiKeys.create', 'overloaded');
    ramz.fail('apiKeys.create', 'no_route');
    ramz.fail('api_keys.create', 'rate_limited');
    const codes = [];
    for (let calls = 0; calls < 4; calls++) codes.push((await errorOf(ramz.apiKeys.create({ name: 'backend' }))).code);
    assert.deepEqual(codes, ['overloaded', 'no_route', 'rate_limited', 'unimplemented']);
  });
  test('what to answer', async () => {
    const ramz = new FakeRamz();
    const createdAt = new Date('2026-03-01T10:15:30Z');
    ramz.answer('apiKeys.create', { id: 'key_1', createdAt });
    ramz.answer('apiKeys.list', { items: [{ id: 'key_1' }], nextPageToken: '' });
    const made = await ramz.apiKeys.create({ name: 'backend' });
    assert.deepEqual([made.id, made.createdAt], ['key_1', createdAt]);
    assert.equal((await ramz.apiKeys.list().page()).items[0].id, 'key_1');
    ramz.answer('webhookEndpoints.get', { url: 'https://shop.example/hook' });
    assert.equal((await ramz.webhookEndpoints.get('whe_7')).id, 'whe_7');
    ramz.answer('accounts.get', { name: 'My Shop' });
    assert.deepEqual(await ramz.accounts.get().then(({ id, name }) => [id, name]), ['fake', 'My Shop']);
    // Keys of maps are the application's own.
    const metadata = { orderId: '1' };
    ramz.answer('verify.get', { metadata });
    assert.deepEqual((await ramz.verify.get('vrf_1')).metadata, metadata);
    ramz.answer('verify.list', { items: [{ id: 'vrf_1', metadata, createdAt }], nextPageToken: 'more' });
    const { items, nextPageToken } = await ramz.verify.list().page();
    assert.deepEqual([items[0].metadata, items[0].createdAt, nextPageToken], [metadata, createdAt, 'more']);
    // As with the service: an answer about something else is none.
    ramz.answer('webhookEndpoints.get', { id: 'whe_8' });
    assert.ok((await errorOf(ramz.webhookEndpoints.get('whe_7'))) instanceof ServerError);
  });
});

test('lists in pages, newest first, filtered', async () => {
  const ramz = new FakeRamz();
  for (let number = 0; number < 3; number++)
    await ramz.verify.send({ to: `+21355000000${number}`, clientReference: 'a b&c' });
  await ramz.verify.send({ to: '+213660000000' });
  const found = [];
  for await (const session of ramz.verify.list({ clientReference: 'a b&c', pageSize: 1 })) found.push(session.to);
  assert.deepEqual(found, ['+213550000002', '+213550000001', '+213550000000']);
});

test('is watched', async () => {
  const ramz = new FakeRamz();
  const { id } = await ramz.verify.send({ to });
  const seen = [];
  for await (const { session, newEntries } of ramz.verify.watch(id)) {
    seen.push([session.status, ...newEntries.map(({ kind }) => kind)]);
    if (session.status === 'pending') await ramz.verify.cancel(id);
  }
  assert.deepEqual(seen, [
    ['pending', 'session_opened', 'leg_started', 'delivery_delivered'],
    ['canceled', 'session_canceled'],
  ]);
  const error = await errorOf(
    (async () => {
      for await (const _ of ramz.verify.watch('vrf_x'));
    })(),
  );
  assert.equal(error.code, 'session_not_found');
});
