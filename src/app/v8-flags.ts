// V8's flags for a server, against long collections of garbage. --trace-incremental-marking showed the fault that each of them cures;
// docs/performance.md has the gain.

import { setFlagsFromString } from 'node:v8';

/** Held by a test to be known to this version of V8: `setFlagsFromString` passes over what it does not know. */
export const collectorFlags = [
  // V8 may decide by what it sees in a rush that Buffers live long, and from then on makes them where only a full collection looks:
  // then all that is read and written waits for one, and 64 MiB of it force one every eight seconds.
  '--no-allocation-site-pretenuring',
  // With some hundred calls a second V8 takes the process for a quiet one, lets the heap grow by a half at most, and collects all of
  // it once a second. Here it may grow to three times what lives in it, as it may anyway in a busy process.
  '--heap-growing-percent=200',
];

/**
 * Makes full collections rare. While one runs, V8's threads take the processors for some 60 ms, and the calls of that moment wait.
 * To be called before the rest of the program is loaded: what has been compiled keeps to the old rules.
 */
export function collectSeldom(): void {
  for (const flag of collectorFlags) setFlagsFromString(flag);
}
