// Running a program and waiting for its end, for the scripts.
import { type SpawnOptions, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { assertDeclared } from './test/needs.ts';

export const root = dirname(import.meta.dirname);

export interface Ended {
  /** The exit code; 127 when it could not be started, 128 when a signal ended it. */
  code: number;
  /** What it wrote, where it was not passed through. */
  output: string;
}

/** Programs under way, for signals to be passed to. */
export const running = new Set<ReturnType<typeof spawn>>();

/**
 * Output is collected unless `options.stdio` says otherwise. Ends the program after `timeoutMs` (default 10 minutes).
 * @throws below test/sdks/run.ts (RAMZ_SUITE_FILE) when the suite does not say that it needs the program.
 */
export function run(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { timeoutMs?: number } = {},
): Promise<Ended> {
  const suiteFile = process.env.RAMZ_SUITE_FILE;
  if (suiteFile !== undefined) assertDeclared(program, suiteFile);
  const { timeoutMs = 600_000, ...rest } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...rest });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const timers = [
      setTimeout(() => child.kill('SIGTERM'), timeoutMs),
      setTimeout(() => child.kill('SIGKILL'), timeoutMs + 20_000),
    ];
    const done = (code: number, more = '') => {
      for (const timer of timers) clearTimeout(timer);
      running.delete(child);
      resolve({ code, output: output + more });
    };
    child.once('error', (error) => done(127, error.message));
    child.once('close', (code) => done(code ?? 128));
  });
}
