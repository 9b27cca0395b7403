// An operator that can't be reached, or is switched off: its leg is skipped, the rest of the cascade runs, and the timeline says why.
// Two servers, so that what one of them knows of an operator is not taken for all there is.
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { databaseClock, machineClock } from '../../support/machine-clock.ts';
import { bindsOf, type LocalServer, testService } from '../../support/service.ts';
import type { Session } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox, configure } = service;
const { messaging } = sandbox;
configure({ messaging });
const { atlas } = sandbox.smscs;
const servers = [await service.startHere(), await service.startHere()] as const;
const [first, second] = servers;
const clock = databaseClock(service.database);

let number = 2_000_000;
const send = async ({ live }: LocalServer, prefix = '+21355') => {
  number += 1;
  const cascade = [
    { channel: 'sms', timeout_seconds: 30 },
    { channel: 'whatsapp', timeout_seconds: 30 },
  ];
  const { id } = await live.send(`${prefix}${number}`, { cascade });
  return id;
};
const skipped = (id: string) =>
  first.live.sessionWhen(id, 'skipped', ({ timeline }) => timeline.some(({ kind }) => kind === 'leg_skipped'));
const story = ({ timeline }: Session) => timeline.map(({ kind, channel, reason }) => `${kind} ${channel} ${reason}`);
const at = ({ timeline }: Session, kind: string) => Date.parse(timeline.find((entry) => entry.kind === kind)?.at ?? '');

async function boundAtlas(count: number): Promise<void> {
  const all = async () => (await Promise.all(servers.map(bindsOf))).reduce((sum, { atlas = 0 }) => sum + atlas, 0);
  await until(async () => (await all()) === count, { what: `${count} binds of atlas` });
}

async function standing({ metrics }: LocalServer): Promise<string | undefined> {
  const { operators } = (await (await fetch(`${metrics}/readyz`)).json()) as {
    operators: { operator: string; standing: string }[];
  };
  return operators.find(({ operator }) => operator === 'atlas')?.standing;
}
const stand = (word: string) =>
  until(async () => (await Promise.all(servers.map(standing))).every((each) => each === word), {
    what: `atlas to be ${word} at both servers`,
  });

async function reload(change: object): Promise<void> {
  const operators = sandbox.operators.map((each) => (each.id === 'atlas' ? { ...each, ...change } : each));
  configure({ operators, messaging });
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  for (const { app } of servers) await app.reload(loaded.config);
}

afterEach(async () => {
  await atlas.reset();
  await reload({});
  await boundAtlas(2);
});

test('down for five seconds: what waits goes on within a second, and nobody waits any more', async () => {
  await boundAtlas(2);
  const downAt = Date.now();
  await atlas.goDown();
  await boundAtlas(0);
  const lostAt = Date.now();
  const waiting = await Promise.all([send(first), send(second), send(first), send(second)]);
  for (const session of await Promise.all(waiting.map(skipped))) {
    const skippedAt = at(session, 'leg_skipped');
    // Five seconds; a busy machine may add a few.
    expect([skippedAt - downAt >= 5_000, clock.between(lostAt, skippedAt) < 8_000]).toEqual([true, true]);
    expect(story(session).slice(0, 4)).toEqual([
      'session_opened sms ',
      'leg_started sms ',
      'leg_skipped sms operator_down',
      'leg_started whatsapp ',
    ]);
    expect(session.messages).toMatchObject([{ status: 'withdrawn' }, { channel: 'whatsapp' }]);
  }
  await stand('operator_down');
  for (const server of servers) {
    const session = await first.live.session(await send(server));
    expect(story(session).slice(0, 3)).toEqual([
      'session_opened sms ',
      'leg_skipped sms operator_down',
      'leg_started whatsapp ',
    ]);
    expect(session.timeline[1]).toMatchObject({ detail: 'atlas' });
  }
  const down = async () =>
    (await (await fetch(`${first.metrics}/metrics`)).text()).includes('ramz_operator_down{operator="atlas"} 1');
  await until(down, { what: 'the metric' });

  await atlas.comeUp();
  await stand('up');
  const id = await send(second);
  await first.live.sessionWhen(id, 'delivered', ({ delivery }) => delivery === 'delivered');
});

test('down for five seconds: a send that comes then goes on to the next leg within a second, at every server', async () => {
  await boundAtlas(2);
  const clock = machineClock(async () => {
    await service.database.lanes.query({ name: 'tick', text: 'select 1', values: [] });
  });
  await atlas.goDown();
  await boundAtlas(0);
  await clock.pass(5_000);
  const ids = await Promise.all(servers.map((server) => send(server)));
  for (const session of await Promise.all(ids.map(skipped))) {
    expect(story(session)).toContain('leg_skipped sms operator_down');
    const [openedAt, skippedAt] = [at(session, 'session_opened'), at(session, 'leg_skipped')];
    expect(clock.between(openedAt, skippedAt)).toBeLessThanOrEqual(1_000);
    const next = session.timeline.find(({ kind, channel }) => kind === 'leg_started' && channel === 'whatsapp');
    expect(Date.parse(next?.at ?? '')).toBe(skippedAt);
  }
  await clock.stop();
});

test('putting off every message on binds that are up: after ten seconds it is down, and what it accepts once brings it back', async () => {
  await boundAtlas(2);
  await atlas.behave('throttling');
  const waiting = await Promise.all(Array.from({ length: 12 }, () => servers.map((server) => send(server))).flat());
  for (const session of await Promise.all(waiting.map(skipped))) {
    expect(story(session)).toContain('leg_skipped sms operator_down');
    expect(session.messages).toMatchObject([{ status: 'withdrawn' }, { channel: 'whatsapp' }]);
  }
  // The first that found it down may have taken over what the other one would have counted.
  const isDownAtBoth = async () => {
    await Promise.all(servers.map((server) => send(server)));
    return (await Promise.all(servers.map(standing))).every((each) => each === 'operator_down');
  };
  await until(isDownAtBoth, { what: 'it to be down at both servers', everyMs: 250 });
  for (const server of servers) {
    const session = await first.live.session(await send(server));
    expect(story(session).slice(0, 3)).toEqual([
      'session_opened sms ',
      'leg_skipped sms operator_down',
      'leg_started whatsapp ',
    ]);
  }
  await atlas.reset();
  await stand('up');
  const { messages } = await first.live.sessionWhen(
    await send(second),
    'delivered',
    ({ delivery }) => delivery === 'delivered',
  );
  expect(messages).toMatchObject([{ channel: 'sms' }]);
});

test('switched off: its binds are closed, its leg is skipped, other operators serve; switched on again it serves', async () => {
  await boundAtlas(2);
  await reload({ enabled: false });
  await boundAtlas(0);
  await stand('operator_maintenance');
  expect(story(await first.live.session(await send(first)))).toContain('leg_skipped sms operator_maintenance');
  const other = await send(first, '+21366');
  await first.live.sessionWhen(other, 'delivered', ({ delivery }) => delivery === 'delivered');
  await reload({});
  await boundAtlas(2);
  await stand('up');
  await first.live.sessionWhen(await send(first), 'delivered', ({ delivery }) => delivery === 'delivered');
});

test('in a maintenance window its leg is skipped, and its binds stay', async () => {
  await boundAtlas(2);
  const around = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await reload({ maintenance: [{ from: around(-1), to: around(1) }] });
  await stand('operator_maintenance');
  expect(story(await first.live.session(await send(second)))).toContain('leg_skipped sms operator_maintenance');
  await boundAtlas(2);
});
