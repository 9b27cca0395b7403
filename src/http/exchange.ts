// One HTTP exchange as a client: the request, and its answer with a body of bounded length, within a bounded time.
//
// undici's `request` does more than this needs. Its body streams, and signals that end by themselves (`AbortSignal.timeout`), also
// outlive every young collection of the garbage collector, together with all that waits for them, which made a service
// that posts 300 webhooks a second collect everything once a second.

import { type Dispatcher, errors } from 'undici';
import { type Alarm, alarm } from '../time/alarm.ts';

/** Informational answers taken before the one that counts. Without an end to them they would keep this process busy all the time that is left. */
const mostInformational = 10;

export interface ExchangeRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Time limit of the whole exchange, ms: name, connection, TLS, request and answer with its body. */
  timeoutMs: number;
  maxBodyBytes: number;
}

export interface ExchangeAnswer {
  status: number;
  /** Headers by name in small letters. */
  headers: Record<string, string | string[] | undefined>;
  /** Null where it is longer than `maxBodyBytes`: then the connection is closed. */
  body: Buffer | null;
}

/** Thrown where there was no whole answer in time. */
export class ExchangeTimeout extends Error {
  override name = 'TimeoutError';
}

/** Follows no redirect and never repeats a request. @throws ExchangeTimeout, or the error of undici or Node about the connection. */
export function exchange(agent: Dispatcher, request: ExchangeRequest): Promise<ExchangeAnswer> {
  const { url, method, headers, body, timeoutMs, maxBodyBytes } = request;
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url);
    const handler = new Handler({ resolve, reject, timeoutMs, maxBodyBytes });
    const how = { origin, path: pathname + search, method, headers, body: body ?? null };
    agent.dispatch({ ...how, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
}

interface HandlerOptions extends Pick<ExchangeRequest, 'timeoutMs' | 'maxBodyBytes'> {
  resolve(answer: ExchangeAnswer): void;
  reject(error: Error): void;
}

class Handler implements Dispatcher.DispatchHandler {
  readonly #options: HandlerOptions;
  readonly #alarm: Alarm;
  #controller: Dispatcher.DispatchController | null = null;
  /** Why the exchange is ended early; set as soon as its caller has a result and waits no longer. */
  #over: Error | null = null;
  #informational = 0;
  #status = 0;
  #headers: ExchangeAnswer['headers'] = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(options: HandlerOptions) {
    this.#options = options;
    const late = () => this.#breakOff(new ExchangeTimeout(`no answer within ${options.timeoutMs} ms`));
    this.#alarm = alarm(late, options.timeoutMs);
  }

  /** May come late: for a request that had to wait for a connection, or again, for one whose connection was lost before it was written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(this.#over);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ExchangeAnswer['headers']): void {
    this.#status = status; // Of an informational answer, too: the one that is still to come takes its place (RFC 9110, 15.2).
    this.#headers = headers;
    if (status < 200 && ++this.#informational > mostInformational)
      this.#breakOff(new errors.HeadersOverflowError('too many informational answers'));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length <= this.#options.maxBodyBytes) this.#chunks.push(chunk);
    else if (!this.#over) {
      this.#options.resolve({ status: this.#status, headers: this.#headers, body: null });
      this.#breakOff(new Error('the answer is too long'));
    }
  }

  onResponseEnd(): void {
    this.#alarm.clear();
    if (this.#over) return;
    this.#options.resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#alarm.clear();
    this.#options.reject(error); // Without effect where the caller has a result already.
  }

  #breakOff(why: Error): void {
    this.#alarm.clear();
    this.#over = why;
    this.#options.reject(why);
    this.#controller?.abort(why);
  }
}
