// The same client over gRPC; needs Node 22.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http2';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { ConfigurationError, Ramz } from '@ramz/sdk';
import { GrpcRamz } from '@ramz/sdk/grpc';
import { SendRequestSchema, services, VerifyService } from '@ramz/sdk/proto';
import { story } from './live.mjs';
import { errorOf } from './support.mjs';

const baseUrl = `http://${process.env.RAMZ_GRPC_TARGET}`;

test('the story over gRPC', async () => {
  const ramz = new GrpcRamz({ baseUrl });
  try {
    await story(ramz, 'node-grpc');
  } finally {
    ramz.close();
  }
  assert.ok((await errorOf(ramz.accounts.get())) instanceof ConfigurationError);
});

test('an answer is the same as over HTTP', async () => {
  const ramz = new GrpcRamz({ baseUrl });
  try {
    const { id } = await ramz.verify.send({ to: '+213550000001', purpose: `grpc ${Date.now()}` });
    await ramz.verify.cancel(id);
    // What the sandbox may still change between the two calls is left out.
    const plain = ({ messages, timeline, totalCost, delivery, firstSendAt, ...session }) => session;
    assert.deepEqual(plain(await ramz.verify.get(id)), plain(await new Ramz().verify.get(id)));
  } finally {
    ramz.close();
  }
});

test('an update changes what is given, an empty list too', async () => {
  const ramz = new GrpcRamz({ baseUrl, apiKey: process.env.RAMZ_TEST_KEY });
  try {
    const { id } = await ramz.webhookEndpoints.create({
      url: 'https://shop.example/grpc',
      description: 'of gRPC',
      eventTypes: ['session.verified'],
    });
    assert.deepEqual((await ramz.webhookEndpoints.update(id, { enabled: false })).eventTypes, ['session.verified']);
    const { eventTypes, description, enabled } = await ramz.webhookEndpoints.update(id, { eventTypes: [] });
    assert.deepEqual({ eventTypes, description, enabled }, { eventTypes: [], description: 'of gRPC', enabled: false });
    await ramz.webhookEndpoints.delete(id);
  } finally {
    ramz.close();
  }
});

test('nobody there', async () => {
  const ramz = new GrpcRamz({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
  const error = await errorOf(ramz.accounts.get());
  assert.equal(error.name, 'NetworkError');
  ramz.close();
});

test('no answer in time', async () => {
  const ramz = new GrpcRamz({ baseUrl, maxRetries: 0, timeoutMs: 0.001 });
  assert.equal((await errorOf(ramz.accounts.get())).name, 'RequestTimeoutError');
  ramz.close();
});

test('a Connect client of one’s own, with the messages of the contract', async () => {
  const client = createClient(VerifyService, createGrpcTransport({ baseUrl, idleConnectionTimeoutMs: 1 }));
  const headers = { authorization: `Bearer ${process.env.RAMZ_API_KEY}` };
  const sent = await client.send(create(SendRequestSchema, { to: '+213550000001', purpose: `own ${Date.now()}` }), {
    headers,
  });
  assert.equal(sent.$typeName, 'ramz.v1.SendResponse');
  assert.ok(services.includes(VerifyService));
});

test('a deletion whose answer was lost is done', async () => {
  /** A field of protobuf, of less than 128 bytes. */
  const field = (number, bytes) => Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), Buffer.from(bytes)]);
  const info = Buffer.concat([field(1, 'webhook_endpoint_not_found'), field(2, 'ramz')]);
  const any = Buffer.concat([field(1, 'type.googleapis.com/google.rpc.ErrorInfo'), field(2, info)]);
  const details = Buffer.concat([Buffer.of(8, 5), field(3, any)]).toString('base64');
  const statuses = [{ 'grpc-status': '14' }, { 'grpc-status': '5', 'grpc-status-details-bin': details }];
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    const status = statuses.shift();
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${server.address().port}`;
  const ramz = new GrpcRamz({ baseUrl: own, apiKey: 'ramz_test_key', runtime: { sleep: async () => {} } });
  try {
    assert.equal(await ramz.webhookEndpoints.delete('whe_1'), undefined);
    statuses.push({ 'grpc-status': '5', 'grpc-status-details-bin': details });
    assert.equal((await errorOf(ramz.webhookEndpoints.delete('whe_1'))).code, 'webhook_endpoint_not_found');
  } finally {
    ramz.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a call that was sent before the client was closed is no ConfigurationError', async () => {
  const server = createServer();
  const arrivals = new EventEmitter();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    arrivals.emit('arrival');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${server.address().port}`;
  const calls = [(ramz) => ramz.verify.get('vrf_1'), (ramz) => Array.fromAsync(ramz.verify.watch('vrf_1'))];
  try {
    for (const call of calls) {
      const ramz = new GrpcRamz({ baseUrl: own, apiKey: 'ramz_test_key', runtime: { sleep: async () => {} } });
      const arrived = once(arrivals, 'arrival');
      const error = errorOf(call(ramz));
      await Promise.race([arrived, error]);
      ramz.close();
      assert.equal((await error).name, 'NetworkError');
    }
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('hooks hear of calls and of connections', async () => {
  const infos = [];
  const ramz = new GrpcRamz({ baseUrl, onResponse: (info) => infos.push(info), userAgent: 'tests/1', maxRetries: 0 });
  const { id } = await ramz.verify.send({ to: '+213550000001', purpose: `hooks ${Date.now()}` });
  for await (const _ of ramz.verify.watch(id)) break;
  await errorOf(ramz.verify.get('vrf_none'));
  ramz.close();
  assert.deepEqual(
    infos.map(({ operation, attempt, status }) => [operation, attempt, status]),
    [
      ['verify.send', 1, 200],
      ['verify.watch', 1, 200],
      ['verify.get', 1, 404],
    ],
  );
  for (const { requestId } of infos) assert.match(requestId, /^req_/);
});
