// Ends streams when their caller has gone, its deadline has passed, or the process stops: even where the handler does not
// look at its signal.

import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { fail } from '../errors.ts';

/** `stopping` is aborted, with the error that callers shall see, when the process stops. */
export function streams(stopping: AbortSignal): Interceptor {
  return (next) => async (request) => {
    if (!request.stream) return next(request);
    const signal = AbortSignal.any([request.signal, stopping]);
    const response = await next({ ...request, signal });
    if (!response.stream) return response;
    return { ...response, message: until(response.message, signal) };
  };
}

async function* until<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
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
  if (reason instanceof ConnectError && reason.code === Code.Unavailable) return reason;
  if (reason instanceof ConnectError && reason.code === Code.DeadlineExceeded) {
    return fail('deadline_exceeded', 'the deadline of the stream has passed');
  }
  return fail('canceled', 'the caller has gone');
}
