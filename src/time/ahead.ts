// Waits that end at a time on the wall clock, which NTP or a restored machine may set back.

/**
 * Whether `until` is still to come. One that is further ahead than it was ever set counts as over: the clock was set back meanwhile, and
 * who waits must not wait for as long as that.
 */
export const isAhead = (until: number, now: number, longestMs: number): boolean =>
  now < until && until <= now + longestMs;
