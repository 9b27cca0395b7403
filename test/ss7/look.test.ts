// `npm run ss7` as a person runs it beside `npm start`: the call that it prints is answered, its code arrives by MAP, and the timeline says so.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { startScript, type TestProcess } from '../support/process.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { ss7Test as test } from './support/programs.ts';
import { words } from './support/ramz.ts';

const data = mkdtempSync(join(tmpdir(), 'ramz-start-'));
const env = { RAMZ_DATA: data, PORT: '0', GRPC_PORT: '0', RAMZ_CONFIG: '', DATABASE_URL: '' };
let database: string | undefined;
afterAll(() => {
  // As root the database's files are elsewhere, and what is in the data directory is a link.
  for (const folder of [database, data]) if (folder) rmSync(folder, { recursive: true, force: true });
});

const run = (verb: 'start' | 'ss7', more: Record<string, string> = {}): TestProcess =>
  startScript('scripts/up.mjs', { args: [verb], env: { ...env, ...more } });
const read = (name: string) => JSON.parse(readFileSync(join(data, name), 'utf8'));
const operators = (): string[] => read('sandbox.config.json').operators.map(({ id }: { id: string }) => id);

async function refuses(ss7: TestProcess, reason: RegExp): Promise<void> {
  expect(await ss7.exit(60_000)).toEqual({ code: 1, signal: null });
  expect(ss7.output()).toMatch(reason);
}

test('without a running sandbox, or a JDK, it says what is missing', async () => {
  await refuses(run('ss7'), /^ramz: there is no running sandbox: .*sandbox\.json is missing\. Run npm start first/m);
});

test('a fourth operator of a running sandbox, whose codes arrive by MAP', async () => {
  const start = run('start');
  await start.waitFor(/Ctrl-C ends everything/, 90_000);
  database = realpathSync(join(data, 'postgres'));
  await refuses(run('ss7', { PATH: dirname(process.execPath) }), /^ramz: there is no JDK here/m);
  const three = ['atlas', 'sahara', 'djurdjura'];
  expect(operators()).toEqual(three);

  const ss7 = run('ss7');
  await ss7.waitFor(/Ctrl-C ends it/, 120_000);
  expect(operators()).toEqual([...three, 'ss7']);

  // The very command that was printed works.
  const curl = /curl -s (\S+\/send) \\\s+-H '(.*?)' \\\s+-H '(.*?)' \\\s+-d '(.*?)'/.exec(ss7.output());
  if (!curl) throw new Error(`no curl in:\n${ss7.output()}`);
  const [, address = '', authorization = '', type = '', body = ''] = curl;
  const headers = [authorization, type].map((header) => header.split(': ') as [string, string]);
  const pasted = await fetch(address, { method: 'POST', headers, body });
  expect(pasted.status).toBe(200);
  const { id, to } = (await pasted.json()) as { id: string; to: string };
  const [, code = ''] = await ss7.waitFor(/\+213561234500 {2}the phone shows, from Ramz: .*?(\d{6})/);
  expect(ss7.output()).toMatch(/\+213561234500 {2}SRI-for-SM[\s\S]*\+213561234500 {2}MT-ForwardSM/);
  expect(to).toBe('+213561234500');
  const { http, api_key, sandbox_pid } = read('sandbox.json');
  const customer = serviceClient(http, api_key);
  const session = await customer.sessionWhen(id, 'the receipt', ({ delivery }) => delivery === 'delivered');
  expect(words(session)).toContain('receipt_received sms DELIVRD 000: the handset has acknowledged it');
  expect(session.messages[0]).toMatchObject({ operator: 'ss7', status: 'delivered' });
  expect(await customer.check(id, code)).toMatchObject({ valid: true });

  // What the sandbox writes at its own start is added to again.
  process.kill(sandbox_pid, 'SIGKILL');
  await until(() => read('sandbox.json').sandbox_pid !== sandbox_pid, {
    what: 'the sandbox to be back',
  });
  await until(() => operators().includes('ss7'), { what: 'the operator to be back' });
  const again = await until(
    async () => {
      const answer = await customer.call<{ id: string }>('POST', '/v1/verify/send', {
        to: '+213561234501',
        // Until the server has the operator once more, it is refused, and no other leg takes it.
        cascade: [{ channel: 'sms' }],
      });
      return answer.status === 200 && answer.body.id;
    },
    { what: 'a send' },
  );
  const moved = await customer.sessionWhen(
    again,
    'a receipt',
    ({ messages }) => (messages[0]?.receipts.length ?? 0) > 0,
  );
  expect(words(moved)).toContain('receipt_received sms UNDELIV 060: absentSubscriberSM: no paging response');

  expect(await ss7.end('SIGINT')).toEqual({ code: 0, signal: null });
  expect(operators()).toEqual(three);
  const refused = await customer.call<{ error: { code: string } }>('POST', '/v1/verify/send', {
    to: '+213561234502',
    cascade: [{ channel: 'sms' }],
  });
  expect(refused.status).not.toBe(200);

  // Where the sandbox ends first, it ends, too.
  const second = run('ss7');
  await second.waitFor(/Ctrl-C ends it/, 120_000);
  expect(await start.end('SIGINT')).toEqual({ code: 0, signal: null });
  expect(await second.exit(60_000)).toEqual({ code: 1, signal: null });
  expect(second.output()).toMatch(/^ramz: npm start has ended$/m);
}, 300_000);
