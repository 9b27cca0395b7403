// What arrives at the sandbox, one line each in the terminal of `npm start`: messages on the phones, calls, webhooks, moods. It listens to
// the sandbox's own stream of events, and under load it counts what it does not print.

import { setTimeout as sleep } from 'node:timers/promises';
import { ArrivalLines, type Paint } from './arrival-lines.ts';

export interface ArrivalsOptions {
  /** Address of the sandbox. */
  sandbox: string;
  say(line: string): void;
  paint: Paint;
  signal: AbortSignal;
}

const reconnectMs = 1_000;
/** How long the stream's first event is waited for, ms; then the start goes on: this is for people to look at, and nothing depends on it. */
const patienceMs = 1_000;

/** Resolves once it listens, so that nothing is missed from then on. What the sandbox received before is not shown. */
export async function showArrivals({ sandbox, say, paint, signal }: ArrivalsOptions): Promise<void> {
  const listening = Promise.withResolvers<void>();
  const lines = new ArrivalLines(paint);
  const printer = new Printer(say);
  const onEvent = ({ event, data }: ServerEvent) => {
    if (event === 'hello') listening.resolve();
    const line = lines.of(event, JSON.parse(data));
    if (line !== null) printer.print(line);
  };
  const listen = async () => {
    while (!signal.aborted) {
      const isThere = await readEvents(`${sandbox}/sandbox/events?reader=terminal`, onEvent, signal).catch(() => true);
      if (!isThere) break;
      await sleep(reconnectMs, undefined, { signal }).catch(() => {});
    }
    listening.resolve();
  };
  void listen();
  await Promise.race([listening.promise, sleep(patienceMs, undefined, { ref: false })]);
}

export interface ServerEvent {
  event: string;
  data: string;
}

/** Reads Server-Sent Events until the stream ends. False where there is no such stream. @throws when the connection breaks. */
export async function readEvents(
  url: string,
  onEvent: (event: ServerEvent) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    return false;
  }
  let rest = '';
  let event = 'message';
  let data: string[] = [];
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('event:')) event = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).trim());
      else if (line === '' || line === '\r') {
        if (data.length > 0) onEvent({ event, data: data.join('\n') });
        event = 'message';
        data = [];
      }
    }
  }
  return true;
}

/** More lines a second than anyone reads would slow the terminal, and so whatever is being tried out. */
const mostLines = 20;
const windowMs = 1_000;

/** Prints so many lines a second, and says how many more there were. */
export class Printer {
  readonly #say: (line: string) => void;
  readonly #windowMs: number;
  #printed = 0;
  #left = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(say: (line: string) => void, ms = windowMs) {
    this.#say = say;
    this.#windowMs = ms;
  }

  print(line: string): void {
    this.#window ??= setTimeout(() => this.#next(), this.#windowMs).unref();
    if (this.#printed >= mostLines) {
      this.#left += 1;
      return;
    }
    this.#printed += 1;
    this.#say(line);
  }

  #next(): void {
    if (this.#left > 0) this.#say(`          … and ${this.#left} more`);
    this.#window = undefined;
    this.#printed = 0;
    this.#left = 0;
  }
}
