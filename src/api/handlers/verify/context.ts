// What the handlers of VerifyService are made of.

import type { Rules } from '../../../core/verify/rules.ts';
import type { Engine } from '../../../engine/engine.ts';
import { fail } from '../../waist/errors.ts';
import type { Once } from './idempotent.ts';
import type { WatchPlaces } from './watch-places.ts';

export interface VerifyServiceOptions {
  engine: Engine;
  /** The very settings the engine has: what is told of attempts and resends is what it does. Read at each use. */
  settings: { readonly rules: Rules };
  /** Unix ms. */
  now(): number;
  /** Sessions watched by this process at once; each costs a read every 200 ms. Default 5 000. */
  maxWatched?: number;
  /** Of them, those of one account and mode. Default 100. */
  watchesPerAccount?(): number;
}

/** The options, and what the handlers share. */
export interface VerifyContext extends VerifyServiceOptions {
  once: Once;
  places: WatchPlaces;
}

/** Nothing tells an unknown id from one of another account or mode. */
export const notFound = () => fail('session_not_found', 'no such session');
