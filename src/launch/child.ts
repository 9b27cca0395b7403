// A child process that is kept alive: it is started again when it dies, and ended when we end. It reports over IPC when it is
// ready; when that channel breaks (we were killed), it ends by itself.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

export interface ChildOptions {
  name: string;
  /** Arguments of the pinned Node, the program first. */
  args: readonly string[];
  env(): NodeJS.ProcessEnv;
  /** File descriptor for its standard output. */
  stdout: number | 'inherit';
  /** Called at every start, with the child's report that it is ready. */
  onReady(ready: Record<string, unknown>, pid: number): void;
  /** Called when it has died, and when it is about to be asked to end. */
  onGone?(): void;
  /** Called when it died so often that there is no point in going on. */
  onGivenUp(reason: string): void;
}

/** Deaths in a row without getting ready; more means it cannot start. */
const maxFailures = 3;
const restartMs = 200;
/** How long a child may take to drain before it is killed. */
const stopMs = 20_000;
/** A signal that comes so soon is the same one: it comes from the terminal, and from what passes signals on (npm, scripts/up.mjs). */
const sameMs = 500;

export class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | null = null;
  #stopping = false;
  #failures = 0;
  #wasReady = false;
  #restart: NodeJS.Timeout | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  start(): void {
    const { args, env, stdout, onReady } = this.#options;
    // In a process group of its own: Ctrl-C is for us alone, who end the children one after the other.
    const options = { env: env(), detached: true, stdio: ['ignore', stdout, 'inherit', 'ipc'] } satisfies SpawnOptions;
    const child = spawn(process.execPath, args, options);
    this.#process = child;
    child.on('message', (message: { kind?: string; reason?: string }) => {
      if (message.kind === 'failed' && !this.#wasReady) this.#giveUp(`could not start: ${message.reason}`);
      if (message.kind !== 'ready' || child.pid === undefined) return;
      this.#failures = 0;
      this.#wasReady = true;
      onReady(message as Record<string, unknown>, child.pid);
    });
    child.on('error', () => this.#ended(`could not be started`));
    child.on('exit', (code, signal) => this.#ended(signal ?? `exit code ${code}`));
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** Asks it to end, waits, and kills it when it does not, or when the person at the terminal asks for the end once more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), stopMs);
    const askedAt = performance.now();
    const again = () => {
      if (performance.now() - askedAt > sameMs) child.kill('SIGKILL');
    };
    process.on('SIGINT', again);
    await ended;
    clearTimeout(kill);
    process.off('SIGINT', again);
  }

  #ended(how: string): void {
    if (this.#stopping) return;
    this.#options.onGone?.();
    this.#failures += 1;
    if (this.#failures >= maxFailures) {
      this.#giveUp(`ended ${this.#failures} times in a row before it was ready (${how})`);
      return;
    }
    this.#restart = setTimeout(() => this.start(), restartMs);
  }

  #giveUp(why: string): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#options.onGivenUp(`${this.#options.name} ${why}`);
  }
}
