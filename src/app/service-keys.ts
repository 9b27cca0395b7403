// The wiring of the key ring: where a process reads it, what it says of it to the others, in the log and in the metrics, and what is forgotten
// when another ring takes its place.

import { type KeyRing, keyPurposes, type ParsedKeyRing } from '../core/secrets/key-ring.ts';
import { inside } from '../db/queryable.ts';
import { type ResealedCounts, Resealing, type SealedRows } from '../engine/secrets/resealing.ts';
import { type Judged, ServiceKeys } from '../engine/secrets/service-keys.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Wakeup } from '../time/on-demand.ts';
import { hourMs } from '../time/wall-clock.ts';
import type { Base } from './base.ts';
import { StartRefused } from './lifecycle.ts';

export interface KeyRingSource {
  processId: string;
  /** Null: the ring of the start is the only one. */
  read: (() => ParsedKeyRing) | null;
  /** What is sealed again once another key is current. */
  sealed: readonly SealedRows[];
  /** Another ring is in force. */
  onTaken(): void;
}

/** The verbs that the start and the loops need. */
export interface OpenedKeys {
  /** Before this process has a lease. @throws StartRefused */
  admit(): Promise<void>;
  /** Once it has one, and before it makes a thing. @throws StartRefused */
  join(): Promise<void>;
  /** A pulse found the change counter of keys at `changes`. */
  saw(changes: number): void;
  /** Set when the ring is to be read again. */
  readonly due: Wakeup;
  /** What is wrong with the ring is logged, and the one in force stays. @throws an outage. */
  reread(): Promise<void>;
  resealing: {
    readonly due: Wakeup;
    /** Resolves with when to run again, ms. Ends early once `stopping` is aborted. */
    run(stopping: AbortSignal): Promise<number>;
  };
}

export function createServiceKeys(base: Base, { processId, read, sealed, onTaken }: KeyRingSource): OpenedKeys {
  const { ring, live, cells, database, metrics, logger } = base;
  measureRing(metrics, ring);
  metrics.rereadRefused.set({ what: 'key_ring' }, 0);
  const resealing = new Resealing({ db: database.db, ring, sources: sealed });
  const databases = { home: inside(database.db), cells: cells.map((cell) => inside(cell.database.db)) };
  const keys = new ServiceKeys({ ring, processId, databases, cells: cells.map(({ name }) => name) });
  const started = async (judged: Promise<Judged>) => {
    const outcome = await judged;
    if (outcome.kind === 'refused') throw new StartRefused(outcome.reason);
  };
  return {
    due: keys.due,
    saw: (changes) => keys.saw(changes),
    admit: () => started(keys.admit()),
    join: () => started(keys.join()),
    async reread() {
      const { kind, ...outcome } = await keys.take(read?.() ?? { kind: 'ok', ring: live.config.server.keyRing });
      metrics.keyRingRereads.inc({ result: kind });
      metrics.rereadRefused.set({ what: 'key_ring' }, kind === 'refused' ? 1 : 0);
      if (kind === 'refused')
        logger.error(outcome, 'the key ring that was read again is refused: the one in force stays');
      if (kind !== 'taken') return;
      measureRing(metrics, ring);
      base.caches.clear();
      resealing.due.set();
      onTaken();
      logger.info(outcome, 'the key ring was read again');
    },
    resealing: { due: resealing.due, run: (stopping) => reseal(resealing, base, stopping) },
  };
}

/** Sooner where another process is at it: that one may end half-way. */
async function reseal(resealing: Resealing, base: Base, stopping: AbortSignal): Promise<number> {
  const rows: ResealedCounts = new Map();
  try {
    return (await resealing.run(rows, stopping)).kind === 'busy' ? hourMs / 60 : hourMs;
  } finally {
    tellResealed(rows, base);
  }
}

function tellResealed(rows: ResealedCounts, { metrics, logger }: Base): void {
  for (const [purpose, { resealed, unreadable }] of rows) {
    metrics.keyRingResealed.inc({ purpose }, resealed);
    if (resealed > 0) logger.info({ purpose, rows: resealed }, 'secrets were sealed again under the current key');
    const what = 'secrets can not be opened: their key is lost, or they were tampered with. They have to be made again';
    if (unreadable.length > 0) logger.error({ purpose, rows: unreadable.length, ids: unreadable.slice(0, 20) }, what);
  }
}

/** Few values: a purpose has one current key, and an old one for as long as a rotation takes. */
function measureRing({ keyRingInfo, keyRingKeys }: Pick<Metrics, 'keyRingInfo' | 'keyRingKeys'>, ring: KeyRing): void {
  keyRingInfo.reset();
  for (const purpose of keyPurposes.filter((each) => ring.has(each))) {
    keyRingInfo.set({ purpose, key_id: ring.current(purpose).id }, 1);
    keyRingKeys.set({ purpose }, ring.all(purpose).length);
  }
}
