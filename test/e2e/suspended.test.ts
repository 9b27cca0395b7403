// An account that the operator of the service suspends from the command line, while two processes serve it: calls and streams end
// everywhere within a second, a running cascade stops, webhooks are held, and all of it goes on once the account is resumed.

import { create } from '@bufbuild/protobuf';
import { afterAll, expect, test } from 'vitest';
import { account } from '../../src/cli/account.ts';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { callers, type Outcome } from '../support/doors.ts';
import { databaseClock } from '../support/machine-clock.ts';
import { testService } from '../support/service.ts';
import { type Client, serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox, accountId } = service;
service.configure({ messaging: sandbox.messaging });
const [here, elsewhere] = [await service.startHere(), await service.startProcess()];
const doors = callers(here.app);
afterAll(() => {
  for (const door of doors) door.close();
});

/** A second is what is promised; the looks take some time, too. */
const soonMs = 1_000 + 2_000;
const clock = databaseClock(service.database);

/** In this process: the start of one may take longer than the cascade's first leg. */
async function operator(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const options = { env: { ...process.env, ...service.env }, say: (line: string) => void lines.push(line) };
  expect(await account(args, options), lines.join('\n')).toBe(0);
  return lines.join('\n');
}

const statusOf = async (client: Client) => (await client.call<unknown>('GET', '/v1/account')).status;
const everywhere = [here.live, here.test, elsewhere.live, elsewhere.test];
const until403 = async (status: number) => {
  const are = async () => (await Promise.all(everywhere.map(statusOf))).every((each) => each === status);
  const from = Date.now();
  await until(are, { what: `${status} everywhere` });
  expect(clock.between(from, Date.now())).toBeLessThanOrEqual(soonMs);
};

test('calls, streams, cascades and webhooks stop, and go on', async () => {
  const watched = await here.test.send('+213664000001');
  const streams = doors.flatMap(({ door, stream }) => {
    const { watchSession } = VerifyService.method;
    const input = create(watchSession.input, { id: watched.id });
    const seen: Outcome[] = [];
    if (!stream) return [];
    const ended = (async () => {
      for await (const one of stream(watchSession, input, { authorization: `Bearer ${service.testKey}` }))
        seen.push(one);
    })();
    return [{ door, seen, ended }];
  });
  expect(streams).toHaveLength(4);
  await until(() => streams.every(({ seen }) => seen.length > 0), { what: 'the streams to begin' });
  // Nothing is heard of its SMS, so the cascade would go on to the app.
  const silent = scenarioNumbers(sandbox.scenarioPrefix).sms_silent;
  const cascade = [
    { channel: 'sms', timeout_seconds: 20 },
    { channel: 'whatsapp', timeout_seconds: 8 },
  ];
  const running = await here.live.send(silent, { cascade });
  await until(() => sandbox.smsTo(silent).length === 1, { what: 'the SMS to be out' });
  // No earlier webhook is still under way.
  await sandbox.eventsOf(watched.id, 2);
  await sandbox.eventsOf(running.id, 1);

  expect(await operator('suspend', accountId, '--reason', 'stolen')).toContain('suspended since');
  await until403(403);
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { door, seen } of streams) {
    const grpcCode = door === 'rest' ? undefined : 7;
    expect(seen.at(-1)).toMatchObject({ code: 'account_suspended', grpcCode });
  }
  const posted = sandbox.events().length;

  await until(async () => (await heldOf()) > 0, { what: 'webhooks to be held' });
  const ended = async () => {
    const { rows } = await service.database.lanes.query<{ delivery: string }>({
      text: 'select delivery from verify_session where id = $1',
      values: [running.id],
    });
    return rows[0]?.delivery === 'exhausted';
  };
  await until(ended, { what: 'the cascade to stop' });
  expect(sandbox.inbox.list({ to: silent })).toHaveLength(1);
  expect(sandbox.events()).toHaveLength(posted);

  await operator('resume', accountId);
  await until403(200);
  await until(async () => (await heldOf()) === 0, { what: 'nothing to be held' });
  const exhausted = ({ type, data }: { type: string; data: { session_id: string } }) =>
    type === 'session.delivery_exhausted' && data.session_id === running.id;
  await until(() => sandbox.events().some(exhausted), { what: 'what was held' });
  const { timeline } = await here.live.session(running.id);
  expect(timeline).toContainEqual(expect.objectContaining({ kind: 'leg_skipped', reason: 'account_suspended' }));
  // And it can be used as before.
  expect((await serviceClient(elsewhere.http, service.liveKey).send('+213551640002')).status).toBe('pending');
});

async function heldOf(): Promise<number> {
  const { rows } = await service.database.lanes.query<{ count: number }>({
    text: `select count(*)::integer as count from webhook_retry where account_id = $1 and next_at is null`,
    values: [accountId],
  });
  return rows[0]?.count ?? 0;
}
