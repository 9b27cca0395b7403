// The time limit of one try and the caller's own signal, as one signal; and what an error means that came meanwhile.

import { safeCause } from './cause.ts';
import { NetworkError, RamzError, RequestTimeoutError } from './errors.ts';

export interface LimitOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface Limit {
  /** Aborted when the time is over, when the caller has had enough, and at the end. */
  signal: AbortSignal;
  /** Rejects when the signal is aborted: a `fetch` of somebody's own may not look at it. */
  over: Promise<never>;
  /** From now on time does not matter. */
  lift(): void;
  /** From now on, so much time is left. */
  restart(ms: number): void;
  /** Must be called: frees the timer, and the connection where one is left. */
  end(): void;
  /** The error as the caller shall see it. */
  explain(error: unknown): unknown;
}

/** Throws the signal's reason when it is aborted already. */
export function limit({ timeoutMs, signal }: LimitOptions): Limit {
  signal?.throwIfAborted();
  const own = new AbortController();
  let isLate = false;
  let reject = (_: unknown): void => {};
  const over = new Promise<never>((_, no) => {
    reject = no;
  });
  over.catch(() => {}); // It may fire while nobody waits.
  own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true });
  const stop = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  let limitMs = timeoutMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lift = () => clearTimeout(timer);
  const restart = (ms: number) => {
    lift();
    limitMs = ms;
    timer = setTimeout(() => {
      isLate = true;
      own.abort(new DOMException(`no answer in ${Math.round(limitMs)} ms`, 'TimeoutError'));
    }, ms);
  };
  restart(timeoutMs);
  return {
    signal: own.signal,
    over,
    lift,
    restart,
    end() {
      lift();
      signal?.removeEventListener('abort', stop);
      own.abort();
    },
    explain(error) {
      if (error instanceof RamzError) return error;
      if (signal?.aborted) return signal.reason;
      const cause = safeCause(error);
      if (isLate) return new RequestTimeoutError(`no answer in ${Math.round(limitMs)} ms`, { cause });
      return new NetworkError(`no answer: ${reasonOf(cause)}`, { cause });
    },
  };
}

/** undici hides why in `cause`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as { code?: unknown };
  return cause.message || (typeof code === 'string' ? code : cause.name);
}
