// The end of calls that last too long. A stream ends when its caller has gone, its deadline has passed, or the process stops;
// a unary call when its time is up or its caller has gone. Both end even where the handler ignores its signal.

import { Code, ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { copyOf, fail, isOwnError } from '../errors.ts';

/** `stopping` is aborted, with the error that callers shall see, when the process stops. */
export function streams(stopping: AbortSignal): Interceptor {
  return (next) => (request) => (request.stream ? bounded(next, request, stopping) : next(request));
}

async function bounded(next: Next, request: StreamRequest, stopping: AbortSignal): Promise<Response> {
  const { timeoutMs } = request.contextValues.get(contextKeys.origin);
  const late = timeoutMs === undefined ? [] : [AbortSignal.timeout(Math.min(Math.max(0, timeoutMs), maxTimerMs))];
  const signal = AbortSignal.any([request.signal, stopping, ...late]);
  const response = await next({ ...request, signal });
  if (!response.stream) return response;
  return { ...response, message: until(response.message, signal) };
}

type Next = Parameters<Interceptor>[0];
type Response = Awaited<ReturnType<Next>>;

/** Passes messages on until `signal` is aborted; then it throws why. The messages end at once, also where nobody asks for one. */
export async function* until<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  // Not awaited: a handler that waits for something of its own ends only when that comes.
  const leave = (): void => void iterator.return?.()?.catch(() => {});
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      reject(reasonOf(signal));
      leave();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  // It may fire while nothing waits for it.
  stopped.catch(() => {});
  try {
    for (;;) {
      if (signal.aborted) throw reasonOf(signal);
      const item = iterator.next();
      item.catch(() => {});
      const { done, value } = await Promise.race([item, stopped]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    leave();
  }
}

function reasonOf(signal: AbortSignal): ConnectError {
  const reason: unknown = signal.reason;
  // A copy: many streams may end for one reason, and each gets the id of its own call.
  if (reason instanceof ConnectError && isOwnError(reason)) return copyOf(reason);
  // Connect's own deadline, or the timeout above.
  const late = reason instanceof ConnectError ? reason.code === Code.DeadlineExceeded : isTimeout(reason);
  if (late) {
    return fail('deadline_exceeded', 'the deadline of the stream has passed');
  }
  return fail('canceled', 'the caller has gone');
}

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';

/** For a call that asks for no time of its own, ms. */
export const defaultCallMs = 10_000;

export interface DeadlineOptions {
  /** For calls that ask for none, ms. Default 10 000. */
  defaultMs?: number;
  /** The longest a call can ask for, ms. Default 30 000. */
  maxMs?: number;
}

/** Streams are not bounded: a watch may last as long as its session, and its caller's own deadline reaches it by its signal. */
export function deadline({ defaultMs = defaultCallMs, maxMs = 30_000 }: DeadlineOptions = {}): Interceptor {
  return (next) => (request) => {
    if (request.stream) return next(request);
    const asked = request.contextValues.get(contextKeys.origin).timeoutMs;
    return within(Math.max(0, Math.min(asked ?? defaultMs, maxMs)), next, request);
  };
}

/** When the deadline wins, the handler's answer is dropped. */
function within(ms: number, next: Next, request: UnaryRequest): ReturnType<Next> {
  return new Promise((resolve, reject) => {
    const ending = new AbortController();
    const end = (reason: ConnectError) => {
      ending.abort(reason);
      reject(reason);
    };
    const late = () => end(fail('deadline_exceeded', `took longer than ${ms} ms`));
    const gone = () => (isDeadline(request.signal.reason) ? late() : end(fail('canceled', 'the caller has gone')));
    const timer = setTimeout(late, ms);
    const done = () => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', gone);
    };
    if (request.signal.aborted) gone();
    else request.signal.addEventListener('abort', gone, { once: true });
    start(next, { ...request, signal: ending.signal }).then(
      (response) => {
        done();
        resolve(response);
      },
      (reason) => {
        done();
        reject(reason);
      },
    );
  });
}

/** An error thrown at once becomes a rejection like any other. */
const start = async (next: Next, request: UnaryRequest): ReturnType<Next> => next(request);

/** Connect keeps the caller's deadline itself, and says so by the reason of its signal. */
const isDeadline = (reason: unknown): boolean =>
  reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;

// The time limits that callers state in headers, of gRPC (`grpc-timeout: 5S`) and of Connect (`Connect-Timeout-Ms: 5000`).

/** The longest that a timer can run, about 25 days, ms. A longer one would ring at once. */
const maxTimerMs = 2 ** 31 - 1;

const unitMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6, '': 1 };

/** In ms; undefined for any other form: the protocol's own reader refuses it. */
export function timeoutMsOf(header: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,10})([HMSmun]?)$/.exec(header) ?? [];
  return digits === undefined ? undefined : Number(digits) * (unitMs[unit] ?? 1);
}

type TimeoutHeader = 'grpc-timeout' | 'connect-timeout-ms';

/** In place of a limit that no timer can keep. The number in `grpc-timeout` has 8 digits at most. */
const longest: Record<TimeoutHeader, string> = {
  'grpc-timeout': `${Math.floor(maxTimerMs / 1000)}S`,
  'connect-timeout-ms': String(maxTimerMs),
};

/** Shortens the limit in `headers` to what a timer can keep. */
export function boundTimeout(headers: NodeJS.Dict<string | string[]>, name: TimeoutHeader): void {
  const header = headers[name];
  if (typeof header === 'string' && (timeoutMsOf(header) ?? 0) > maxTimerMs) headers[name] = longest[name];
}
