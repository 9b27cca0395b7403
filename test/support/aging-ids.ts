// Ids that sort in the order in which they were made. Two ids of one millisecond sort at random, and a quick machine makes several.
import { randomBytes } from 'node:crypto';
import { type IdSource, idSource } from '../../src/core/ids.ts';

/** Each id is of a later millisecond than the one before, and is ahead of `now` where there is more than one in a millisecond. */
export function agingIds(now: () => number = Date.now): IdSource {
  let latest = 0;
  const later = () => {
    latest = Math.max(latest + 1, now());
    return latest;
  };
  return idSource({ now: later, randomBytes });
}
