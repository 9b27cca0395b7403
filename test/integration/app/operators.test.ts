// What the person who runs the service sees of operators and orders about them, over the API and on the command line: an order holds in every
// process, and the doctor names the line of the configuration to change.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { operators as cli } from '../../../src/cli/operators.ts';
import { Smsc } from '../../support/npm-smsc.ts';
import { bindsOf, testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

/** Answers in hex and reports in decimal, as jSMPP's simulator does. */
const smsc = await Smsc.listen();
let messages = 0;
smsc.onSubmit = (submit, connection) => {
  messages += 1;
  const id = 0x8a3f0 + messages;
  connection.send(submit.response({ message_id: id.toString(16) }));
  const stat = submit.destination_addr === '213770000099' ? 'FAILED' : 'DELIVRD';
  const receipt = `id:${stat === 'FAILED' ? id.toString(16) : id} stat:${stat} err:034 text:`;
  void smsc.deliver(connection, { source_addr: submit.destination_addr as string, short_message: receipt });
};
afterAll(() => smsc.close());
const service = await testService({
  errorsExpected: true,
  config: {
    scenario_prefix: null,
    operators: [
      {
        id: 'alpha',
        name: 'Alpha Mobile',
        prefixes: ['+21377'],
        rate_per_second: 100,
        time_zone: 'UTC',
        binds: [{ host: '127.0.0.1', port: smsc.port, system_id: 'ramz', password: 'secret08', count: 2 }],
        tariff: [
          { version: '1', valid_from: '2020-01-01T00:00:00Z', currency: 'DZD', amount: '2.50', charged: 'delivery' },
        ],
      },
    ],
  },
});
const servers = [await service.startHere(), await service.startHere()] as const;
const [first, second] = servers;
await until(async () => (await bindsOf(first)).alpha === 1 && (await bindsOf(second)).alpha === 1, {
  what: 'a bind each',
});

const cascade = [{ channel: 'sms', timeout_seconds: 3 }];
/** Whether a send is refused because its operator is paused: its cascade has no other leg. */
async function isPaused({ live }: (typeof servers)[number], to: string): Promise<boolean> {
  const { status, body } = await live.call<{ error?: { reasons: string } }>('POST', '/v1/verify/send', { to, cascade });
  if (status === 200) return false;
  expect(body).toMatchObject({ error: { code: 'no_route', reasons: 'operator_maintenance' } });
  return true;
}

/** Until its metrics show whether the operator is paused. */
async function shows({ metrics }: (typeof servers)[number], value: 0 | 1): Promise<void> {
  const line = `ramz_operator_paused{operator="alpha"} ${value}`;
  const page = async () => (await fetch(`${metrics}/metrics`)).text();
  await until(async () => (await page()).split('\n').includes(line), { what: line });
}

async function admin(path: string, body?: object) {
  const response = await fetch(`${first.http}/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

const ramz = (...args: string[]) => ramzWith({}, ...args);

async function ramzWith(more: NodeJS.ProcessEnv, ...args: string[]) {
  const lines: string[] = [];
  const env = { ...service.env, DATABASE_URL: service.database.url, ...more };
  const code = await cli(args, { env, say: (line) => void lines.push(line) });
  return { code, said: lines.join('\n') };
}

let phones = 0;
const phone = () => `+2137700001${String(++phones).padStart(2, '0')}`;

test('operators are listed with their binds over all processes', async () => {
  await until(
    async () => {
      const { body } = await admin('operators');
      const [alpha] = body.operators as unknown as { binds: { bound: boolean; process: string }[] }[];
      return alpha?.binds.every(({ bound }) => bound) && new Set(alpha.binds.map(({ process }) => process)).size === 2;
    },
    { what: 'both binds to be told' },
  );
  expect((await admin('operators')).body).toMatchObject({
    operators: [{ id: 'alpha', name: 'Alpha Mobile', prefixes: ['+21377'], pause_reason: '' }],
  });
  expect(await ramz('list')).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^alpha {2}Alpha Mobile\n {4}binds: 2 of 2 up/),
  });
});

test('a pause holds in every process, whichever took it, and one that starts later; resume ends it', async () => {
  const paused = await admin('operators/alpha/pause', { reason: 'maintenance' });
  expect(paused).toMatchObject({ status: 200, body: { id: 'alpha', pause_reason: 'maintenance' } });
  const submits = smsc.of('submit_sm').length;
  const to = phone();
  for (const server of servers) await until(() => isPaused(server, to), { what: 'the pause to hold' });
  for (const server of servers) await shows(server, 1);
  const later = await service.startHere();
  expect(await isPaused(later, to)).toBe(true);
  await later.app.close();
  const since = /paused since \S+: maintenance/.exec((await ramz('list')).said)?.[0];
  expect(since).toBeDefined();
  // A second pause without a reason changes nothing.
  expect((await ramz('pause', 'alpha')).said).toContain(since);
  expect((await ramz('pause', 'alpha', '--reason', 'new cables')).said).toMatch(/paused since .*: new cables/);
  expect(await ramz('resume', 'alpha')).toMatchObject({ code: 0 });
  expect((await ramz('pause', 'alpha')).said).toMatch(/paused since \S+Z$/m);
  expect(await ramz('resume', 'alpha')).toMatchObject({ code: 0 });
  for (const server of servers)
    await until(async () => !(await isPaused(server, phone())), { what: 'the resume to hold' });
  await until(() => smsc.of('submit_sm').length > submits, { what: 'messages to go out again' });
  for (const server of servers) await shows(server, 0);
});

test('rebind makes one bind again, or all of them, wherever they are held', async () => {
  const before = smsc.sessions.length;
  const unbinds = smsc.of('unbind').length;
  expect(await admin('operators/alpha/rebind', { slot: 0 })).toMatchObject({ status: 200 });
  await until(() => smsc.sessions.length === before + 1, { what: 'one new bind' });
  expect(smsc.of('unbind')).toHaveLength(unbinds + 1);
  expect(await ramz('rebind', 'alpha')).toMatchObject({ code: 0 });
  await until(() => smsc.sessions.length === before + 3, { what: 'two new binds' });
  for (const server of servers) await until(async () => (await bindsOf(server)).alpha === 1, { what: 'a bind each' });
});

test('a rebind of a bind that is not there is refused', async () => {
  const { status, body } = await admin('operators/alpha/rebind', { slot: 2 });
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_argument', field: 'slot', message: 'slot must be one of 0, 1' } },
  });
  expect(await ramz('rebind', 'alpha', '2')).toEqual({
    code: 1,
    said: 'alpha has no such bind: <slot> is one of 0, 1',
  });
});

test('the doctor says which line would match what is parked, and which word is not known', async () => {
  await first.live.send('+213770000099', { cascade });
  const parked = await until(
    async () => {
      const { body } = await admin('parked_receipts?operator=alpha&page_size=1');
      const { said } = await ramz('doctor');
      return (
        said.includes('FAILED') &&
        (body.parked_receipts as unknown as { status: string }[])[0]?.status === 'DELIVRD' &&
        body
      );
    },
    { what: 'receipts to be parked' },
  );
  expect(parked).toMatchObject({
    parked_receipts: [
      { operator: 'alpha', reason: 'unmatched', status: 'DELIVRD', to: expect.stringMatching(/^\+2137\*+\d\d$/) },
    ],
  });
  const { code, said } = await ramz('doctor', 'alpha');
  expect(code).toBe(1);
  expect(said).toMatch(
    /(\d+) of \1 parked ids equal the id of an answer, hex there and decimal here: set message_id\.rule to "answer_hex_receipt_decimal"/,
  );
  expect(said).toContain('1 receipts say FAILED, which is not known: add receipt.meanings.FAILED');
  const listed = await ramz('parked', '--operator', 'alpha', '--json');
  expect(JSON.parse(listed.said)).toContainEqual(expect.objectContaining({ operator: 'alpha', reason: 'unmatched' }));
});

test('receipts that were parked under a wrong rule find their messages under the right one', async () => {
  const to = phone();
  const asked = await first.live.send(to, { cascade });
  const parked = async () => {
    const { body } = await admin('parked_receipts?operator=alpha&page_size=100');
    return body.parked_receipts as unknown as { to: string }[];
  };
  await until(async () => (await parked()).some((each) => each.to.endsWith(to.slice(-2))), { what: 'its receipt' });
  expect(await ramz('match', 'alpha')).toMatchObject({ code: 0, said: expect.stringMatching(/^0 of [1-9]/) });

  const corrected = `${service.env.RAMZ_CONFIG}.corrected`;
  const config = JSON.parse(readFileSync(service.env.RAMZ_CONFIG as string, 'utf8'));
  config.operators[0].message_id = { rule: 'answer_hex_receipt_decimal' };
  writeFileSync(corrected, JSON.stringify(config));
  const right = (...args: string[]) => ramzWith({ RAMZ_CONFIG: corrected }, ...args);
  const advice =
    /(\d+) of \1 parked ids equal the id of an answer, by message_id as it is now: run "npm run ramz -- operators match alpha"/;
  expect((await right('doctor', 'alpha')).said).toMatch(advice);
  const matched = /^(\d+) of \1 parked receipts name a message by message_id as it is now\n/;
  expect(await right('match', 'alpha')).toMatchObject({ code: 0, said: expect.stringMatching(matched) });

  await until(async () => (await parked()).length === 0, { what: 'the receipts to be taken in', timeoutMs: 70_000 });
  const { messages: delivered } = await first.live.session(asked.id);
  expect(delivered).toMatchObject([{ status: 'delivered' }]);
  // Nothing is left to match, nor to advise about ids.
  expect((await right('match', 'alpha')).said).toBe('0 of 0 parked receipts name a message by message_id as it is now');
  expect((await right('doctor', 'alpha')).said).not.toContain('parked ids');
});

test('what is not understood, and who is nobody', async () => {
  expect(await ramz('pause', 'nobody')).toEqual({ code: 1, said: 'no operator nobody is configured' });
  expect(await ramz('pause', 'alpha', '--reason', 'x'.repeat(201))).toMatchObject({
    code: 2,
    said: expect.stringContaining('--reason must be at most 200 characters long'),
  });
  expect(await ramz('doctor', 'nobody')).toEqual({ code: 1, said: 'no operator nobody is configured' });
  expect(await ramz('match', 'nobody')).toEqual({ code: 1, said: 'no operator nobody is configured' });
  expect(await ramz('match')).toMatchObject({ code: 2, said: expect.stringContaining('<operator> is missing') });
  expect(await ramz('parked', '--operator', 'nobody')).toEqual({ code: 1, said: 'no operator nobody is configured' });
  expect(await ramz('parked', '--operator', 'alpha', '--json')).toMatchObject({ code: 0 });
  expect(await ramz('rebind', 'alpha', 'x')).toMatchObject({ code: 2, said: expect.stringContaining('usage') });
  expect(await ramz('dance')).toMatchObject({ code: 2 });
  expect(await admin('operators/nobody/pause', {})).toMatchObject({ status: 404 });
});
