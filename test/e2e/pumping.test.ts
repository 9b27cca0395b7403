// A stolen key that sends to sequential numbers as fast as its account may, at four processes at once: the attack ends within 200 sends, its
// stop holds everywhere and after a restart, and nobody else notices.
import { expect, test } from 'vitest';
import { databaseClock } from '../support/machine-clock.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';

const service = await testService({
  config: { limits: { rules: { sequential_numbers: 'enforce', prefix_conversion: 'enforce' } } },
});
const servers = await Promise.all(Array.from({ length: 4 }, () => service.startProcess()));
const [first] = servers as [(typeof servers)[0]];
const admin = serviceClient(first.http, service.adminToken);

async function newAccount() {
  type Made = { account: { id: string }; live_key: { key: string }; test_key: { key: string } };
  const { body } = await admin.call<Made>('POST', '/v1/accounts', { name: 'My Shop' });
  const at = (key: string) => servers.map(({ http }) => serviceClient(http, key));
  return { id: body.account.id, key: body.live_key.key, live: at(body.live_key.key), test: at(body.test_key.key) };
}

interface Guarded {
  error: { code: string; message: string; rule: string; reason: string; stop_id: string };
}
interface StopShown {
  id: string;
  prefix: string;
  rule: string;
  sent: number;
  verified: number;
  enforced: boolean;
  lifted_by: string;
}

const clock = databaseClock(service.database);
const stolen = await newAccount();
const neighbour = await newAccount();
const number = (nth: number) => `+2135512${String(nth).padStart(5, '0')}`;
const send = (client: (typeof stolen.live)[number] | undefined, to: string) =>
  (client as (typeof stolen.live)[number]).call<Guarded>('POST', '/v1/verify/send', { to });

test('no more than 200 sends go out before all four processes refuse', async () => {
  const answers = new Map<string, number>();
  const surprises: Guarded['error'][] = [];
  const refusedBy = new Set<number>();
  let nth = 0;
  const from = Date.now();
  let stoppedAt = 0;
  const attack = async () => {
    while (nth < 20_000 && (refusedBy.size < servers.length || nth < 1_000)) {
      const at = nth;
      nth += 1;
      const { status, body } = await send(stolen.live[at % 4], number(at));
      const code = status === 200 ? 'sent' : body.error.code;
      answers.set(code, (answers.get(code) ?? 0) + 1);
      if (code === 'fraud_guard') refusedBy.add(at % 4);
      else if (code !== 'sent' && code !== 'rate_limited') surprises.push(body.error);
      if (refusedBy.size === servers.length) stoppedAt ||= Date.now();
    }
  };
  await inParallel(Array.from({ length: 32 }), 32, attack);
  expect(refusedBy.size).toBe(4);
  const lostMs = Math.max(0, stoppedAt - from - clock.between(from, stoppedAt));
  // The other refusals are those of the account's own rate: the attack went as fast as it may.
  // A process that the machine gave no time for seconds can't look whether the key still holds, or store in time, and says so.
  const ofLostTime = ['unavailable', 'overloaded'];
  expect(surprises.filter(({ code }) => !ofLostTime.includes(code) || lostMs < 1_000)).toEqual([]);
  // The account's rate gives it 50 more for each second that the machine did not give the servers.
  expect(answers.get('sent')).toBeLessThanOrEqual(200 + lostMs / 20);
  expect(answers.get('sent')).toBeGreaterThanOrEqual(20);
});

const theStop = async () => {
  const { body } = await (stolen.live[1] as (typeof stolen.live)[0]).call<{ stops: StopShown[] }>(
    'GET',
    '/v1/limits/stops?active=true',
  );
  return body.stops;
};

test('the refusal says which stop, and until when; the account sees it, and nobody else does', async () => {
  const [stop, ...others] = await theStop();
  expect(others).toEqual([]);
  expect(stop).toMatchObject({ rule: 'sequential_numbers', prefix: '+2135512', verified: 0, enforced: true });
  const { status, headers, body } = await send(stolen.live[2], number(50_000));
  expect(status).toBe(429);
  expect(body.error).toMatchObject({ code: 'fraud_guard', rule: 'sequential_numbers', stop_id: stop?.id });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
  // Another range of the account, another account, and test mode.
  expect((await send(stolen.live[2], '+213661000001')).status).toBe(200);
  expect((await send(neighbour.live[2], number(1))).status).toBe(200);
  expect((await send(stolen.test[2], number(1))).status).toBe(200);
  const others_ = await (neighbour.live[0] as (typeof stolen.live)[0]).call('GET', '/v1/limits/stops');
  expect(others_.body).toEqual({ stops: [], next_page_token: '' });
  const lift = `/v1/limits/stops/${stop?.id}/lift`;
  const foreign = await (neighbour.live[0] as (typeof stolen.live)[0]).call('POST', lift);
  expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'stop_not_found' } } });
});

test('a dry run says so without sending, for this account alone', async () => {
  type Ran = { allowed: boolean; results: { rule: string; mode: string; objects: boolean; stop_id: string }[] };
  const dry = (client: (typeof stolen.live)[number] | undefined) =>
    (client as (typeof stolen.live)[0]).call<Ran>('POST', '/v1/limits/dry_run', { to: number(7) });
  const ran = await dry(stolen.live[3]);
  expect(ran).toMatchObject({ status: 200, body: { allowed: false } });
  expect(ran.body.results.filter(({ objects }) => objects)).toMatchObject([
    {
      rule: 'sequential_numbers',
      mode: 'enforce',
      reason: expect.any(String),
      stop_id: expect.stringMatching(/^stop_/),
    },
  ]);
  expect((await dry(neighbour.live[3])).body).toMatchObject({ allowed: true });
  const sent = await (neighbour.live[0] as (typeof stolen.live)[0]).call<{ sessions: unknown[] }>(
    'GET',
    `/v1/verify/sessions?to=${encodeURIComponent(number(7))}`,
  );
  expect(sent.body.sessions).toEqual([]);
});

test('the stop outlives a restart, and is lifted in all processes by the account', async () => {
  const again = await service.startProcess();
  const there = serviceClient(again.http, stolen.key);
  expect((await send(there, number(60_000))).body.error.code).toBe('fraud_guard');
  const [stop] = await theStop();
  const lifted = await there.call<StopShown>('POST', `/v1/limits/stops/${stop?.id}/lift`);
  expect(lifted).toMatchObject({ status: 200, body: { id: stop?.id, lifted_by: expect.stringMatching(/^key_/) } });
  let to = 70_000;
  for (const client of stolen.live) {
    to += 1_000;
    await until(async () => (await send(client, number(to))).status === 200, { what: 'the lift to hold everywhere' });
  }
  expect(await theStop()).toEqual([]);
});
