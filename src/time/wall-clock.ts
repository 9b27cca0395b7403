// Times of the wall clock, in ms: its units, and comparisons that hold when NTP or a restored machine sets it back. Then nothing may wait for as
// long as the clock was set back by.

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/**
 * Whether `until` is still to come. One that is further ahead than it was ever set counts as over: the clock was set back meanwhile.
 * @param longestMs how far ahead `until` was, at most, when it was set.
 */
export const isAhead = (until: number, now: number, longestMs: number): boolean =>
  now < until && until <= now + longestMs;

/** Ms that have passed since `since`. Where the clock was set back before it, the distance counts as time that has passed. */
export const elapsedMs = (since: number, now: number): number => Math.abs(now - since);
