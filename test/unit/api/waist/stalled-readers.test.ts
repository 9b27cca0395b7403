// A stream whose reader does not read: it ends all the same once it may not go on, so that what it holds is free again.

import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { fail, faultOf } from '../../../../src/api/waist/errors.ts';
import { createWaist, service } from '../../../../src/api/waist/invoke.ts';
import type { Authenticator, KeyOutcome } from '../../../../src/api/waist/ports.ts';
import { VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { until } from '../../../support/wait.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const principal = {
  kind: 'key',
  accountId: 'acct_1',
  mode: 'live',
  keyId: 'key_1',
  name: '',
  expiresAt: null,
} as const;

/** A stream of which one message was read, and another one is not asked for. */
async function stalled() {
  let outcome: KeyOutcome = { kind: 'ok', principal: { ...principal, scopes: ['read', 'numbers'] } };
  let look: Parameters<NonNullable<Authenticator['follow']>>[0] = () => {};
  let ended = false;
  const waist = createWaist({
    services: [
      service(VerifyService, {
        async *watchSession({ id }) {
          try {
            for (;;) yield { session: { id } };
          } finally {
            ended = true;
          }
        },
      }),
    ],
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
  const reader = messages[Symbol.asyncIterator]();
  expect(await reader.next()).toMatchObject({ done: false });
  const revoke = () => {
    outcome = { kind: 'revoked' };
    look({ changed: true, now: Date.now() });
  };
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
