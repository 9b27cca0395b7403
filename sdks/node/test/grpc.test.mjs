// The same client over gRPC; needs Node 22.
import assert from 'node:assert/strict';
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
