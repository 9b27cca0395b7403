// Reports of endpoints' health, which is kept at home. Each failure is reported, and a success where home may not know of it yet. The first
// attempt of a delivery is not reported while its endpoint was reported to work within the last minute: posts that go well cost no statement.

import { BoundedMap } from '../../collections/small-maps.ts';
import { Lane, LaneFull } from '../../db/batch.ts';
import { isOutage } from '../../db/outage.ts';
import { type HealthReport, reportHealth } from '../../db/webhooks/health.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type { WebhooksContext } from './context.ts';
import type { Endpoint } from './held-endpoints.ts';

/**
 * How long a success need not be reported again, ms. Another process may have reported a failure meanwhile, which stands for so much longer.
 * The success of a retry is always reported: an endpoint that gets nothing else for days would be switched off for the failure before it.
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
