// The background loops of a process: its lease, work that other processes left, retries, caches, gauges, housekeeping. All intervals
// stand here, so that a reader sees what an idle process does.

import type { KeyAuthenticator } from '../api/auth/authenticator.ts';
import type { Refusals } from '../api/clients/refusals.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import { type Engine, type Gauges, type Sweep, sweeps } from '../engine/engine.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import type { Slots } from '../engine/fleet/slots.ts';
import type { Waba } from '../engine/waba/waba.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { repeat } from '../time/repeat.ts';
import type { Caches } from './base.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { Housekeeper } from './housekeeper.ts';

export interface LoopParts {
  engine: Engine;
  /** Measures of the engine. */
  gauges(): Promise<Gauges>;
  fleet: Fleet;
  slots: Slots;
  accounts: AccountViews;
  authenticator: KeyAuthenticator;
  webhooks: Webhooks;
  /** Measures. */
  reports: { run(): Promise<void> };
  /** Businesses' own messaging-app accounts. */
  waba: Pick<Waba, 'run' | 'count'>;
  voice: { measure(): void };
  refusals: Pick<Refusals, 'sweep'>;
  housekeeper: Pick<Housekeeper, 'keep' | 'look'>;
  databaseWatch: Pick<DatabaseWatch, 'look'>;
  caches: Caches;
  metrics: Metrics;
  logger: Logger;
}

export function createLoops(parts: LoopParts) {
  const {
    engine,
    gauges,
    fleet,
    slots,
    accounts,
    authenticator,
    webhooks,
    reports,
    waba,
    voice,
    refusals,
    caches,
    housekeeper,
    databaseWatch,
    metrics,
    logger,
  } = parts;
  const running: { stop(): Promise<void> }[] = [];
  const failing = new Set<string>();

  /** A loop that fails says so once, and once more when it works again: not at every turn. */
  const loop = (name: string, everyMs: number, run: () => Promise<unknown>, afterErrorMs = everyMs) => {
    const turn = async () => {
      await run();
      if (failing.delete(name)) logger.info({ loop: name }, 'background loop works again');
    };
    const onError = (error: unknown) => {
      metrics.loopErrors.inc({ loop: name });
      if (!failing.has(name)) logger.error({ err: error, loop: name }, 'background loop failed');
      failing.add(name);
    };
    running.push(repeat({ everyMs, afterErrorMs, run: turn, onError }));
  };

  return {
    start(): void {
      const lease = async () => {
        await fleet.renew();
        await slots.balance();
      };
      // Sooner while the database is away: the first process that is back waits for the others so long, and no longer (members.ts).
      loop('lease', 1_000, lease, 250);
      // A loop of its own: a database that hangs keeps the loop above waiting while the lease runs out.
      loop('lease_end', 200, () => slots.expire());
      for (const kind of Object.keys(sweeps) as Sweep[]) loop(kind, sweeps[kind], () => engine.sweep(kind));
      loop('webhooks', 300, () => webhooks.sweep(Date.now()));
      loop('reports', 300, () => reports.run());
      loop('waba', 500, () => waba.run());
      loop('keys', 500, () => authenticator.refresh());
      loop('accounts', 500, async () => {
        if (await accounts.refresh()) caches.clear();
      });
      loop('refusals', 5_000, async () => refusals.sweep());
      loop('key_use', 5_000, () => authenticator.flush());
      loop('gauges', 5_000, async () => {
        const { parked, backlog, sessionsHeld, callsUp, noticesIgnored } = await gauges();
        voice.measure();
        metrics.parked.set(parked);
        metrics.backlog.set(backlog);
        metrics.sessionsHeld.set(sessionsHeld);
        metrics.callsUp.set(callsUp);
        metrics.noticesIgnored.set(noticesIgnored);
        metrics.webhooksOverdue.set((await webhooks.overdue()).count);
        for (const [status, count] of await waba.count()) metrics.wabaLinks.set({ status }, count);
      });
      loop('housekeeping', 3_600_000, () => housekeeper.keep(), 60_000);
      loop('database', 15_000, () => databaseWatch.look());
      loop('partitions', 60_000, () => housekeeper.look());
    },
    async stop(): Promise<void> {
      await Promise.all(running.splice(0).map((each) => each.stop()));
    },
  };
}
