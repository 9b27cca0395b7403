// The context of VerifyService's handlers: the engine, the settings, the places for watches. Each handler takes this one object, so
// that a handler can be tested without the others.

import { Counter } from '../../../collections/small-maps.ts';
import type { SendSettings } from '../../../core/verify/request.ts';
import type { Rules } from '../../../core/verify/rules.ts';
import type { Mode } from '../../../core/verify/session.ts';
import type { Engine } from '../../../engine/engine.ts';
import { fail } from '../../waist/errors.ts';
import type { Once } from './idempotent.ts';

export interface VerifyServiceOptions {
  engine: Engine;
  /** The very settings of the engine, read at each use: what answers say of attempts, resends and numbers is what the engine does. */
  settings: { readonly rules: Rules; readonly config: { service: Pick<SendSettings['service'], 'homeCountry'> } };
  /** Unix ms. */
  now(): number;
  /** Sessions watched by this process at once; each costs a read every 200 ms. Default 5 000. */
  maxWatched?: number;
  /** Sessions watched by one account and mode at once. Default 100. */
  watchesPerAccount?(): number;
}

/** The options, and what the handlers share. */
export interface VerifyContext extends VerifyServiceOptions {
  once: Once;
  places: WatchPlaces;
}

/** One error for an unknown id and for an id of another account or mode, so that ids cannot be probed. */
export const notFound = () => fail('session_not_found', 'no such session');

export type Place = { kind: 'taken'; leave(): void } | { kind: 'account_full'; most: number } | { kind: 'full' };

/**
 * Places for watches: a number for each account and mode, and one for all of them. Test keys take half of those at most: where registration is open there
 * may be many accounts with nothing else, which must not keep the others from watching.
 */
export class WatchPlaces {
  readonly #ofCaller = new Counter();
  readonly #ofMode = new Counter<Mode>();

  /** Taken before anything is read for the watch: a caller who opens thousands at once is refused without a statement. */
  take({ accountId, mode }: { accountId: string; mode: Mode }, most: { ofCaller: number; ofAll: number }): Place {
    const caller = `${accountId} ${mode}`;
    if (this.#ofCaller.of(caller) >= most.ofCaller) return { kind: 'account_full', most: most.ofCaller };
    const [ofTest, ofLive] = [this.#ofMode.of('test'), this.#ofMode.of('live')];
    const isFull = ofTest + ofLive >= most.ofAll || (mode === 'test' && ofTest >= Math.ceil(most.ofAll / 2));
    if (isFull) return { kind: 'full' };
    const count = (by: 1 | -1) => {
      this.#ofCaller.add(caller, by);
      this.#ofMode.add(mode, by);
    };
    count(1);
    return { kind: 'taken', leave: () => count(-1) };
  }
}
