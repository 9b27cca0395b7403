// The two shapes of load. Closed: so many at once, the next begins when one ends: shows how much goes through. Open: so many a
// second whatever becomes of them, as clients do: shows how long each waits.

export interface Counted<Result> {
  results: Result[];
  seconds: number;
}

/** Keeps `inFlight` running for `warmupMs` and then `measureMs`; counts what ends in the second part. The first error ends it. */
export async function closedLoop<Result>(
  play: () => Promise<Result>,
  { inFlight, warmupMs, measureMs }: { inFlight: number; warmupMs: number; measureMs: number },
  hooks: { onMeasure?(): void; onMeasured?(): void } = {},
): Promise<Counted<Result>> {
  const results: Result[] = [];
  const begin = performance.now() + warmupMs;
  const end = begin + measureMs;
  let measuring = false;
  let done = false;
  const look = () => {
    const now = performance.now();
    if (!measuring && now >= begin) {
      measuring = true;
      hooks.onMeasure?.();
    }
    if (!done && now >= end) {
      done = true;
      hooks.onMeasured?.();
    }
  };
  const worker = async () => {
    while (!done) {
      const result = await play();
      look();
      if (measuring && !done) results.push(result);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { results, seconds: measureMs / 1000 };
}

/** Starts `ratePerSecond` for that long, evenly; each is told when it was due, so that a late start counts as waiting. */
export function openLoop<Result>(
  play: (dueAt: number) => Promise<Result>,
  { ratePerSecond, measureMs }: { ratePerSecond: number; measureMs: number },
): Promise<Counted<Result>> {
  const startedAt = performance.now();
  const total = Math.round((ratePerSecond * measureMs) / 1000);
  const running: Promise<Result>[] = [];
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      // The first is due at once.
      const due = Math.min(total, 1 + Math.floor(((performance.now() - startedAt) * ratePerSecond) / 1000));
      while (running.length < due) {
        const playing = play(startedAt + (running.length * 1000) / ratePerSecond);
        playing.catch(() => {}); // Told below.
        running.push(playing);
      }
      if (running.length < total) return;
      clearInterval(timer);
      Promise.all(running).then((results) => resolve({ results, seconds: measureMs / 1000 }), reject);
    }, 1);
  });
}
