// `npm start` as a stranger runs it: everything comes up in an empty directory, a killed server comes back, Ctrl-C leaves
// nothing behind, and a second start finds the first one's account and sessions.

import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPostmaster } from '../../src/db/embedded/cluster.ts';
import { fetchOver } from '../support/few-connections.ts';
import { freePort } from '../support/free-port.ts';
import { isRunning } from '../support/pid.ts';
import { startScript, type TestProcess } from '../support/process.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

/** `.data/sandbox.json`, for whoever wants to talk to what is running. */
interface SandboxFile {
  http: string;
  grpc: string;
  sandbox: string;
  server_pid: number;
  sandbox_pid: number;
  account_id: string;
  api_key: string;
  test_key: string;
  admin_token: string;
  webhook_sink: string;
  numbers: Record<string, string>;
  prefixes: string[];
}

const data = mkdtempSync(join(tmpdir(), 'ramz-start-'));
const postgres = join(data, 'postgres');
const path = join(data, 'sandbox.json');
/** What is killed comes back at the same port, which nothing else takes in between. */
const ports = {
  PORT: String(await freePort()),
  GRPC_PORT: String(await freePort()),
  METRICS_PORT: String(await freePort()),
  SANDBOX_PORT: String(await freePort()),
};
/** With the ring of another deployment, which a shell may have: this one has its own. */
const environment = { ...ports, RAMZ_DATA: data, RAMZ_CONFIG: '', DATABASE_URL: '', RAMZ_KEYS: '{}' };

let files: string | undefined;
afterAll(() => {
  // As root the database's files are elsewhere, and what is in the data directory is a link.
  for (const folder of [files, data]) if (folder) rmSync(folder, { recursive: true, force: true });
});

const read = (): SandboxFile => JSON.parse(readFileSync(path, 'utf8'));

async function start(...args: string[]): Promise<TestProcess> {
  const started = startScript('scripts/up.mjs', { args: ['start', ...args], env: environment });
  await started.waitFor(/Ramz is up/, 90_000);
  await started.waitFor(/Ctrl-C ends everything/);
  const { http, sandbox } = read();
  // The first address that is printed is the one to open.
  expect(/https?:\/\/\S+/.exec(started.output())?.[0]).toBe(sandbox);
  expect(started.output()).toContain(`Look at the phones: ${sandbox}\n`);
  expect(started.output()).toContain(`${http}/docs\n`);
  expect(started.output()).toMatch(/^Note: calls speak with placeholder prompts \(.*\)/m);
  expect(started.output()).toContain(`RAMZ_DATA='${data}' npm run send -- `);
  files ??= realpathSync(postgres);
  return started;
}

const answers = (address: string) =>
  new Promise<boolean>((resolve) => {
    const { hostname, port } = new URL(address.includes('://') ? address : `http://${address}`);
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

async function endsCleanly(started: TestProcess): Promise<void> {
  const { http, grpc, sandbox, server_pid } = read();
  const postmaster = readPostmaster(postgres);
  expect(await started.end('SIGINT')).toEqual({ code: 0, signal: null });
  const pids = [server_pid, postmaster?.pid ?? 0];
  expect(pids.filter((pid) => pid > 0 && isRunning(pid))).toEqual([]);
  expect(await Promise.all([http, grpc, sandbox].map(answers))).toEqual([false, false, false]);
  expect(() => read()).toThrow(/ENOENT/);
}

/** Sends, reads the code from the sandbox's phone over HTTP as anybody could, and checks it. */
async function verify({ http, api_key, sandbox }: SandboxFile, to: string): Promise<string> {
  const customer = serviceClient(http, api_key);
  const { id } = await customer.send(to);
  expect(await customer.check(id, await codeFrom(sandbox, to))).toMatchObject({ valid: true });
  return id;
}

const codeFrom = (sandbox: string, to: string) =>
  until(
    async () => {
      const response = await fetch(`${sandbox}/sandbox/messages?to=${encodeURIComponent(to)}`);
      const { messages } = (await response.json()) as { messages: { text: string }[] };
      return /\d{6}/.exec(messages[0]?.text ?? '')?.[0];
    },
    { what: `a code for ${to}` },
  );

const fetched = fetchOver({ connections: 200 });

test('npm start, from nothing to nothing', { timeout: 420_000 }, async () => {
  const first = await start();
  const file = read();
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+/);
  expect(file).toEqual({
    http: url,
    grpc: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    metrics: url,
    sandbox: url,
    webhook_sink: url,
    server_pid: expect.any(Number),
    sandbox_pid: expect.any(Number),
    account_id: expect.stringMatching(/^acct_/),
    api_key: expect.stringMatching(/^ramz_live_/),
    test_key: expect.stringMatching(/^ramz_test_/),
    admin_token: expect.stringMatching(/^.{16,}$/),
    prefixes: ['+21355', '+21366', '+21377'],
    numbers: expect.objectContaining({ sms_delivered: '+213550000001', voice_hangs_up: '+213550000011' }),
  });

  // A shell reads the same.
  const shell = readFileSync(join(data, 'sandbox.env'), 'utf8');
  const sourced = execFileSync('sh', ['-c', `${shell}printenv RAMZ_BASE_URL RAMZ_API_KEY RAMZ_TEST_KEY`]).toString();
  expect(sourced.split('\n')).toEqual([file.http, file.api_key, file.test_key, '']);
  // Keys, the account's and the log: for their owner alone.
  const open = ['.', ...readdirSync(data)].filter((name) => lstatSync(join(data, name)).mode & 0o077);
  expect(open.filter((name) => name !== 'postgres' || lstatSync(postgres).isDirectory())).toEqual([]);
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['keys.json', 'sandbox.env', 'server.log']));

  // The very command that was printed works.
  const curl = /curl -s (\S+\/send) \\\s+-H '(.*?)' \\\s+-H '(.*?)' \\\s+-d '(.*?)'/.exec(first.output());
  if (!curl) throw new Error(`no curl in:\n${first.output()}`);
  const [, address = '', authorization = '', type = '', body = ''] = curl;
  const headers = [authorization, type].map((header) => header.split(': ') as [string, string]);
  const pasted = await fetch(address, { method: 'POST', headers, body });
  expect(pasted.status).toBe(200);
  const { id } = (await pasted.json()) as { id: string };
  expect(await codeFrom(file.sandbox, file.numbers.sms_delivered ?? '')).toMatch(/^\d{6}$/);

  // The terminal shows what arrives.
  await first.waitFor(/^[\d:]{8} {2}sms {7}\+213550000001 {2}code \d{6}$/m);
  await first.waitFor(
    /^[\d:]{8} {2}webhook {3}\+213550000001 {2}receipt\.updated DELIVRD, signature verified, answered 204$/m,
  );

  // The sandbox forwards to the service, as the account.
  const accountBySandbox = async ({ sandbox }: SandboxFile) => {
    const response = await fetch(`${sandbox}/service/v1/account`);
    return response.ok && ((await response.json()) as { id: string }).id;
  };
  expect(await accountBySandbox(file)).toBe(file.account_id);

  // The API page has the key to try calls with.
  const setup = await fetch(`${file.http}/docs/setup.json`);
  expect(await setup.json()).toMatchObject({ api_key: file.api_key });

  // Its webhooks arrive, well signed.
  const deliveries = await until(
    async () => {
      const response = await fetch(`${file.sandbox}/sandbox/webhooks?session_id=${id}`);
      const { webhooks } = (await response.json()) as { webhooks: { verified: boolean; headers: object }[] };
      return webhooks.length === 2 && webhooks;
    },
    { what: 'two webhooks' },
  );
  expect(deliveries.map(({ verified }) => verified)).toEqual([true, true]);
  await verify(file, '+213661000001');

  // Room for load: nothing but the machine limits how fast the sandbox's account may call.
  const crowd = Array.from({ length: 400 }, (_, n) => `+21377${1_000_000 + n}`);
  const customer = serviceClient(file.http, file.api_key);
  const many = serviceClient(file.http, file.api_key, fetched);
  const sent = await Promise.all(crowd.map((to) => many.call('POST', '/v1/verify/send', { to })));
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);

  // Killed, it comes back at the same address, and what was pending can still be verified.
  const pending = await customer.send('+213551000002');
  const code = await codeFrom(file.sandbox, '+213551000002');
  process.kill(file.server_pid, 'SIGKILL');
  const again = await until(() => read().server_pid !== file.server_pid && read(), {
    what: 'the server to be back',
  });
  expect(again).toEqual({ ...file, server_pid: again.server_pid });
  expect(isRunning(again.server_pid)).toBe(true);
  expect(await customer.check(pending.id, code)).toMatchObject({ valid: true });
  await verify(again, '+213661000003');
  await until(async () => (await accountBySandbox(again)) === file.account_id, {
    what: 'the sandbox to find it again',
  });

  // The webhooks of the crowd are through: an endpoint that fails some is left alone for a while.
  const listed = async <T>(path: string) => (await customer.call<T>('GET', `/v1/webhook_endpoints${path}`)).body;
  const { webhook_endpoints } = await listed<{ webhook_endpoints: { id: string }[] }>('');
  const waiting = `/${webhook_endpoints[0]?.id}/deliveries?status=pending`;
  await until(async () => (await listed<{ deliveries: object[] }>(waiting)).deliveries.length === 0, {
    what: 'all webhooks to be delivered',
    timeoutMs: 150_000,
  });
  // So does the sandbox, with operators at other ports and new secrets: the server and the sandbox learn of each other again.
  process.kill(file.sandbox_pid, 'SIGKILL');
  const whole = await until(() => read().sandbox_pid !== file.sandbox_pid && read(), {
    what: 'the sandbox to be back',
  });
  expect(whole).toEqual({ ...again, sandbox_pid: whole.sandbox_pid });
  const afterwards = await verify(whole, '+213661000006');
  await until(async () => (await accountBySandbox(whole)) === file.account_id, { what: 'the service to be announced' });
  await until(
    async () => {
      const response = await fetch(`${whole.sandbox}/sandbox/webhooks?session_id=${afterwards}`);
      const { webhooks } = (await response.json()) as { webhooks: { verified: boolean }[] };
      return webhooks.length > 0 && webhooks.every(({ verified }) => verified);
    },
    { what: 'webhooks that the sandbox can check' },
  );
  const byApp = await customer.call('POST', '/v1/verify/send', { to: '+213661000007', channel: 'whatsapp' });
  expect(byApp.status).toBe(200);
  expect(await codeFrom(whole.sandbox, '+213661000007')).toMatch(/^\d{6}$/);

  // The story, for somebody without curl.
  const story = startScript('src/main.ts', { args: ['send', '+213551000004'], env: environment });
  expect(await story.exit(60_000), story.output()).toEqual({ code: 0, signal: null });
  expect(story.output()).toMatch(/^sms .*━.*delivered$[\s\S]*✓ .* DELIVRD[\s\S]*checked: valid\ncost: 3\.50 DZD/m);
  await endsCleanly(first);

  const second = await start('--quiet');
  const { api_key, http, account_id } = read();
  expect({ api_key, account_id }).toEqual({ api_key: file.api_key, account_id: file.account_id });
  expect(await serviceClient(http, api_key).session(pending.id)).toMatchObject({ status: 'verified' });
  await verify(read(), '+213661000005');
  expect(second.output()).not.toContain('+213661000005');
  await endsCleanly(second);
});
