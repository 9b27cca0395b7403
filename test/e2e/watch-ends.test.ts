// A stream ends with the key it was opened with, at every door that streams: when the key is revoked, here or by another process,
// and when it expires.

import { create } from '@bufbuild/protobuf';
import { afterAll, describe, expect, test } from 'vitest';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { type Caller, callers, type Outcome } from '../support/doors.ts';
import { databaseClock } from '../support/machine-clock.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const [here, elsewhere] = [await service.startHere(), await service.startHere()];
const doors = callers(here.app);
afterAll(() => {
  for (const door of doors) door.close();
});

/** A second is what is promised; the calls take some time, too. */
const soonMs = 1_000 + 1_500;
const clock = databaseClock(service.database);

let number = 0;
const session = async () => {
  number += 1;
  return here.test.send(`+21366${3_000_000 + number}`);
};

interface NewKey {
  id: string;
  key: string;
}
const newKey = async (more = {}): Promise<NewKey> =>
  (await here.live.call<NewKey>('POST', '/v1/api_keys', { name: 'watcher', test: true, scopes: ['read'], ...more }))
    .body;

/** Over REST the error is the data of the last event. */
const statusOf = ({ door }: Caller) => (door === 'rest' ? {} : { grpcCode: 16 });

/** Watches until the stream ends by itself. */
function watch(door: Caller, key: string, id: string) {
  const { watchSession } = VerifyService.method;
  const seen: Outcome[] = [];
  const stream = door.stream(watchSession, create(watchSession.input, { id }), { authorization: `Bearer ${key}` });
  const ended = (async () => {
    for await (const outcome of stream) seen.push(outcome);
  })();
  const begun = () => until(() => seen.length > 0, { what: 'the first state' });
  return { seen, ended, begun };
}

describe.each(doors.map((door) => [door.door, door] as const))('%s', (_, door) => {
  test.each([
    ['here', here],
    ['by another process', elsewhere],
  ] as const)('a key that is revoked %s', async (_, by) => {
    const { id: session_id } = await session();
    const [{ id, key }, other] = [await newKey(), await newKey()];
    const [revoked, kept] = [watch(door, key, session_id), watch(door, other.key, session_id)];
    await Promise.all([revoked.begun(), kept.begun()]);
    expect((await by.live.call('POST', `/v1/api_keys/${id}/revoke`)).status).toBe(200);
    const from = Date.now();
    await revoked.ended;
    expect(clock.between(from, Date.now())).toBeLessThan(soonMs);
    expect(revoked.seen.at(-1)).toMatchObject({ kind: 'error', code: 'revoked_api_key', ...statusOf(door) });
    // Nothing of what comes after is told.
    await here.test.call('POST', `/v1/verify/sessions/${session_id}/cancel`);
    await kept.ended;
    expect(kept.seen.at(-1)).toMatchObject({ kind: 'ok', json: { session: { status: 'canceled' } } });
    expect(JSON.stringify(revoked.seen)).not.toContain('"canceled"');
  });

  test('a key that expires', async () => {
    const { id: session_id } = await session();
    // A slow machine must have made it, and begun to watch, before.
    const end = Date.now() + 15_000;
    const { key } = await newKey({ expires_at: new Date(end).toISOString() });
    const watched = watch(door, key, session_id);
    await watched.begun();
    await watched.ended;
    const endedAt = Date.now();
    expect(endedAt).toBeGreaterThanOrEqual(end);
    expect(clock.between(end, endedAt)).toBeLessThan(soonMs);
    expect(watched.seen.at(-1)).toMatchObject({ kind: 'error', code: 'expired_api_key', ...statusOf(door) });
  });
});
