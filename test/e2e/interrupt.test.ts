// Ctrl-C at `npm start`: a terminal gives the signal to the whole process group. What was started ends one after the other all the same, so
// that the operators are there as long as the server completes what it has under way.
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { startScript } from '../support/process.ts';
import { until } from '../support/wait.ts';

const data = testFolder('interrupt');
const environment = {
  ...{ RAMZ_DATA: data, RAMZ_CONFIG: '', DATABASE_URL: '' },
  ...{ PORT: '0', GRPC_PORT: '0', SANDBOX_PORT: '0', RAMZ_DRAIN_SECONDS: '4' },
};
let files: string | undefined;
afterAll(() => {
  // As root the database's files are elsewhere.
  if (files) rmSync(files, { recursive: true, force: true });
});

test('the sandbox outlives the server', async () => {
  const start = startScript('src/main.ts', { args: ['start', '--quiet'], env: environment, detached: true });
  await start.waitFor(/Ctrl-C ends everything/);
  files = realpathSync(join(data, 'postgres'));
  const sandbox = /Look at the phones: (\S+)/.exec(start.output())?.[1] ?? '';
  process.kill(-start.pid, 'SIGINT');
  await start.waitFor(/^stopping …$/m);
  const isThere = () =>
    fetch(`${sandbox}/sandbox/messages`).then(
      ({ ok }) => ok,
      () => false,
    );
  expect(await isThere()).toBe(true);
  expect(await start.exit()).toEqual({ code: 0, signal: null });
  expect(start.output()).not.toContain('died');
  await until(async () => !(await isThere()), { what: 'the sandbox to be gone' });
});
