// Child processes of tests: started, watched for lines, signaled by pid. One still running at the end of its test file is
// killed and fails the file. Import it at the top of a test file: the check is registered then.
import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll } from 'vitest';
import { until } from './wait.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface SpawnOptions {
  args?: readonly string[];
  cwd?: string;
  /** Added to this process' environment; `undefined` removes a name. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Another user to run as; default: ours. */
  uid?: number;
  gid?: number;
  /** In a process group of its own, as what a shell starts: `process.kill(-pid, …)` is a key pressed in its terminal. */
  detached?: boolean;
}

export interface TestProcess {
  pid: number;
  /** Everything written so far, to stdout and stderr. */
  output(): string;
  /** Waits until the output matches; default timeout 60 000 ms. Fails at once when the process ends without it. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Writes to its stdin. */
  write(text: string): void;
  signal(signal: NodeJS.Signals): void;
  /** Waits for the end; default timeout 60 000 ms. */
  exit(timeoutMs?: number): Promise<Exit>;
  hasEnded(): boolean;
  /** Signals and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Exit>;
}

const running = new Map<ChildProcess, string>();

// Where the check below does not get to run: another file-wide hook failed first, or the run was interrupted. Vitest ends
// a file's process by SIGTERM.
process.once('SIGTERM', () => process.exit(143));
process.once('exit', () => {
  for (const child of running.keys()) child.kill('SIGKILL');
});

afterAll(async () => {
  const left = [...running];
  for (const [child] of left) child.kill('SIGKILL');
  await until(() => running.size === 0, { what: 'killed processes to be gone' });
  if (left.length > 0)
    throw new Error(`left running: ${left.map(([child, name]) => `${name} (${child.pid})`).join(', ')}`);
});

/** Starts a program; by default with no arguments in the current directory. */
export function startProcess(command: string, options: SpawnOptions = {}): TestProcess {
  const args = options.args ?? [];
  const name = [command, ...args].join(' ');
  const { cwd, uid, gid, detached } = options;
  const child = spawn(command, args, {
    cwd,
    uid,
    gid,
    detached,
    env: { ...process.env, ...options.env },
    stdio: 'pipe',
  });
  running.set(child, name);
  let output = '';
  let exited: Exit | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.on('error', (error) => {
    output += `\n${error.message}`;
    exited ??= { code: null, signal: null };
    running.delete(child);
  });
  child.on('close', (code, signal) => {
    exited ??= { code, signal };
    running.delete(child);
  });

  const withOutput = (error: Error): never => {
    throw new Error(`${error.message}; it wrote:\n${output}`);
  };
  const exit = (timeoutMs = 60_000) => until(() => exited, { what: `${name} to end`, timeoutMs }).catch(withOutput);
  return {
    pid: child.pid ?? -1,
    output: () => output,
    waitFor: async (pattern, timeoutMs = 60_000) => {
      const written = () => pattern.test(output) || exited;
      await until(written, { what: `${name} to write ${pattern}`, timeoutMs }).catch(withOutput);
      const match = output.match(pattern);
      if (match === null) throw new Error(`${name} ended without writing ${pattern}; it wrote:\n${output}`);
      return match;
    },
    write: (text) => child.stdin.write(text),
    signal: (signal) => child.kill(signal),
    hasEnded: () => exited !== undefined,
    exit,
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exit();
    },
  };
}

/** Starts a TypeScript or JavaScript file of this project with the Node that runs the tests. */
export function startScript(file: string, options: SpawnOptions = {}): TestProcess {
  return startProcess(process.execPath, { ...options, args: [file, ...(options.args ?? [])] });
}
