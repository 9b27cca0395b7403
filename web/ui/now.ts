// The time, as a picture that moves and a clock need it: again and again while something is under way, and at rest otherwise.

import { useReducedMotion } from '@mantine/hooks';
import { useEffect, useState } from 'react';

const smoothMs = 50;
/** For those who want no motion, and for clocks of whole seconds. */
export const calmMs = 1_000;

/** `everyMs`: how often it changes while `isMoving`. */
export function useNow(isMoving: boolean, everyMs = smoothMs): number {
  const isCalm = useReducedMotion();
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!isMoving) return;
    const timer = setInterval(() => setNow(Date.now()), isCalm ? Math.max(everyMs, calmMs) : everyMs);
    return () => clearInterval(timer);
  }, [isMoving, isCalm, everyMs]);
  return nowMs;
}
