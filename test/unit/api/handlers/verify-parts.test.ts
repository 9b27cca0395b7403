// The small parts the handlers of VerifyService share: page tokens, request hashes, turns, one answer for one key.
import { create, type MessageShape } from '@bufbuild/protobuf';
import { createContextValues, createHandlerContext } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Once, type Tried, toStored } from '../../../../src/api/handlers/verify/once.ts';
import { readPageToken, writePageToken } from '../../../../src/api/handlers/verify/page-token.ts';
import { requestHasher } from '../../../../src/api/handlers/verify/request-hash.ts';
import { Turns } from '../../../../src/api/handlers/verify/turns.ts';
import { contextKeys } from '../../../../src/api/waist/context.ts';
import { fail, faultOf } from '../../../../src/api/waist/errors.ts';
import { newId } from '../../../../src/core/ids.ts';
import { type KeyRing, parseKeyRing } from '../../../../src/core/secrets/key-ring.ts';
import type { Idempotency } from '../../../../src/engine/sessions/idempotency.ts';
import { CheckRequestSchema, CheckResponseSchema, VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';

const id = newId('vrf_', { nowMs: 1_800_000_000_000, shard: 5, random: new Uint8Array(10).fill(9) });

describe('page tokens', () => {
  const binding = ['acct_1', 'live', 'null'];

  it('lead back to the id', () => {
    expect(readPageToken(writePageToken(id, binding), 'vrf_', binding)).toBe(id);
  });

  it('are bound to the list', () => {
    const token = writePageToken(id, binding);
    expect(readPageToken(token, 'vrf_', ['acct_1', 'test', 'null'])).toBeNull();
    expect(readPageToken(token, 'vrf_', ['acct_1', 'live,null'])).toBeNull();
    expect(readPageToken(token, 'whk_', binding)).toBeNull();
  });

  it('with any character changed, added or taken away are none', () => {
    const token = writePageToken(id, binding);
    fc.assert(
      fc.property(fc.nat(token.length), fc.string({ maxLength: 2 }), fc.nat(1), (at, text, taken) => {
        const changed = token.slice(0, at) + text + token.slice(at + taken);
        if (changed !== token) expect(readPageToken(changed, 'vrf_', binding)).toBeNull();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => readPageToken(text, 'vrf_', binding) === null));
  });
});

function ring(current: string): KeyRing {
  const keys = { k1: Buffer.alloc(32, 1).toString('base64'), k2: Buffer.alloc(32, 2).toString('base64') };
  const rest = {
    api_key: { current: 'a', keys: { a: keys.k1 } },
    webhook_secret: { current: 'w', keys: { w: keys.k1 } },
  };
  const parsed = parseKeyRing(JSON.stringify({ code: { current, keys }, ...rest }));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}

describe('request hashes', () => {
  const before = requestHasher(ring('k1'));
  const after = requestHasher(ring('k2'));

  it('outlive a rotation of the ring', () => {
    const stored = before.hash('{"code":"123456"}');
    expect(after.matches(stored, '{"code":"123456"}')).toBe(true);
    expect(after.matches(stored, '{"code":"123457"}')).toBe(false);
    expect(after.hash('{"code":"123456"}')).not.toEqual(stored);
  });

  it('do not take what others stored for theirs', () => {
    for (const stored of [Buffer.alloc(0), Buffer.alloc(32), Buffer.from('k9.x'), Buffer.from('a.x')]) {
      expect(before.matches(stored, '{}')).toBe(false);
    }
  });
});

describe('turns', () => {
  it('are taken one after another, and a failure holds nobody up', async () => {
    const turns = new Turns();
    const order: number[] = [];
    let running = 0;
    const results = await Promise.allSettled(
      [0, 1, 2, 3, 4].map((n) =>
        turns.take('one', async () => {
          running += 1;
          expect(running).toBe(1);
          await new Promise(setImmediate);
          order.push(n);
          running -= 1;
          if (n === 1) throw new Error('broken');
          return n;
        }),
      ),
    );
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
    expect(turns.size).toBe(0);
  });

  it('of different keys do not wait for each other', async () => {
    const turns = new Turns();
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = turns.take('one', () => promise);
    expect(await turns.take('other', async () => 'through')).toBe('through');
    resolve();
    await held;
  });
});

describe('one answer for one key', () => {
  type Answer = MessageShape<typeof CheckResponseSchema>;
  const answer = (attemptsRemaining: number) => create(CheckResponseSchema, { id, attemptsRemaining });
  const request = (code: string) => create(CheckRequestSchema, { id, code });

  function call(key: string | undefined, signal?: AbortSignal) {
    const caller = {
      kind: 'key' as const,
      accountId: 'acct_1',
      mode: 'live' as const,
      keyId: 'key_1',
      scopes: [],
      expiresAt: null,
    };
    return createHandlerContext({
      service: VerifyService,
      method: VerifyService.method.check,
      protocolName: 'rest',
      requestMethod: 'POST',
      url: '/',
      contextValues: createContextValues().set(contextKeys.principal, caller).set(contextKeys.idempotencyKey, key),
      ...(signal ? { requestSignal: signal } : {}),
    });
  }

  function world(current = 'k1') {
    const stored = new Map<string, { hash: Buffer; answer: unknown }>();
    const hasher = requestHasher(ring(current));
    const once = new Once({ hasher, store: { storedAnswer: async (_, __, ___, key) => stored.get(key) ?? null } });
    const keep = (idempotency: Idempotency | null, kept: Answer) => {
      if (idempotency)
        stored.set(idempotency.key, { hash: idempotency.hash, answer: toStored(CheckResponseSchema, kept) });
    };
    const run = (
      context: ReturnType<typeof call>,
      code: string,
      work: (idempotency: Idempotency | null) => Promise<Tried<Answer>>,
    ) => once.run(context, request(code), CheckResponseSchema, work);
    return { stored, keep, run };
  }
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error) => faultOf(error).code,
    );

  it('is not needed by a call without a key', async () => {
    const { run } = world();
    const seen: unknown[] = [];
    await run(call(undefined), '1', async (idempotency) => {
      seen.push(idempotency);
      return { kind: 'answered', answer: answer(4) };
    });
    expect(seen).toEqual([null]);
  });

  it('another call has committed meanwhile is answered in place of what this one met', async () => {
    const { run, keep } = world();
    const work = (tried: Tried<Answer>) => async (idempotency: Idempotency | null) => {
      keep(idempotency, answer(4));
      return tried;
    };
    expect(await run(call('a'), '1', work({ kind: 'unchanged', answer: answer(3) }))).toEqual(answer(4));
    expect(await run(call('b'), '1', work({ kind: 'failed', error: fail('number_locked', '') }))).toEqual(answer(4));
    expect(await run(call('c'), '1', work({ kind: 'answered', answer: answer(3) }))).toEqual(answer(3));
  });

  it('belongs to one request', async () => {
    const { run, keep } = world();
    await run(call('a'), '1', async (idempotency) => {
      keep(idempotency, answer(4));
      return { kind: 'answered', answer: answer(4) };
    });
    expect(await codeOf(run(call('a'), '2', async () => ({ kind: 'idempotency_conflict' })))).toBe(
      'idempotency_key_reused',
    );
    const refused = async () => ({ kind: 'failed' as const, error: fail('session_not_found', '') });
    expect(await codeOf(run(call('a'), '2', refused))).toBe('idempotency_key_reused');
    expect(await codeOf(run(call('b'), '2', refused))).toBe('session_not_found');
  });

  it('is found under the key it was hashed with, after a rotation', async () => {
    const { stored, keep, run } = world('k1');
    await run(call('a'), '1', async (idempotency) => {
      keep(idempotency, answer(4));
      return { kind: 'answered', answer: answer(4) };
    });
    const rotated = world('k2');
    for (const [key, value] of stored) rotated.stored.set(key, value);
    // The engine compares bytes and sees another hash.
    expect(await rotated.run(call('a'), '1', async () => ({ kind: 'idempotency_conflict' }))).toEqual(answer(4));
  });

  it('is not worked for when the caller went while it waited', async () => {
    const { run } = world();
    const { promise, resolve } = Promise.withResolvers<Tried<Answer>>();
    const first = run(call('a'), '1', () => promise);
    const going = new AbortController();
    let worked = false;
    const second = run(call('a', going.signal), '1', async () => {
      worked = true;
      return { kind: 'answered', answer: answer(1) };
    });
    going.abort();
    resolve({ kind: 'answered', answer: answer(4) });
    expect(await first).toEqual(answer(4));
    expect(await codeOf(second)).toBe('canceled');
    expect(worked).toBe(false);
  });
});
