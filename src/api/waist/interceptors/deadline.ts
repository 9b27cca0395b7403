// Ends a unary call when its time is up or its caller has gone, even where the handler does not look at its signal.

import { Code, ConnectError, type Interceptor, type UnaryRequest } from '@connectrpc/connect';
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
  return (next) => (request) => {
    if (request.stream) return next(request);
    const asked = request.contextValues.get(contextKeys.origin).timeoutMs;
    return within(Math.max(0, Math.min(asked ?? defaultMs, maxMs)), next, request);
  };
}

type Next = Parameters<Interceptor>[0];

/** When the deadline wins, nobody waits for the handler any more. */
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

/** What is thrown at once is a rejection like any other. */
const start = async (next: Next, request: UnaryRequest): ReturnType<Next> => next(request);

/** Connect keeps the caller's deadline itself, and says so by the reason of its signal. */
const isDeadline = (reason: unknown): boolean =>
  reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
