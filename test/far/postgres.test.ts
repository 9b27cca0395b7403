// The whole suite `integration` on Debian's Postgres 15 with the configuration it comes with: `npm run test:far -- postgres`. The suite
// postgres-15 has the part of it that CI runs.
import { expect } from 'vitest';
import { root } from '../../scripts/run.ts';
import { debianPostgres } from '../support/debian-postgres.ts';
import { testFolder } from '../support/folder.ts';
import { startProcess } from '../support/process.ts';
import { requireTool } from '../support/tool.ts';

const test = requireTool('initdb');
const folder = testFolder('postgres-far');

test('the suite integration passes on it', async () => {
  const postgres = await debianPostgres(folder);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'integration', '--reporter=default'];
  const env = { TEST_DATABASE_URL: postgres.url, RAMZ_TEST_RESULT: undefined };
  const suite = startProcess(process.execPath, { args, cwd: root, env });
  const { code } = await suite.exit(14 * 60_000);
  await postgres.kill();
  expect(code, suite.output().slice(-10_000)).toBe(0);
});
