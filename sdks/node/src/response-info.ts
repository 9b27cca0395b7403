// What hooks get to know of an attempt, and nothing that is secret: no key, no number, no code.

import { ApiError } from './errors.ts';
import { maskedHeaders } from './foreign.ts';
import type { Runtime } from './runtime.ts';

/** One attempt of a call, successful or not. `String(info)` is one line for a log. */
export class ResponseInfo {
  /** `verify.send` */
  readonly operation: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** HTTP status; 0 where no response came. Over gRPC the one REST would have. */
  readonly status: number;
  /** Identifies the request in the logs of the service; empty where there is none. */
  readonly requestId: string;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** Headers of the response, without the API key where something sent it back; empty where none came. */
  readonly headers: Headers;

  /** @internal */
  constructor(info: Omit<ResponseInfo, 'toString'>) {
    this.operation = info.operation;
    this.attempt = info.attempt;
    this.status = info.status;
    this.requestId = info.requestId;
    this.durationMs = info.durationMs;
    this.headers = info.headers;
  }

  toString(): string {
    const outcome = this.status === 0 ? 'no response' : `HTTP ${this.status}`;
    const id = this.requestId === '' ? '' : ` (${this.requestId})`;
    return `${this.operation}, attempt ${this.attempt}: ${outcome} in ${(this.durationMs / 1000).toFixed(3)} s${id}`;
  }
}

/** Called after each attempt of a call. What it throws ends the call; what it returns is not awaited. */
export type OnResponse = (info: ResponseInfo) => void;

/** Status and headers of a response, as far as hooks are concerned. */
interface Outcome {
  status: number;
  headers: Headers;
}

/** Reports the attempts of one call to its hooks. */
export class Reporter {
  readonly #operation: string;
  readonly #apiKey: string;
  readonly #hooks: readonly OnResponse[];
  readonly #runtime: Runtime;
  #attempt = 0;
  #begunMs = 0;
  #isOpen = false;
  #thrown: { error: unknown } | undefined;

  constructor(operation: string, apiKey: string, hooks: readonly OnResponse[], runtime: Runtime) {
    this.#operation = operation;
    this.#apiKey = apiKey;
    this.#hooks = hooks;
    this.#runtime = runtime;
  }

  /** Whether a hook threw. What it threw ends the call, whatever its class: no attempt follows. */
  get hasThrown(): boolean {
    return this.#thrown !== undefined;
  }

  /** Runs one attempt of a call. */
  async attempt<T extends Outcome>(work: () => Promise<T>): Promise<T> {
    this.#begin();
    let response: T;
    try {
      response = await work();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#end(response);
    return response;
  }

  /** Opens one connection of a watch; `open` says when it has its response. */
  async *connection<T>(open: (answered: (response: Outcome) => void) => AsyncIterable<T>): AsyncGenerator<T, void> {
    this.#begin();
    try {
      yield* open((response) => this.#end(response));
    } catch (error) {
      // On its way here it was taken for what the connection broke by.
      if (this.#thrown) throw this.#thrown.error;
      this.#fail(error);
      throw error;
    }
  }

  #begin(): void {
    this.#attempt += 1;
    this.#begunMs = this.#runtime.now();
    this.#isOpen = true;
  }

  #fail(error: unknown): void {
    const answer = error instanceof ApiError ? error : undefined;
    const headers = new Headers(answer?.headers);
    // Over gRPC an error has its id, and no headers.
    if (answer?.requestId && !headers.has('x-request-id')) headers.set('x-request-id', answer.requestId);
    this.#end({ status: answer?.status ?? 0, headers });
  }

  #end({ status, headers }: Outcome): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#hooks.length === 0) return;
    const shown = maskedHeaders(headers, this.#apiKey);
    const info = new ResponseInfo({
      operation: this.#operation,
      attempt: this.#attempt,
      status,
      requestId: shown.get('x-request-id') ?? '',
      durationMs: this.#runtime.now() - this.#begunMs,
      headers: shown,
    });
    try {
      for (const hook of this.#hooks) hook(info);
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
  }
}
