// Schemathesis with all its checks against a running service, once with a test key and once with a live one: it finds nothing but what a
// schema has no words for. Each such finding is named below with its reason; any other fails. Revoking keys is left out, because the
// run's own key would be among them (schemathesis/schemathesis.toml), and numbers and addresses exist (schemathesis/hooks.py).
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root, run } from '../../scripts/run.ts';
import { preparePythonTools } from '../../scripts/tools/python.ts';
import { startLive } from '../sdks/live.ts';
import { testFolder } from '../support/folder.ts';
import { allowed, findingsOf } from './schemathesis/findings.ts';

const folder = testFolder('schemathesis');
const here = join(root, 'test', 'far', 'schemathesis');
const tools = {
  requirements: join(here, 'requirements.txt'),
  target: join(root, '.tools', 'schemathesis'),
};

beforeAll(async () => {
  expect(await preparePythonTools((line) => console.log(line), tools)).toBeUndefined();
});

test.each([
  ['test', 'RAMZ_TEST_KEY'],
  ['live', 'RAMZ_API_KEY'],
])('with a %s key', async (mode, key) => {
  // Each has a service of its own: what the first made would be in the way of the second.
  const cwd = join(folder, mode);
  mkdirSync(cwd);
  const live = await startLive(cwd);
  const reports = { counts: join(cwd, 'report.json'), events: join(cwd, 'events.ndjson') };
  try {
    const env = {
      ...process.env,
      ...live.env,
      RAMZ_KEY: live.env[key],
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: here,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const args = [
      ['--config-file', join(here, 'schemathesis.toml'), 'run', `${live.env.RAMZ_BASE_URL}/openapi.json`],
      ['--no-color', '--continue-on-failure', '--report', 'json,ndjson'],
      ['--report-json-path', reports.counts, '--report-ndjson-path', reports.events],
    ].flat();
    const { output } = await run(join(tools.target, 'bin', 'st'), args, { cwd, env, timeoutMs: 14 * 60_000 });
    const report = JSON.parse(readFileSync(reports.counts, 'utf8')) as Report;
    console.log(`${mode}: ${report.test_cases.generated} requests, ${report.test_cases.unique_failures} findings`);
    expect(report, output.slice(-3_000)).toMatchObject({ complete: true, errors: [] });
    // Too few would be a run that was refused from some time on.
    expect(report.test_cases.generated).toBeGreaterThan(2_000);
    const findings = findingsOf(readFileSync(reports.events, 'utf8'));
    const beyond = findings.filter((finding) => !allowed.some(({ pattern }) => pattern.test(finding.name)));
    expect(beyond).toEqual([]);
  } finally {
    await live.stop();
  }
});

interface Report {
  complete: boolean;
  errors: unknown[];
  test_cases: { generated: number; unique_failures: number };
}
