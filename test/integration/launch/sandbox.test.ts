// What is given only to a server of a sandbox, and what a shell reads.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSandboxConfig, sandboxEnv } from '../../../src/launch/sandbox.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder('sandbox-config');

test.each([
  ['{"sandbox":true,"operators":[]}', true],
  ['{"sandbox":false}', false],
  ['{"operators":[]}', false],
  ['{"sandbox":"true"}', false],
  ['{"sandbox":true', false],
])('the key for trying the API out: %s', (text, isGiven) => {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  expect(isSandboxConfig(path)).toBe(isGiven);
});

test('no key where there is no file', () => {
  expect(isSandboxConfig(join(folder, 'nothing.json'))).toBe(false);
});

test('a shell gets the variables that every SDK reads', () => {
  const account = { adminToken: 'a', apiKey: 'live', testKey: 'test' };
  expect(sandboxEnv({ http: 'http://127.0.0.1:1', account })).toBe(
    "export RAMZ_BASE_URL='http://127.0.0.1:1'\nexport RAMZ_API_KEY='live'\nexport RAMZ_TEST_KEY='test'\n",
  );
});
