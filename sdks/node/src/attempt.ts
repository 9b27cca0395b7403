// One try under its limit: of a call, or of a stream.

import { type LimitOptions, limit } from './limit.ts';

/** Without a word for so long, a connection may be dead, and a new one is cheaper than to wonder. */
const quietMs = 60_000;

/**
 * Runs `work` with a signal that ends after `timeoutMs` or with the caller's. Throws RequestTimeoutError, NetworkError, the
 * caller's own reason, or the error of the SDK that `work` threw.
 */
export async function attempt<T>(work: (signal: AbortSignal) => Promise<T>, options: LimitOptions): Promise<T> {
  const under = limit(options);
  try {
    return await Promise.race([work(under.signal), under.over]);
  } catch (error) {
    throw under.explain(error);
  } finally {
    under.end();
  }
}

/** The same for a stream: its first item must come in time, and each later one within a minute, or longer with a longer `timeoutMs`. */
export async function* attemptStream<T>(
  work: (signal: AbortSignal) => AsyncIterable<T>,
  options: LimitOptions,
): AsyncGenerator<T, void, undefined> {
  const under = limit(options);
  const items = work(under.signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const item = items.next();
      item.catch(() => {}); // Where the race is over, nobody waits for it.
      const { done, value } = await Promise.race([item, under.over]);
      under.lift();
      if (done) return;
      yield value;
      // From now: whoever reads may have taken their time.
      under.restart(Math.max(quietMs, options.timeoutMs));
    }
  } catch (error) {
    throw under.explain(error);
  } finally {
    under.end();
    // Not awaited: it may wait for something that does not come.
    items.return?.().catch(() => {});
  }
}
