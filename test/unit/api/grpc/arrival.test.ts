// The time within which a request arrives, by calls in the test's hand: which are waited for, from when on, and which end.
import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { arrival, type Refuse } from '../../../../src/api/grpc/arrival.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Told = Record<
  'onReceiveMetadata' | 'onReceiveMessage' | 'onReceiveHalfClose' | 'onCancel',
  (given?: object) => void
>;

/** A call of `peer`, and what the library tells of it. */
function begun(wait: ReturnType<typeof arrival>, peer: string, requestStream: boolean) {
  const ended: unknown[] = [];
  const nothing = () => {};
  // The interceptor puts itself before these.
  const told: Told = {
    onReceiveMetadata: nothing,
    onReceiveMessage: nothing,
    onReceiveHalfClose: nothing,
    onCancel: nothing,
  };
  const call = {
    start: nothing,
    getPeer: () => peer,
    sendStatus: ({ code }: { code: number }) => void ended.push(code),
  } as unknown as ServerInterceptingCallInterface;
  wait({ requestStream } as never, call);
  call.start(told as never);
  told.onReceiveMetadata();
  return { ended, hear: told };
}
/** The refusal as it is given. */
const asGiven: Refuse = (_, given) => given;
const gateOf = (cut: string[], isCounted: boolean) => ({
  of: (peer: string) => ({ cutUnproven: () => isCounted && cut.push(peer) > 0 }) as never,
});

test('of a stream of requests each has the time anew, and a call of one request has it once', async () => {
  const wait = arrival(gateOf([], false), asGiven, 1_000);
  const stream = begun(wait, 'a', true);
  const single = begun(wait, 'a', false);
  for (let nth = 0; nth < 5; nth += 1) {
    await vi.advanceTimersByTimeAsync(800);
    for (const { hear } of [stream, single]) hear.onReceiveMessage();
  }
  expect({ stream: stream.ended, single: single.ended }).toEqual({ stream: [], single: [status.DEADLINE_EXCEEDED] });
  await vi.advanceTimersByTimeAsync(1_300);
  expect(stream.ended).toEqual([status.DEADLINE_EXCEEDED]);
});

test.each(['onReceiveHalfClose', 'onCancel'] as const)('after %s nothing is waited for', async (event) => {
  const wait = arrival(gateOf([], false), asGiven, 1_000);
  const calls = [begun(wait, 'a', true), begun(wait, 'a', false)];
  for (const { hear } of calls) hear[event]();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(calls.flatMap(({ ended }) => ended)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a connection without a good key is cut once, and nothing is said on it', async () => {
  const cut: string[] = [];
  const wait = arrival(gateOf(cut, true), asGiven, 1_000);
  const calls = ['a', 'a', 'b'].map((peer) => begun(wait, peer, false));
  await vi.advanceTimersByTimeAsync(1_300);
  expect(calls.flatMap(({ ended }) => ended)).toEqual([]);
  expect(new Set(cut)).toEqual(new Set(['a', 'b']));
});
