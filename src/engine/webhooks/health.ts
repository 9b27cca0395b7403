// The reports of endpoints' health to where it is kept, at home: each failure, and a success where it may be news. The first attempt of an
// endpoint that worked a minute ago brings none, so that posts which go well cost no statement there.

import { BoundedMap } from '../../collections/small-maps.ts';
import { Lane, LaneFull } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import { type HealthReport, reportHealth } from '../../db/webhooks/health.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type { WebhooksContext } from './context.ts';
import type { Endpoint } from './held-endpoints.ts';

/**
 * Another process may have seen a failure since: its report stands for so much longer than it might. What failed is tried again, and the
 * success of a retry is always reported: an endpoint that gets nothing else for days would be switched off for the failure before it.
 */
const confirmEveryMs = 60_000;

/** Endpoints remembered. One that is forgotten costs a report. */
const mostRemembered = 20_000;

const never = Number.NEGATIVE_INFINITY;

/** What came of an attempt. `isRetry`: the delivery was tried before. `at` in Unix ms. */
interface Tried {
  works: boolean;
  at: number;
  isRetry: boolean;
}

export class Health {
  readonly #lane: Lane<HealthReport, number | null>;
  /** When each was last reported to work, Unix ms; `never` after a failure. */
  readonly #worksAt = new BoundedMap<string, number>(mostRemembered);

  constructor({ home, lane }: Pick<WebhooksContext, 'home' | 'lane'>) {
    this.#lane = new Lane((reports) => reportHealth(home, reports), { ...lane, name: 'webhook_health' });
  }

  /** Since when the endpoint has failed without a success in between, Unix ms; null while it works, is gone, or the database is away. */
  async report(endpoint: Endpoint, { works, at, isRetry }: Tried): Promise<number | null> {
    if (works && !isRetry && elapsedMs(this.#knownToWorkAt(endpoint), at) < confirmEveryMs) return null;
    this.#worksAt.set(endpoint.id, never);
    try {
      const since = await this.#lane.push({ endpoint_id: endpoint.id, works, at }, { patient: true });
      if (works) this.#worksAt.set(endpoint.id, at);
      return since;
    } catch (error) {
      if (isOutage(error) || error instanceof LaneFull) return null; // The next attempt says how it is by then.
      throw error;
    }
  }

  #knownToWorkAt({ id, loadedAt, isFailing }: Endpoint): number {
    return this.#worksAt.get(id) ?? (isFailing ? never : loadedAt);
  }
}
