// Stops for those who see and lift them: the account itself, and the administrators of the deployment.

import type { Actor } from '../../core/accounts/actor.ts';
import { audit } from '../../db/accounts/audit.ts';
import { inTransaction } from '../../db/changes.ts';
import { type Lifted, liftStop, listStops, type StoredStop } from '../../db/limits/stops.ts';
import type { Tx } from '../../db/schema.ts';
import type { Caches } from '../webhooks/context.ts';
import { emitAnomaly } from './anomalies.ts';
import type { PumpingOptions } from './pumping.ts';

export interface StopsOptions extends Pick<PumpingOptions, 'db' | 'ids' | 'now'> {
  caches?: Caches;
}

export class Stops {
  readonly #options: StopsOptions;

  constructor(options: StopsOptions) {
    this.#options = options;
  }

  /** Newest first. `accountId` null = of all accounts. */
  list(
    filter: { accountId: string | null; activeOnly: boolean },
    page: { limit: number; before: string | null },
  ): Promise<StoredStop[]> {
    const { db, now } = this.#options;
    return listStops(db, { accountId: filter.accountId, activeAt: filter.activeOnly ? now() : null }, page);
  }

  /** `accountId` null = of any account. */
  async lift(id: string, { accountId, actor }: { accountId: string | null; actor: Actor }): Promise<Lifted> {
    const { db, now, caches } = this.#options;
    const at = now();
    const lifted = await inTransaction(db, async (tx) => {
      const result = await liftStop(tx, { id, accountId, by: actor.id, now: at });
      if (result.kind === 'lifted') await this.#record(tx, result.stop, actor, at);
      return result;
    });
    if (lifted.kind === 'lifted') caches?.clear(lifted.stop.accountId);
    return lifted;
  }

  async #record(tx: Tx, stop: StoredStop, actor: Actor, at: number): Promise<void> {
    await emitAnomaly(tx, this.#options.ids, stop, at);
    const { accountId, prefix, rule } = stop;
    const about = { accountId, mode: 'live' as const, action: 'lift_stop', target: stop.id };
    const after = { prefix, rule, lifted_at: new Date(at).toISOString() };
    await audit(tx, { at: new Date(at), actor, ...about, after });
  }
}
