// Ends a unary call when its time is up or its caller has gone, even where the handler does not look at its signal.

import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { contextKeys } from '../context.ts';
import { fail } from '../errors.ts';

export interface DeadlineOptions {
  /** For calls that ask for none, ms. Default 10 000. */
  defaultMs?: number;
  /** The longest a call can ask for, ms. Default 30 000. */
  maxMs?: number;
}

/** Streams are not bounded: a watch may last as long as its session, and its caller's own deadline reaches it by its signal. */
export function deadline({ defaultMs = 10_000, maxMs = 30_000 }: DeadlineOptions = {}): Interceptor {
  return (next) => async (request) => {
    if (request.stream) return next(request);
    const asked = request.contextValues.get(contextKeys.origin).timeoutMs;
    const ms = Math.max(0, Math.min(asked ?? defaultMs, maxMs));
    const ending = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
    });
    const late = () => ending.abort(fail('deadline_exceeded', `took longer than ${ms} ms`));
    const gone = () =>
      isDeadline(request.signal.reason) ? late() : ending.abort(fail('canceled', 'the caller has gone'));
    const timer = setTimeout(late, ms);
    if (request.signal.aborted) gone();
    else request.signal.addEventListener('abort', gone, { once: true });
    try {
      const call = next({ ...request, signal: ending.signal });
      // When the deadline wins, nobody waits for the handler any more; its own failure must not be unhandled.
      call.catch(() => {});
      return await Promise.race([call, ended]);
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', gone);
    }
  };
}

/** Connect keeps the caller's deadline itself, and says so by the reason of its signal. */
const isDeadline = (reason: unknown): boolean =>
  reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
