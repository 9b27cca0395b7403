// What the handlers of VerifyService are made of.

import type { SendSettings } from '../../../core/verify/request.ts';
import type { Rules } from '../../../core/verify/rules.ts';
import type { Reads } from '../../../db/queryable.ts';
import type { Accounts } from '../../../engine/accounts/views.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Store } from '../../../engine/sessions/store.ts';
import type { Once } from './once.ts';
import type { RequestHasher } from './request-hash.ts';
import type { WatchPlaces } from './watch-places.ts';

export interface VerifyServiceOptions {
  engine: Pick<Engine, 'sender' | 'checker' | 'watches' | 'store'>;
  accounts: Accounts;
  /** For everything that is only read. Not the lanes' pool: whatever callers read, sends go on. */
  db: Reads;
  /** For lists, which may be long. Default `db`. */
  lists?: Reads;
  /** The very rules the engine has: what is told of attempts and resends is what it does. */
  rules: Rules;
  /** Asked at every send, so that a reload of the configuration holds at once. */
  settings(): SendSettings;
  hasher: RequestHasher;
  /** Unix ms. */
  now(): number;
  /** Sessions watched by this process at once; each costs a read every 200 ms. Default 5 000. */
  maxWatched?: number;
  /** Of them, those of one account and mode. Default 100. */
  watchesPerAccount?(): number;
}

/** The options, and what the handlers share. */
export interface Handling extends VerifyServiceOptions {
  once: Once;
  places: WatchPlaces;
  lists: Reads;
  /** A session as it is stored now; calls at the same time share a statement. */
  read: Store['load'];
}
