// What the service shows of itself after traffic to all three operators: their receipts read rightly, documents, metrics,
// readiness; and a log, at its most talkative, in which no code, key or phone number can be found.

import { expect, test } from 'vitest';
import { standingAlone } from '../support/checks.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox } = service;
const server = await service.startProcess({ LOG_LEVEL: 'trace' });
const { live, http, metrics: metricsPort } = server;

const operators = [
  // Charged on delivery by tariff; says the price itself, and it wins; charged on submit by tariff.
  { operator: 'atlas', to: '+213558000001', cost: { amount: '3.50', source: 'tariff' } },
  { operator: 'sahara', to: '+213668000001', cost: { amount: '4.1875', source: 'operator' } },
  { operator: 'djurdjura', to: '+213778000001', cost: { amount: '3.90', source: 'tariff' } },
];
const codes: string[] = [];

test.each(operators)('$operator: routed, delivered, dated, priced, told', async ({ operator, to, cost }) => {
  const { id } = await live.send(to, { language: 'ar' });
  const session = await live.sessionWhen(id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
  const [message] = session.messages;
  expect(message).toMatchObject({ operator, status: 'delivered', cost: { ...cost, currency: 'DZD', final: true } });
  expect(message?.provider_message_id).not.toBe('');
  expect(message?.receipts).toHaveLength(1);
  const { status, operator_timestamp, received_at, raw } = message?.receipts[0] ?? { raw: '' };
  expect(status).toBe('DELIVRD');
  // The operators' clocks are in three time zones and formats, some of them whole minutes; all mean now.
  const apart = Date.parse(received_at ?? '') - Date.parse(operator_timestamp ?? '');
  expect(apart).toBeGreaterThanOrEqual(-1_000);
  expect(apart).toBeLessThan(61_000 + 10_000);

  const code = await sandbox.codeTo(to);
  codes.push(code);
  expect(raw).not.toMatch(standingAlone(code));
  expect(sandbox.smsTo(to)[0]?.text).toMatch(/[\u0600-\u06ff]/);
  const events = await sandbox.eventsOf(id, 2);
  expect(events.at(-1)?.data.cost).toMatchObject(cost);
  expect(JSON.stringify(events)).not.toMatch(standingAlone(code));
  expect(await live.check(id, code)).toMatchObject({ valid: true });
  await sandbox.eventsOf(id, 3);
});

const text = async (path: string, base = http) => {
  const response = await fetch(base + path);
  expect(response.status, path).toBe(200);
  return response.text();
};

test('the contract is readable, without any other host', async () => {
  const openapi = JSON.parse(await text('/openapi.json'));
  expect(openapi.openapi).toMatch(/^3\.1/);
  expect(Object.keys(openapi.paths)).toEqual(expect.arrayContaining(['/v1/verify/send', '/v1/verify/check']));
  const page = await text('/docs/plain');
  expect(page).toContain('/v1/verify/send');
  expect(page.match(/(?:src|href)="(?:https?:)?\/\/[^"]+"/g) ?? []).toEqual([]);
});

test('readiness tells of every operator', async () => {
  const binds = { binds_held: 2, binds_bound: 2 };
  const bound = operators.map(({ operator }) => expect.objectContaining({ operator, ...binds }));
  // A process that stood still for longer than its lease has closed its binds, and opens them again.
  const ready = await until(
    async () => {
      const now = JSON.parse(await text('/readyz', metricsPort));
      expect(now.operators).toEqual(bound);
      return now;
    },
    { what: 'both binds of every operator' },
  );
  expect(ready).toMatchObject({ status: 'ready', database: 'current' });
  expect(ready.partition_horizon_seconds).toBeGreaterThan(2 * 86_400);
  expect(JSON.parse(await text('/readyz'))).toEqual({ status: 'ready' });
  expect(JSON.parse(await text('/healthz'))).toEqual({ status: 'ok' });
});

test('metrics tell of calls, binds, lanes, receipts and webhooks, and of nobody in particular', async () => {
  const series = [
    /^ramz_calls_total\{method="ramz\.v1\.VerifyService\/Send",door="rest",code="ok"\} 3$/m,
    /^ramz_calls_total\{.*Check.*code="ok"\} 3$/m,
    /^ramz_smpp_bind_state\{operator="atlas",bind="0",state="bound"\} 1$/m,
    /^ramz_smpp_window_in_use\{operator="sahara",bind="\d"\} 0$/m,
    /^ramz_smpp_submit_seconds_count\{operator="djurdjura"\} 1$/m,
    /^ramz_smpp_submit_status_total\{operator="atlas",status="ESME_ROK"\} 1$/m,
    /^ramz_receipts_total\{operator="sahara",status="DELIVRD",result="\w+"\} 1$/m,
    /^ramz_receipt_seconds_count\{operator="djurdjura"\} 1$/m,
    /^ramz_lane_batch_items_count\{lane="open"\} [1-3]$/m,
    /^ramz_lane_wait_seconds_count\{lane="save"\} \d+$/m,
    /^ramz_webhook_attempts_total\{outcome="delivered"\} \d+$/m,
    /^ramz_webhook_seconds_count \d+$/m,
    /^ramz_parked_receipts 0$/m,
    /^ramz_partition_horizon_seconds \d{6,}(\.\d+)?$/m,
  ];
  const metrics = await until(
    async () => {
      const found = await text('/metrics', metricsPort);
      for (const line of series) expect(found).toMatch(line);
      return found;
    },
    { what: 'every series' },
  );
  // Names and labels: a value such as 1213975040 bytes is nobody's number.
  const named = metrics.replace(/ [-+.\w]+$/gm, '');
  expect(named).toMatch(/^ramz_parked_receipts$/m);
  expect(named).not.toMatch(/\+?213\d{6,}|acct_|vrf_|ramz_(?:live|test)_[0-9a-z]{20}/);
});

test('the log says nothing it must not', async () => {
  const refused = await live.call('POST', '/v1/verify/send', { to: '+213558' });
  expect(refused.status).toBe(400);
  await live.call('GET', `/v1/verify/sessions?to=${encodeURIComponent('+213558000001')}`);
  await fetch(`${http}/v1/account`, { headers: { authorization: `Bearer ${service.liveKey}x` } });
  expect(await server.process.end()).toMatchObject({ code: 0 });
  const log = server.log();
  expect(log.split('\n').length).toBeGreaterThan(20);
  expect(codes).toHaveLength(3);
  for (const code of codes) expect(log).not.toMatch(standingAlone(code));
  for (const { to } of operators) expect(log).not.toContain(to.slice(1));
  const secrets = [service.liveKey, service.testKey, service.adminToken, 'whsec_', 'atlas-pw', 'sahar-pw', 'djurd-pw'];
  for (const secret of secrets) expect(log).not.toContain(secret);
  // A key's secret is the part between its id and its checksum.
  expect(log).not.toContain(service.liveKey.split('_').at(-2));
});
