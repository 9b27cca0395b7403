// Where this library gets the time from. Only differences matter here, so the system's is monotonic: a host that corrects its
// clock must not time out every request at once.

import { type Alarm, alarm } from '../time/alarm.ts';

export type Timer = Alarm;

export interface Clock {
  /** Ms since any fixed moment. */
  now(): number;
  setTimer(run: () => void, ms: number): Timer;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimer: alarm,
};
