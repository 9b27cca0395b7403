// The database of a run: durable as in production, killed by the number of its postmaster, up again on the same port.
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { isRunning } from '../support/pid.ts';
import type { Journal } from './journal.ts';

export class Postgres {
  readonly #dataDir: string;
  readonly #journal: Journal;
  #running: Embedded | null = null;
  #url = '';
  #frozen: number[] = [];

  constructor(dataDir: string, journal: Journal) {
    this.#dataDir = dataDir;
    this.#journal = journal;
  }

  get url(): string {
    return this.#url;
  }

  /** Of the postmaster. @throws while it does not run. */
  get pid(): number {
    if (!this.#running) throw new Error('Postgres does not run');
    return this.#running.pid;
  }

  get ready(): boolean {
    return this.#running !== null;
  }

  /** Resolves once it takes connections, crash recovery included. */
  async start(): Promise<void> {
    const settings = { log_error_verbosity: 'default', ...(this.#url ? { port: new URL(this.#url).port } : {}) };
    this.#running = await startEmbedded({ dataDir: this.#dataDir, settings });
    this.#url = this.#running.url;
    this.#journal.set('postgres', true);
  }

  /** SIGKILL to the postmaster; its backends find out by themselves, as after the kernel's out-of-memory killer. */
  async kill(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    this.#journal.set('postgres', false);
    process.kill(running.pid, 'SIGKILL');
    for (let round = 0; round < 1_000 && isRunning(running.pid); round += 1) await pause(5);
  }

  /** SIGSTOP to every process of it: connections stay, nothing answers, new ones are taken by the kernel alone. */
  freeze(): void {
    // The postmaster first: then it makes no new ones while we look for those there are.
    const { pid } = this;
    signal(pid, 'SIGSTOP');
    this.#frozen = [pid, ...childrenOf(pid)];
    for (const child of this.#frozen) signal(child, 'SIGSTOP');
    this.#journal.set('postgres', false);
  }

  /** SIGCONT. Does nothing where it is not frozen. */
  thaw(): void {
    const frozen = this.#frozen.splice(0);
    for (const pid of frozen) signal(pid, 'SIGCONT');
    if (frozen.length > 0) this.#journal.set('postgres', true);
  }

  /** For an interrupted driver: at once, and without looking back. */
  killNow(): void {
    this.thaw();
    if (this.#running) process.kill(this.#running.pid, 'SIGKILL');
  }

  async destroy(): Promise<void> {
    this.thaw();
    if (!this.#running) await this.start();
    await this.#running?.destroy();
    this.#running = null;
  }
}

/** One that has ended meanwhile is left alone. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}
