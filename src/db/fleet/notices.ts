// Notices from one process to another, or to all: a Postgres NOTIFY on the receiver's own channel or on the common one, and the connection that
// listens to both. A notice
// is a few milliseconds on its way and is stored nowhere: one sent while nobody listens is lost, so a listener that was away looks itself.

import { setTimeout } from 'node:timers/promises';
import { openConnection } from '../client.ts';
import type { Queryable } from '../queryable.ts';

/** Name of the channel that a process listens to; at most 63 bytes. */
const channelOf = (processId: string): string => `ramz_${processId}`.slice(0, 63);

/** Sends a notice of at most 8,000 bytes. Whether the process hears it is not known. */
export async function sendNotice(db: Queryable, processId: string, payload: string): Promise<void> {
  await db.query({ name: 'notice', text: 'select pg_notify($1, $2)', values: [channelOf(processId), payload] });
}

/** The channel that all processes listen to. */
const commonChannel = 'ramz_all';

/** Sends a notice to every process that listens, the sender included. */
export async function announceToAll(db: Queryable, payload: string): Promise<void> {
  await db.query({ name: 'notice', text: 'select pg_notify($1, $2)', values: [commonChannel, payload] });
}

export interface ListenerOptions {
  url: string;
  processId: string;
  onNotice(payload: string): void;
  /** From now on notices are heard: at the start, and after every gap. */
  onListening(): void;
  /** The connection is lost or could not be made; it is made again. */
  onLost(error: unknown): void;
}

const firstPauseMs = 100;
const maxPauseMs = 5_000;
/** A connection that hangs looks like one that has nothing to say: a statement now and then tells them apart. */
const checkEveryMs = 2_000;
/** Well beyond the distance of two checks, or a connection would be cut in the moment of one. */
const statementMs = 3_000;

export class NoticeListener {
  readonly #options: ListenerOptions;
  readonly #stopping = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Begins to listen, and returns at once. */
  start(): void {
    this.#done = this.#run();
  }

  /** Resolves once the connection is closed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        await this.#listen(() => {
          pauseMs = firstPauseMs / 2;
        });
      } catch (error) {
        if (!signal.aborted) this.#options.onLost(error);
      }
      await sleep(pauseMs, signal);
    }
  }

  /** Listens on one connection. Resolves when this listener is stopped. @throws when the connection is lost. */
  async #listen(onListening: () => void): Promise<void> {
    const { url, processId } = this.#options;
    const { signal } = this.#stopping;
    const client = await openConnection(url, { applicationName: 'ramz notices', statementTimeoutMs: statementMs });
    const broken = new AbortController();
    let cause: unknown = new Error('the connection was closed');
    // Unheard, an error would end the process.
    client.on('error', (error) => {
      cause = error;
      broken.abort();
    });
    client.on('end', () => broken.abort());
    client.on('notification', ({ payload = '' }) => this.#options.onNotice(payload));
    try {
      await client.query(`listen ${client.escapeIdentifier(channelOf(processId))}`);
      await client.query(`listen ${commonChannel}`);
      onListening();
      this.#options.onListening();
      const over = AbortSignal.any([signal, broken.signal]);
      while (!over.aborted) {
        await sleep(checkEveryMs, over);
        if (!over.aborted) await client.query('select 1');
      }
      if (!signal.aborted) throw cause;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Ends at once when the signal is aborted; keeps no process alive. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
