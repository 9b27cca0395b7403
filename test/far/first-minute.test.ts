// The first minute of a stranger: from a bare clone to the first code, with an empty and with a warm cache of packages, and a second start.
// The bounds are promises to people, not measurements: a machine that is busy otherwise fails them.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/run.ts';
import { testFolder } from '../support/folder.ts';
import { startProcess } from '../support/process.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const folder = testFolder('far');
const cache = join(folder, 'cache');
const clone = join(folder, 'clone');

/** Without the pinned Node of this checkout, which a stranger has not. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.startsWith(root))
  .join(delimiter);
const env = {
  PATH,
  npm_config_cache: cache,
  PORT: '0',
  GRPC_PORT: '0',
  SANDBOX_PORT: '0',
  RAMZ_DATA: '',
  RAMZ_CONFIG: '',
  DATABASE_URL: '',
};

/** A number of its own for each start: the second start finds the session of the first, which may not be sent again at once. */
let starts = 0;

/** Seconds from `npm start` to "up", and to the first code on a phone. */
async function start(): Promise<{ up: number; code: number }> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const started = startProcess('npm', { args: ['start'], cwd: clone, env });
  await started.waitFor(/Ramz is up/, 10 * 60_000);
  const up = seconds();
  const { http, sandbox, api_key } = JSON.parse(readFileSync(join(clone, '.data/sandbox.json'), 'utf8'));
  starts += 1;
  const to = `+21355123456${starts}`;
  await serviceClient(http, api_key).send(to);
  await until(
    async () => {
      const response = await fetch(`${sandbox}/sandbox/messages?to=${encodeURIComponent(to)}`);
      const { messages } = (await response.json()) as { messages: { text: string }[] };
      return /\d{6}/.test(messages[0]?.text ?? '');
    },
    { what: 'the code on the phone' },
  );
  const code = seconds();
  const exit = await started.end('SIGINT');
  expect(exit).toEqual({ code: 0, signal: null });
  return { up, code };
}

const round = ({ up, code }: { up: number; code: number }) =>
  `up after ${up.toFixed(1)} s, first code after ${code.toFixed(1)} s`;

test('an empty cache: 60 s; a warm one: 30 s; a second start: 3 s', async () => {
  execFileSync('git', ['clone', '--quiet', root, clone]);
  const cold = await start();
  console.log(`empty cache: ${round(cold)}`);
  const again = await start();
  console.log(`second start: ${round(again)}`);
  rmSync(clone, { recursive: true, force: true });
  execFileSync('git', ['clone', '--quiet', root, clone]);
  const warm = await start();
  console.log(`warm cache: ${round(warm)}`);
  expect.soft(cold.code).toBeLessThanOrEqual(60);
  expect.soft(warm.code).toBeLessThanOrEqual(30);
  expect.soft(again.up).toBeLessThanOrEqual(3);
});
