// Programs that tests need and machines may lack (test/apt.txt, test/tools). Without one its tests are skipped, by name;
// `npm test` makes that a failure when CI=true.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'vitest';

const TOOLS = join(import.meta.dirname, '..', '..', '.tools', 'bin');

export type ToolTest = (name: string, run: (context: TestContext) => unknown, timeoutMs?: number) => void;

/** `test` when every tool is there; else a `test` that skips and says which one is missing. */
export function requireTool(...names: string[]): ToolTest {
  const missing = names.filter((name) => toolPath(name) === undefined);
  if (missing.length === 0) return (name, run, timeoutMs) => test(name, run, timeoutMs);
  return (name) => test(name, ({ skip }) => skip(`${missing.join(', ')} not installed`));
}

/** Where the program is: among the Go tools, or on PATH. */
export function toolPath(name: string): string | undefined {
  const folders = [TOOLS, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
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
