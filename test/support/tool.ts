// Programs that tests need and machines may lack (test/apt.txt, test/tools). Without one its tests are skipped, by name; `npm test`
// makes that a failure when CI=true. A test file that does not say in scripts/test/needs.ts what it needs fails at once.
import { accessSync, constants } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { assertDeclared } from '../../scripts/test/needs.ts';
import { debianPrograms } from './debian-cluster.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TOOLS = [join(ROOT, '.tools', 'bin'), join(ROOT, '.tools', 'python', 'bin')];

export type ToolTest = (name: string, run: (context: TestContext) => unknown, timeoutMs?: number) => void;

/** `test` when every tool is there; else a `test` that skips and says which one is missing. */
export function requireTool(...names: string[]): ToolTest {
  const missing = names.filter((name) => toolPath(name) === undefined);
  if (missing.length === 0) return (name, run, timeoutMs) => test(name, run, timeoutMs);
  return (name) => test(name, ({ skip }) => skip(`${missing.join(', ')} not installed`));
}

/** Where the program is: among the tools of Go and Python, or on PATH. @throws when the test file does not say that it needs it. */
export function toolPath(name: string): string | undefined {
  assertDeclared(name, relative(ROOT, expect.getState().testPath ?? ''));
  const folders = [...TOOLS, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', debianPrograms];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
