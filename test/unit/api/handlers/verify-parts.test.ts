// The small parts the handlers of VerifyService share: page tokens, turns, one answer for one key.
import { create, type MessageShape } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPageToken, writePageToken } from '../../../../src/api/handlers/fields.ts';
import { Once, type Tried, Turns } from '../../../../src/api/handlers/verify/idempotent.ts';
import { faultOf } from '../../../../src/api/waist/errors.ts';
import { newId } from '../../../../src/core/ids.ts';
import type { Keyed } from '../../../../src/engine/engine.ts';
import { CheckResponseSchema, VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { checkOf } from '../../../support/checks.ts';
import { callOf } from './call.ts';

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
  const request = (code: string) => checkOf({ id, code });

  const call = (key: string | undefined, signal?: AbortSignal) => callOf(VerifyService.method.check, { key, signal });

  const once = new Once();
  const run = (
    context: ReturnType<typeof call>,
    code: string,
    work: (idempotency: Keyed | null) => Promise<Tried<Answer>>,
  ) => once.run(context, request(code), CheckResponseSchema, work);
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error) => faultOf(error).code,
    );

  it('is not needed by a call without a key', async () => {
    const seen: unknown[] = [];
    await run(call(undefined), '1', async (idempotency) => {
      seen.push(idempotency);
      return { kind: 'answered', answer: answer(4) };
    });
    expect(seen).toEqual([null]);
  });

  it('is asked for with the request as one text, the same through every door', async () => {
    const seen: unknown[] = [];
    await run(call('a'), '1', async (idempotency) => {
      seen.push(idempotency);
      return { kind: 'answered', answer: answer(4) };
    });
    const text = JSON.stringify({ id, code: '1' });
    expect(seen).toEqual([{ route: expect.any(String), key: 'a', request: expect.any(String) }]);
    expect(JSON.parse((seen[0] as Keyed).request)).toEqual(JSON.parse(text));
  });

  it('is read as it was stored, with fields that this version does not know', async () => {
    const replayed = async () => ({ kind: 'replayed' as const, answer: { id, attemptsRemaining: 4, later: true } });
    expect(await run(call('a'), '1', replayed)).toEqual(answer(4));
    const conflict = async () => ({ kind: 'idempotency_conflict' as const });
    expect(await codeOf(run(call('a'), '2', conflict))).toBe('idempotency_key_reused');
  });

  it('is not worked for when the caller went while it waited', async () => {
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
