// `GET /sandbox/events`: what happens in the sandbox as Server-Sent Events, for any number of open pages. Each gets all there is at its
// beginning, and then every change. A page that does not read is cut off: it would fill this process.

import type { ServerResponse } from 'node:http';
import { type Clock, Schedule } from '../clock.ts';
import type { Feed } from '../feed.ts';
import type { SandboxEvents } from '../views.ts';
import type { Response } from './server.ts';

export interface EventsOptions {
  feed: Feed;
  clock: Clock;
  /** Everything that a page shows at its beginning. */
  hello(): object;
  /** Octets that a page may leave unread when the next event comes. Default 4 MiB. */
  mostUnread?: number | undefined;
  /** Pages at one time. Default 256. */
  mostPages?: number | undefined;
  /** Called once the last page was closed and none came back, as one does that is loaded again. */
  onAlone?(): void;
}

/** A line without meaning goes out so often: what stands between sees that the connection lives, and a dead one is found. */
const everyMs = 15_000;

/** From the end of the last page to `onAlone`, ms. */
const aloneAfterMs = 5_000;

/** A browser whose connection was cut asks again after this, ms. */
const retryMs = 1_000;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

export class Events {
  readonly #options: EventsOptions;
  readonly #pages = new Set<ServerResponse>();
  /** Of those, what is no page: the terminal of `npm start`, which reads for as long as the sandbox runs. */
  readonly #terminals = new WeakSet<ServerResponse>();
  readonly #schedule: Schedule;
  readonly #deaf: () => void;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.clock);
    this.#deaf = options.feed.listen(({ name, data }) => {
      if (this.#pages.size > 0) this.#sendAll(eventText(name, data));
    });
  }

  /** Pages that are open. */
  get size(): number {
    return this.#pages.size;
  }

  answer({ isTerminal = false } = {}): Response {
    if (this.#pages.size >= (this.#options.mostPages ?? 256))
      return { status: 503, body: { error: 'too many pages are open' } };
    return { status: 200, headers, stream: (page) => this.#begin(page, isTerminal) };
  }

  stop(): void {
    this.#deaf();
    this.#schedule.stop();
    for (const page of this.#pages) page.end();
    this.#pages.clear();
  }

  #begin(page: ServerResponse, isTerminal: boolean): void {
    page.on('close', () => {
      this.#pages.delete(page);
      if (this.#pages.size === 0) this.#schedule.forget(this);
      if (isTerminal || [...this.#pages].some((left) => !this.#terminals.has(left))) return;
      this.#schedule.later(this.#pages, aloneAfterMs, () => this.#options.onAlone?.());
    });
    this.#pages.add(page);
    if (isTerminal) this.#terminals.add(page);
    else this.#schedule.forget(this.#pages);
    this.#send(page, `retry: ${retryMs}\n${eventText('hello', this.#options.hello())}`);
    if (this.#pages.size === 1) this.#beat();
  }

  #beat(): void {
    this.#schedule.later(this, everyMs, () => {
      this.#sendAll(':\n\n');
      this.#beat();
    });
  }

  #sendAll(text: string): void {
    for (const page of this.#pages) this.#send(page, text);
  }

  #send(page: ServerResponse, text: string): void {
    // One long event is no fault of the page: it is judged by what it has left unread of those before.
    if (page.writableLength > (this.#options.mostUnread ?? 4 * 1024 * 1024)) page.destroy();
    else page.write(text);
  }
}

/** JSON has no line break of its own, so one line of data is enough. */
function eventText(name: 'hello' | keyof SandboxEvents, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data, shortAddress)}\n\n`;
}

/** Addresses of recordings as paths: a page's own address may have another name of this machine than the sandbox's. */
function shortAddress(key: string, value: unknown): unknown {
  return key === 'wav' && typeof value === 'string' ? (URL.parse(value)?.pathname ?? value) : value;
}
