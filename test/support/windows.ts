// Windows in which something is counted: tests that count begin where none of them ends before the test does.
import { until } from './wait.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** Resolves once an hour has 20 s left, and a day 90: some tests set their clock ahead by a minute within the day. */
export async function windowsThatLast(): Promise<void> {
  const leftMs = (windowMs: number) => windowMs - (Date.now() % windowMs);
  const isFar = () => leftMs(hourMs) > 20_000 && leftMs(dayMs) > 90_000;
  await until(isFar, { what: 'an hour to begin', timeoutMs: 100_000 });
}
