// A stream whose reader does not read: it ends all the same once it may not go on, so that what it holds is free again.

import { getEventListeners } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { afterEach, expect, test, vi } from 'vitest';
import { fail, faultOf } from '../../../../src/api/waist/errors.ts';
import { createWaist, service } from '../../../../src/api/waist/invoke.ts';
import type { Authenticator, KeyOutcome } from '../../../../src/api/waist/ports.ts';
import { VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { until } from '../../../support/wait.ts';

afterEach(() => void vi.restoreAllMocks());

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const principal = {
  kind: 'key',
  accountId: 'acct_1',
  mode: 'live',
  keyId: 'key_1',
  name: '',
  expiresAt: null,
} as const;

type WatchSession = NonNullable<Parameters<typeof service<typeof VerifyService>>[1]['watchSession']>;

/** What a caller of a stream is answered by. */
function serving(watchSession: WatchSession) {
  let outcome: KeyOutcome = { kind: 'ok', principal: { ...principal, scopes: ['read', 'numbers'] } };
  let look: Parameters<NonNullable<Authenticator['follow']>>[0] = () => {};
  const waist = createWaist({
    services: [service(VerifyService, { watchSession })],
    authenticator: {
      authenticate: () => outcome,
      administrator: () => ({ kind: 'unknown' }),
      follow: (listener) => {
        look = listener;
      },
    },
    logger: silent,
  });
  const method = VerifyService.method.watchSession;
  const { messages } = waist.invokeStream(method, create(method.input, { id: 'vrf_1' }), {
    origin: waist.newOrigin('grpc', '127.0.0.1', undefined),
    header: new Headers({ authorization: 'Bearer key' }),
  });
  const revoke = () => {
    outcome = { kind: 'revoked' };
    look({ changed: true, now: Date.now() });
  };
  return { waist, messages, revoke };
}

/** A stream of which one message was read, and another one is not asked for. */
async function stalled() {
  let ended = false;
  const { waist, messages, revoke } = serving(async function* ({ id }) {
    try {
      for (;;) yield { session: { id } };
    } finally {
      ended = true;
    }
  });
  const reader = messages[Symbol.asyncIterator]();
  expect(await reader.next()).toMatchObject({ done: false });
  return { waist, reader, revoke, isEnded: () => ended };
}

const refusal = async (next: Promise<unknown>) =>
  faultOf(
    await next.then(
      () => fail('internal', 'not refused'),
      (error) => error,
    ),
  ).code;

test('its key is revoked', async () => {
  const { reader, revoke, isEnded } = await stalled();
  revoke();
  await until(isEnded, { what: 'the handler to end' });
  expect(await refusal(reader.next())).toBe('revoked_api_key');
});

test('the process stops', async () => {
  const { waist, reader, isEnded } = await stalled();
  waist.stopStreams();
  await until(isEnded, { what: 'the handler to end' });
  expect(await refusal(reader.next())).toBe('unavailable');
});

test.each([
  ['ends', null],
  ['is refused', fail('session_not_found', 'no such session')],
])('one that %s leaves nothing behind at the signal of the process', async (_, refused) => {
  const made: AbortSignal[] = [];
  const { any } = AbortSignal;
  vi.spyOn(AbortSignal, 'any').mockImplementation((signals) => {
    const signal = any.call(AbortSignal, signals);
    made.push(signal);
    return signal;
  });
  const { messages } = serving(async function* ({ id }) {
    yield { session: { id } };
    if (refused) throw refused;
  });
  const read = async () => {
    for await (const _message of messages);
  };
  await read().catch((error: unknown) => expect(error).toMatchObject({ code: Code.NotFound }));
  expect(made.length).toBeGreaterThan(0);
  // A signal of several that has a listener lives for as long as they do.
  expect(made.map((signal) => getEventListeners(signal, 'abort').length)).toEqual(made.map(() => 0));
});
