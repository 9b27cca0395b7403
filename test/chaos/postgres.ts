// The database of a run: durable as in production, killed by the number of its postmaster, up again on the same port.
import { setTimeout as pause } from 'node:timers/promises';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { isRunning } from '../support/pid.ts';
import type { Journal } from './journal.ts';

export class Postgres {
  readonly #dataDir: string;
  readonly #journal: Journal;
  #running: Embedded | null = null;
  #url = '';

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

  /** For an interrupted driver: at once, and without looking back. */
  killNow(): void {
    if (this.#running) process.kill(this.#running.pid, 'SIGKILL');
  }

  async destroy(): Promise<void> {
    if (!this.#running) await this.start();
    await this.#running?.destroy();
    this.#running = null;
  }
}
