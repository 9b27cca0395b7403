// SIGHUP takes a new configuration in: rules and limits hold from the next call on, binds stay up, a sandbox stays one.
import { expect, test } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { bindsOf, testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

// The mistake in the configuration is logged as an error.
const service = await testService({ errorsExpected: true });
const server = await service.startProcess();
const { live } = server;
const send = (to: string) =>
  live.call<{ id: string; error?: { code: string } }>('POST', '/v1/verify/send', { to, cascade: [{ channel: 'sms' }] });

test('a reload changes the rules of a verification, and nothing of the connections', async () => {
  const all = { atlas: 2, sahara: 2, djurdjura: 2 };
  await until(async () => JSON.stringify(await bindsOf(server)) === JSON.stringify(all), { what: 'its binds' });
  const to = '+213551230001';
  const first = await send(to);
  expect((await send(to)).body.error?.code).toBe('resend_too_soon');
  const bindLines = () => server.log().match(/"msg":"bind"/g)?.length;
  const before = bindLines();

  const verify = { timeout_seconds: { min: 1, max: 900 }, resend_interval_seconds: 0, max_sends: 2 };
  service.configure({ verify, sandbox: false, webhooks: { timeout_seconds: 3 } });
  server.process.signal('SIGHUP');
  await server.process.waitFor(/"restart_needed_for":\["sandbox","webhooks"\]/);

  const second = await until(async () => ((await send(to)).body.id === first.body.id ? true : null), {
    what: 'a resend',
  });
  expect(second).toBe(true);
  expect((await send(to)).body.error?.code).toBe('too_many_sends');
  expect((await send(scenarioNumbers(service.sandbox.scenarioPrefix).sms_delivered)).body.error).toBeUndefined();
  expect(bindLines()).toBe(before);
});

test('longer retention makes longer partitions, without a restart', async () => {
  const horizonDays = async () => {
    const body = (await (await fetch(`${server.metrics}/readyz`)).json()) as { partition_horizon_seconds: number };
    return body.partition_horizon_seconds / 86_400;
  };
  expect(await horizonDays()).toBeLessThan(30);
  service.configure({ service: { retention_days: 365 } });
  server.process.signal('SIGHUP');
  await until(async () => (await horizonDays()) > 2 * 61 - 1, { what: 'partitions for twice 61 days' });
  service.configure({ service: { retention_days: 31 } });
  server.process.signal('SIGHUP');
  const reloads = () => server.log().match(/configuration reloaded/g)?.length;
  await until(() => reloads() === 3, { what: 'the third reload' });
  expect((await send('+213551230003')).body.error).toBeUndefined();
});

test('a file with a mistake changes nothing', async () => {
  service.configure({ verify: { max_sends: 'many' } });
  server.process.signal('SIGHUP');
  await server.process.waitFor(/configuration not reloaded/);
  expect((await send('+213551230002')).body.error).toBeUndefined();
});
