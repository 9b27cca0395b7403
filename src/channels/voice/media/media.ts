// The main thread's side of the media: what a call asks of the media thread, and what it hears of it. A thread that dies is replaced;
// its calls learn of it, because nobody hears them any more.

import { Worker } from 'node:worker_threads';
import type { MediaTarget } from '../../../sip/index.ts';
import type { Bank, Banks, Clip } from '../clip.ts';
import { Figures, type MediaFigures } from './figures.ts';
import type { PortRange } from './ports.ts';
import { mediaLostMs, type SessionEvent } from './session.ts';
import type { Command, Report, WorkerData } from './worker.ts';

export type { MediaFigures } from './figures.ts';

/** `worker_lost`: the thread died, and with it the sound of the call; the call is to be ended. */
export type MediaEvent = SessionEvent | { kind: 'worker_lost' };

export interface MediaOptions {
  /** Local address that the ports are bound to: `0.0.0.0`, `::`, or one of this machine's. */
  address: string;
  ports: PortRange;
  /** In shared memory, or else a copy goes to the thread. */
  banks: Banks;
  /** Default 20,000. */
  mediaLostMs?: number;
  onEvent(callId: string, event: MediaEvent): void;
  /** The media thread died, and another one takes its place. */
  onThreadLost(why: Error): void;
}

interface OpenCall {
  /** Tells two calls of one id apart. */
  serial: number;
  bank: Bank;
}

/** A thread that did not live so long is replaced after a pause as long, ms: whatever killed it may still be there. */
const shortLifeMs = 1_000;
/** Saying goodbye and closing sockets takes no longer, ms. */
const stopMs = 2_000;

interface Thread {
  worker: Worker;
  startedAt: number;
}

export class Media {
  readonly #options: MediaOptions;
  readonly #figures = new Figures();
  /** By call id; a call is among them before its port is known, too. */
  readonly #calls = new Map<string, OpenCall>();
  readonly #opening = new Map<number, (port: number | null) => void>();
  #serial = 0;
  #thread: Thread | null = null;
  #restart: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: MediaOptions) {
    this.#options = options;
    this.#start();
  }

  /**
   * Binds a port pair: RTP there, RTCP one above. Null: none of the range is free, or there is no media thread just now.
   * @throws when a call of that id is open
   */
  async open(callId: string, language: string): Promise<{ port: number } | null> {
    if (this.#calls.has(callId)) throw new Error(`the media of call ${callId} is open already`);
    const bank = this.#options.banks.get(language);
    if (bank === undefined) throw new Error(`there is no bank of prompts for '${language}'`);
    if (this.#thread === null || this.#stopped) return null;
    this.#serial += 1;
    const serial = this.#serial;
    this.#calls.set(callId, { serial, bank });
    const port = await new Promise<number | null>((resolve) => {
      this.#opening.set(serial, resolve);
      this.#post({ kind: 'open', callId, serial, language });
    });
    if (port !== null) return { port };
    if (this.#calls.get(callId)?.serial === serial) this.#calls.delete(callId);
    return null;
  }

  /** The peer's answer, or a later offer of it: packets go out from now on. */
  connect(callId: string, target: MediaTarget): void {
    this.#post({ kind: 'connect', callId, target });
  }

  /**
   * Speaks the clips from the next frame on, in place of what is queued; `played` brings the token.
   * @throws where the bank lacks a clip
   */
  say(callId: string, clips: readonly Clip[], token: number): void {
    const bank = this.#calls.get(callId)?.bank;
    if (bank === undefined) return;
    for (const clip of clips)
      if ('clip' in clip && !bank.has(clip.clip)) throw new Error(`the bank of prompts has no clip '${clip.clip}'`);
    this.#post({ kind: 'say', callId, clips, token });
  }

  /** Drops what is queued behind the clip that is being spoken; `played` comes when that clip has ended. */
  finishPhrase(callId: string): void {
    this.#post({ kind: 'finish_phrase', callId });
  }

  /** Ends the sound of a call and gives its ports back. No event of it comes afterwards. */
  close(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#calls.delete(callId);
    this.#opened(call.serial, null);
    this.#post({ kind: 'close', callId });
  }

  /** Calls whose media are open. */
  get calls(): number {
    return this.#calls.size;
  }

  /** Counted since the beginning, in all threads there were. */
  figures(): MediaFigures {
    return this.#figures.read();
  }

  /** Ends all calls and the thread. No event comes afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#restart);
    for (const callId of [...this.#calls.keys()]) this.close(callId);
    const worker = this.#thread?.worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    this.#post({ kind: 'stop' });
    const timer = setTimeout(() => void worker.terminate(), stopMs);
    await ended;
    clearTimeout(timer);
  }

  #start(): void {
    const { address, ports, banks } = this.#options;
    const workerData: WorkerData = {
      address,
      ports,
      banks,
      mediaLostMs: this.#options.mediaLostMs ?? mediaLostMs,
      figures: this.#figures.shared,
    };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: 'media', workerData, env: {} });
    this.#thread = { worker, startedAt: performance.now() };
    worker.on('message', (report: Report) => this.#take(report));
    let why: unknown;
    worker.on('error', (error) => {
      why = error;
    });
    worker.once('exit', (code) => this.#lose(why instanceof Error ? why : new Error(`it ended with ${code}`)));
  }

  #post(command: Command): void {
    this.#thread?.worker.postMessage(command);
  }

  #take(report: Report): void {
    if (report.kind === 'opened') this.#opened(report.serial, report.port);
    else if (this.#calls.get(report.callId)?.serial === report.serial)
      this.#options.onEvent(report.callId, report.event);
  }

  #opened(serial: number, port: number | null): void {
    this.#opening.get(serial)?.(port);
    this.#opening.delete(serial);
  }

  #lose(why: Error): void {
    const livedMs = performance.now() - (this.#thread?.startedAt ?? 0);
    this.#thread = null;
    if (this.#stopped) return;
    const lost = [...this.#calls].filter(([, { serial }]) => !this.#opening.has(serial));
    this.#calls.clear();
    for (const serial of [...this.#opening.keys()]) this.#opened(serial, null);
    if (livedMs >= shortLifeMs) this.#start();
    else this.#restart = setTimeout(() => this.#start(), shortLifeMs);
    this.#options.onThreadLost(why);
    for (const [callId] of lost) this.#options.onEvent(callId, { kind: 'worker_lost' });
  }
}
