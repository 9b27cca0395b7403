// Tests wait with `until` of test/support/wait.ts: what Vitest has for it gives up after one second, and a busy machine may need longer.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const tests = join(import.meta.dirname, '..', '..');

/** `vi.waitFor`, `vi.waitUntil`, and `expect.poll` without a time of its own. */
const impatient = /\bvi\.wait(?:For|Until)\(|\bexpect\.poll\((?!.*\btimeout:)/;

test('no test waits for one second at most', () => {
  expect('await vi.waitFor(() => expect(sent).toHaveLength(1))').toMatch(impatient);
  expect('await expect.poll(() => sent.length).toBe(1)').toMatch(impatient);
  expect('expect.poll(look, { timeout: 30_000 })').not.toMatch(impatient);
  const files = globSync('**/*.ts', { cwd: tests }).filter((path) => path !== join('unit', 'house', 'waiting.test.ts'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((path) => impatient.test(readFileSync(join(tests, path), 'utf8')))).toEqual([]);
});
