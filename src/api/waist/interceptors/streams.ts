// Ends streams when their caller has gone, its deadline has passed, or the process stops: even where the handler does not
// look at its signal.

import { Code, ConnectError, type Interceptor, type StreamRequest } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { fail, isOwnError } from '../errors.ts';

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

/** The longest a timer can be, about 25 days. */
const maxTimerMs = 2 ** 31 - 1;

/** Passes messages on until `signal` is aborted; then it throws why. */
export async function* until<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(reasonOf(signal));
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
    // Not awaited: a handler that waits for something of its own ends only when that comes.
    void iterator.return?.()?.catch(() => {});
  }
}

function reasonOf(signal: AbortSignal): ConnectError {
  const reason: unknown = signal.reason;
  if (reason instanceof ConnectError && isOwnError(reason)) return reason;
  // Connect's own deadline, or the timeout above.
  const late = reason instanceof ConnectError ? reason.code === Code.DeadlineExceeded : isTimeout(reason);
  if (late) {
    return fail('deadline_exceeded', 'the deadline of the stream has passed');
  }
  return fail('canceled', 'the caller has gone');
}

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';
