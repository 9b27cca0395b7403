// One server process of the service under test: started again whenever it ends, on the same ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Journal } from './journal.ts';
import type { Server } from './plan.ts';
import type { Relay } from './relay.ts';

const viaRelay = join(import.meta.dirname, 'peers-via-relay.ts');
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const restartMs = 200;
const stopMs = 20_000;

export interface ServerOptions {
  name: Server;
  /** With ports of its own, which nothing else takes while it is down. */
  env: NodeJS.ProcessEnv;
  /** File descriptor for what it writes. */
  log: number;
  journal: Journal;
  /** With it the server has a peer port, and reaches the others through this. */
  relay: Relay | null;
}

export class ServerProcess {
  readonly name: Server;
  readonly #options: ServerOptions;
  #child: ChildProcess | null = null;
  #url = '';
  #ready = false;
  #stopping = false;
  #restart: NodeJS.Timeout | undefined;
  /** Ends we did not cause, of a process that had been ready. */
  deaths = 0;

  constructor(options: ServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Empty before the first start is complete. */
  get url(): string {
    return this.#url;
  }

  get ready(): boolean {
    return this.#ready;
  }

  start(): void {
    const { env, log, relay } = this.#options;
    const child = spawn(process.execPath, [...(relay ? ['--import', viaRelay] : []), main, 'serve'], {
      env: { ...env, CHAOS_NAME: this.name },
      stdio: ['ignore', log, log, 'ipc'],
    });
    this.#child = child;
    child.on('message', (message: { kind?: string; http?: string; port?: number }) => {
      if (message.kind === 'peer' && message.port) relay?.learn(message.port, this.name);
      if (message.kind !== 'ready' || !message.http || this.#child !== child) return;
      this.#url = message.http;
      this.#set(true);
    });
    // It could not even be started: tried again like one that ended.
    child.on('error', () => {
      if (this.#child === child && child.pid === undefined) this.#ended();
    });
    child.on('exit', () => {
      if (this.#child === child) this.#ended();
    });
  }

  /** SIGKILL; resolves once it is gone. It stays down until `start`. */
  async kill(): Promise<void> {
    clearTimeout(this.#restart);
    const child = this.#child;
    this.#child = null; // Its end is ours, not its own.
    this.#set(false);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
    this.#set(false);
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
    this.#set(true);
  }

  /** As an operator would end it: SIGTERM, then waiting. Returns false when it had to be killed. */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return true;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await gone;
    clearTimeout(late);
    return child.signalCode === null;
  }

  #ended(): void {
    if (this.#ready) {
      this.deaths += 1;
      this.#options.journal.tell('died', [this.name]);
    }
    this.#set(false);
    if (this.#stopping) return;
    // It can't start without a database; whoever supervises it tries again, as systemd or an orchestrator would.
    this.#restart = setTimeout(() => this.start(), restartMs);
  }

  #set(up: boolean): void {
    if (this.#ready !== up) this.#options.journal.set(this.name, up);
    this.#ready = up;
  }
}
