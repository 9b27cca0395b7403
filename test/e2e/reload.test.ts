// SIGHUP takes a new configuration in: rules and limits hold from the next call on, binds stay up, a sandbox stays one.
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, status } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import { afterAll, expect, test } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { certificateFiles, selfSigned } from '../support/certificate.ts';
import { testFolder } from '../support/folder.ts';
import { databaseClock, whileLeasesHold } from '../support/machine-clock.ts';
import { bindsOf, testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

// The mistake in the configuration is logged as an error.
const service = await testService({ errorsExpected: true });
const tokenFile = join(testFolder('reload'), 'admin-token');
writeFileSync(tokenFile, service.adminToken);
const server = await service.startProcess({ RAMZ_ADMIN_TOKEN: '', RAMZ_ADMIN_TOKEN_FILE: tokenFile });
const { live } = server;
const clock = databaseClock(service.database, () => [server]);
const clients: Client[] = [];
afterAll(() => {
  for (const client of clients) client.close();
});

/** Asks a gRPC port for its health, over a connection that goes on once it is up; its certificate has to be this one. */
function healthOver(address: string, cert: string): () => Promise<string> {
  // A pool of its own, so that no two clients share a connection.
  const client = new Client(address, credentials.createSsl(Buffer.from(cert)), { 'grpc.use_local_subchannel_pool': 1 });
  clients.push(client);
  const { path, requestSerialize, responseDeserialize } = health.Check as never as Record<string, never>;
  return () =>
    new Promise((resolve, reject) =>
      client.makeUnaryRequest<object, { status: string }>(
        path as never,
        requestSerialize as never,
        responseDeserialize as never,
        { service: '' },
        (error, answer) => (error ? reject(error) : resolve(answer?.status ?? '')),
      ),
    );
}

const send = (to: string) =>
  live.call<{ id: string; error?: { code: string } }>('POST', '/v1/verify/send', { to, cascade: [{ channel: 'sms' }] });

/** Of what is read again, whether it was refused. */
async function refused(): Promise<Record<string, string>> {
  const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
  return Object.fromEntries(
    [...metrics.matchAll(/^ramz_reread_refused\{what="(\w+)"\} (\d)$/gm)].map(([, what, value]) => [what, value]),
  );
}

test('a reload changes the rules of a verification, and nothing of the connections', () =>
  whileLeasesHold(clock, reloadsRules));

const reloads = () => server.log().match(/configuration reloaded/g)?.length ?? 0;
let turns = 0;
async function reloadsRules(): Promise<void> {
  if (turns > 0) {
    const from = reloads();
    service.configure({});
    server.process.signal('SIGHUP');
    await until(() => reloads() > from, { what: 'the first configuration again' });
  }
  turns += 1;
  const all = { atlas: 2, sahara: 2, djurdjura: 2 };
  await until(async () => JSON.stringify(await bindsOf(server)) === JSON.stringify(all), { what: 'its binds' });
  const to = `+21355123001${turns}`;
  const first = await send(to);
  expect((await send(to)).body.error?.code).toBe('resend_too_soon');
  const bindLines = () => server.log().match(/"msg":"bind"/g)?.length;
  const before = bindLines();

  const from = reloads();
  const verify = { timeout_seconds: { min: 1, max: 900 }, resend_interval_seconds: 0, max_sends: 2 };
  service.configure({ verify, sandbox: false, webhooks: { timeout_seconds: 3 } });
  server.process.signal('SIGHUP');
  await until(() => reloads() > from, { what: 'the reload' });
  expect(server.log()).toMatch(/"restart_needed_for":\["sandbox","webhooks"\]/);

  const second = await until(async () => ((await send(to)).body.id === first.body.id ? true : null), {
    what: 'a resend',
  });
  expect(second).toBe(true);
  expect((await send(to)).body.error?.code).toBe('too_many_sends');
  expect((await send(scenarioNumbers(service.sandbox.scenarioPrefix).sms_delivered)).body.error).toBeUndefined();
  expect(bindLines()).toBe(before);
}

test('longer retention makes longer partitions, without a restart', async () => {
  const horizonDays = async () => {
    const body = (await (await fetch(`${server.metrics}/readyz`)).json()) as { partition_horizon_seconds: number };
    return body.partition_horizon_seconds / 86_400;
  };
  expect(await horizonDays()).toBeLessThan(30);
  const from = reloads();
  service.configure({ service: { retention_days: 365 } });
  server.process.signal('SIGHUP');
  await until(async () => (await horizonDays()) > 2 * 61 - 1, { what: 'partitions for twice 61 days' });
  service.configure({ service: { retention_days: 31 } });
  server.process.signal('SIGHUP');
  await until(() => reloads() === from + 2, { what: 'both reloads' });
  expect((await send('+213551230003')).body.error).toBeUndefined();
});

test('a file that a variable names is named by every reload until the restart that reads it', async () => {
  service.configure({});
  writeFileSync(tokenFile, 'another-administrator-token');
  const named = () => server.log().match(/"restart_needed_for":\["RAMZ_ADMIN_TOKEN"\]/g)?.length;
  server.process.signal('SIGHUP');
  await until(() => named() === 1, { what: 'the reload that names the token' });
  server.process.signal('SIGHUP');
  await until(() => named() === 2, { what: 'the next one, which names it too' });
});

test('a new certificate holds for the next connection, and one without its key changes nothing', async () => {
  const folder = testFolder('certificates');
  const [first, second] = [selfSigned(), selfSigned()];
  const { cert, key } = certificateFiles(folder, first);
  const other = await service.startProcess({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key });
  const healthWith = ({ cert }: { cert: string }) => healthOver(`localhost:${other.grpc.split(':').at(-1)}`, cert);
  const before = healthWith(first);
  expect(await before()).toBe('SERVING');

  writeFileSync(cert, second.cert);
  other.process.signal('SIGHUP');
  await other.process.waitFor(/GRPC_TLS_KEY: does not fit GRPC_TLS_CERT[^\n]*"msg":"configuration not reloaded"/);
  expect(await healthWith(first)()).toBe('SERVING');
  await expect(healthWith(second)()).rejects.toMatchObject({ code: status.UNAVAILABLE });

  certificateFiles(folder, second);
  other.process.signal('SIGHUP');
  await other.process.waitFor(/"port":"grpc","valid_until":"[^\n]*"msg":"a new certificate is in use"/);
  await other.process.waitFor(/"restart_needed_for":\[\],"msg":"configuration reloaded"/);
  expect(await healthWith(second)()).toBe('SERVING');
  await expect(healthWith(first)()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  expect(await before()).toBe('SERVING');
  const expiry = new X509Certificate(second.cert).validToDate.getTime() / 1000;
  const metrics = await (await fetch(`${other.metrics}/metrics`)).text();
  expect(metrics).toContain(`\nramz_certificate_expiry_timestamp_seconds{port="grpc"} ${expiry}\n`);
  expect(await other.process.end('SIGTERM')).toMatchObject({ code: 0 });
});

test('what a start warns of, a reload warns of, too', async () => {
  const warning = /"path":"limits\.budget\.spend_per_day\.DZD".*has no budget/;
  expect(server.log()).not.toMatch(warning);
  service.configure({ limits: { budget: { spend_per_hour: {}, spend_per_day: {} } } });
  server.process.signal('SIGHUP');
  await server.process.waitFor(warning);
});

test('a file with a mistake changes nothing, and the metrics say so until it is mended', async () => {
  expect(await refused()).toEqual({ configuration: '0', key_ring: '0' });
  service.configure({ verify: { max_sends: 'many' } });
  server.process.signal('SIGHUP');
  await server.process.waitFor(/configuration not reloaded/);
  expect((await send('+213551230002')).body.error).toBeUndefined();
  await until(async () => (await refused()).configuration === '1', { what: 'the metric of the refused configuration' });
  service.configure({});
  server.process.signal('SIGHUP');
  await until(async () => (await refused()).configuration === '0', {
    what: 'the metric of the one that was taken over',
  });
});

test('so does a key ring with a mistake', async () => {
  const path = String(service.env.RAMZ_KEY_RING);
  const ring = readFileSync(path);
  writeFileSync(path, '{');
  server.process.signal('SIGHUP');
  await server.process.waitFor(/"msg":"the key ring that was read again is refused: the one in force stays"/);
  await until(async () => (await refused()).key_ring === '1', { what: 'the metric of the refused ring' });
  expect((await send('+213551230004')).body.error).toBeUndefined();
  writeFileSync(path, ring);
  server.process.signal('SIGHUP');
  await until(async () => (await refused()).key_ring === '0', { what: 'the metric of the ring that was taken' });
  expect((await refused()).configuration).toBe('0');
});

test('an operator that is removed, and a bind less, leave nothing in the gauges', async () => {
  const gauges = async (operator: string) => {
    const text = await (await fetch(`${server.metrics}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.includes(`{operator="${operator}"`));
    return lines.filter((line) => /^ramz_(operator|queue|smpp_bind_state|smpp_window)/.test(line));
  };
  const all = /ramz_operator_down[\s\S]*ramz_queue_messages[\s\S]*ramz_queue_age_seconds/;
  const its = async () => (await gauges('djurdjura')).join();
  await until(async () => /smpp_bind_state/.test(await its()) && all.test(await its()), { what: 'its gauges' });
  const [atlas, sahara] = service.config.operators as { binds: object[] }[];
  service.configure({ operators: [atlas, { ...sahara, binds: [{ ...sahara?.binds[0], count: 1 }] }] });
  server.process.signal('SIGHUP');
  await until(async () => JSON.stringify(await bindsOf(server)) === JSON.stringify({ atlas: 2, sahara: 1 }), {
    what: 'the binds that are left',
  });
  expect(await gauges('djurdjura')).toEqual([]);
  const binds = new Set((await gauges('sahara')).map((line) => /,bind="(\d)"/.exec(line)?.[1] ?? '0'));
  expect([...binds]).toEqual(['0']);
});
