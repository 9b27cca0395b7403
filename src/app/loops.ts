// The background loops of a process. A loop runs when there is something to do: the pulse, once a second, finds out what has changed
// elsewhere, and the rooms know the rest. All distances stand here, so that a reader sees what an idle process does.

import type { KeyAuthenticator } from '../api/auth/authenticator.ts';
import type { Refusals } from '../api/clients/refusals.ts';
import type { SmsChannel } from '../channels/sms/sms.ts';
import { homeCell } from '../core/fleet/cells.ts';
import { peopleOf } from '../core/waba/link.ts';
import type { WabaCounts } from '../db/waba/links.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import { type Chores, type Engine, type Gauges, type Sweep, sweeps } from '../engine/engine.ts';
import type { Purge, Purged } from '../engine/erasure/purge.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import type { Pulse } from '../engine/fleet/pulse.ts';
import type { Slots } from '../engine/fleet/slots.ts';
import type { Pumping } from '../engine/limits/pumping.ts';
import type { Operators } from '../engine/operators/operators.ts';
import type { ReportsOverCells } from '../engine/reports/cells.ts';
import type { Waba } from '../engine/waba/waba.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { onDemand, Wakeup } from '../time/on-demand.ts';
import { hourMs } from '../time/wall-clock.ts';
import type { Caches } from './base.ts';
import type { CellStarts } from './cell-starts.ts';
import type { DatabaseWatch } from './database-watch.ts';
import type { Housekeeper } from './housekeeper.ts';
import type { OpenedKeys } from './service-keys.ts';

export interface LoopParts {
  engine: Engine;
  /** Measures of the engine. */
  gauges(): Gauges;
  chores: Chores;
  fleet: Pick<Fleet, 'events'>;
  /** This process's lease in each cell. */
  fleets: ReadonlyMap<string, Fleet>;
  pulse: Pulse;
  slots: Slots;
  accounts: AccountViews;
  authenticator: KeyAuthenticator;
  /** The key ring. */
  keys: Pick<OpenedKeys, 'due' | 'saw' | 'reread' | 'resealing'>;
  webhooks: Webhooks;
  /** Measures. */
  reports: Pick<ReportsOverCells, 'cells' | 'othersGone'>;
  pumping: Pick<Pumping, 'due' | 'run'>;
  /** Businesses' own WhatsApp accounts. */
  waba: Pick<Waba, 'run' | 'count' | 'saw' | 'due' | 'recipients' | 'numbers'>;
  operators: Pick<Operators, 'saw' | 'ordered' | 'follow'>;
  /** Null without a peer port. */
  peering: { tick(): Promise<void> } | null;
  voice: { measure(): void };
  sms: Pick<SmsChannel, 'seeElsewhere' | 'downs' | 'pauses' | 'setPaused' | 'rebind' | 'queues' | 'bindsMoved'>;
  refusals: Pick<Refusals, 'sweep'>;
  housekeeper: Pick<Housekeeper, 'keep' | 'look'>;
  /** The purge of closed accounts. */
  purge: Purge;
  /** Closes accounts that wait for approval and that nobody uses. */
  closeUnused: Run<unknown>;
  /** Moves what is counted in a cell that its number has left. Null with one cell. */
  moveNumbers: Run<void> | null;
  /** Cells that were away at the start, and what is begun in one that comes. */
  starts: Pick<CellStarts, 'retry' | 'measure'>;
  begin(cell: string): Promise<void>;
  databaseWatch: Pick<DatabaseWatch, 'look'>;
  caches: Caches;
  metrics: Metrics;
  logger: Logger;
}

/** When a loop runs, apart from the times that its own runs ask for. */
interface When {
  wakeup?: Wakeup;
  /** The shortest pause between the end of a run and the next one, ms. */
  distanceMs: number;
  afterErrorMs?: number;
}

export function createLoops(parts: LoopParts) {
  const [leases, others] = [group(parts), group(parts)];
  return {
    start(): void {
      startLeases(parts, leases);
      startPulse(parts, others);
      startRooms(parts, others);
      startTimers(parts, others);
    },
    /** All but the leases. */
    stop: () => others.stop(),
    /** While this process ends what it has begun, others must not take it for dead: the leases are the last. */
    stopLeases: () => leases.stop(),
  };
}

/** Loops that end together. */
function group({ metrics, logger }: LoopParts): Kinds & { stop(): Promise<void> } {
  const running: { stop(): Promise<void> }[] = [];
  const failing = new Set<string>();

  /** A loop that fails says so once, and once more when it works again: not at every turn. */
  const loop = (name: string, when: When, run: Run<number | null>) => {
    const turn = async (stopping: AbortSignal) => {
      const dueMs = await run(stopping);
      if (failing.delete(name)) logger.info({ loop: name }, 'background loop works again');
      return dueMs;
    };
    const onError = (error: unknown) => {
      metrics.loopErrors.inc({ loop: name });
      if (!failing.has(name)) logger.error({ err: error, loop: name }, 'background loop failed');
      failing.add(name);
    };
    running.push(onDemand({ ...when, run: turn, onError }));
  };
  const every = (name: string, everyMs: number, run: Run<unknown>, afterErrorMs = everyMs) =>
    loop(name, { distanceMs: everyMs, afterErrorMs }, async (stopping) => {
      await run(stopping);
      return everyMs;
    });
  const whenWoken = (name: string, when: When, run: () => Promise<unknown>) =>
    loop(name, when, async () => {
      await run();
      return null;
    });

  const stop = async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  };
  return { loop, every, whenWoken, stop };
}

/** The engine's drain waits for a run under way: one that may take long ends early once it is to stop, and the next one goes on. */
type Run<Result> = (stopping: AbortSignal) => Promise<Result>;

interface Kinds {
  loop(name: string, when: When, run: Run<number | null>): void;
  /** At a fixed distance. */
  every(name: string, everyMs: number, run: Run<unknown>, afterErrorMs?: number): void;
  /** Only when it is woken. */
  whenWoken(name: string, when: When, run: () => Promise<unknown>): void;
}

/** Between two renewals of a lease in a cell other than home, whose lease the pulse renews. */
const otherLeaseMs = 700;

/** What this process holds is its own for as long as these go on. */
function startLeases({ pulse, slots, sms, fleets }: LoopParts, { loop, every }: Kinds): void {
  // Sooner while the database is away: the first process that is back waits for the others so long, and no longer (members.ts).
  loop('lease', { wakeup: sms.bindsMoved, distanceMs: 10, afterErrorMs: 250 }, () => pulse.beat());
  for (const [cell, own] of fleets) {
    if (cell !== homeCell) every(`lease_${cell}`, otherLeaseMs, () => own.renew(), 250);
  }
  // A loop of its own: a database that hangs keeps the loop above waiting while the lease runs out.
  every('lease_end', 200, () => slots.expire());
}

/** What the pulse wakes. */
function startPulse(parts: LoopParts, { loop, whenWoken }: Kinds): void {
  const { pulse, slots, accounts, authenticator, keys, waba, sms, operators, chores, reports, caches, metrics } = parts;
  const someParked = new Wakeup();
  pulse.events.on('found', ({ bound, changes, parkedMs, linkDueAt }, startedAt) => {
    sms.seeElsewhere(bound);
    for (const [operator, isDown] of sms.downs()) metrics.operatorDown.set({ operator }, isDown ? 1 : 0);
    for (const [operator, isPaused] of sms.pauses()) metrics.operatorPaused.set({ operator }, isPaused ? 1 : 0);
    authenticator.saw(changes.accounts, startedAt);
    if (accounts.saw(changes.accounts)) caches.clear();
    waba.saw(changes.waba, linkDueAt);
    operators.saw(changes.operators);
    keys.saw(changes.keys);
    if (parkedMs !== null) someParked.set();
  });
  for (const [cell, own] of parts.fleets) {
    for (const kind of ['gone', 'back'] as const) own.events.on(kind, () => reports.othersGone(cell));
  }
  whenWoken('slots', { wakeup: slots.unbalanced, distanceMs: 100, afterErrorMs: 250 }, () => slots.balance());
  whenWoken('parked', { wakeup: someParked, distanceMs: 500 }, () =>
    chores.receipts.retryParked(pulse.last?.parkedMs ?? null),
  );
  whenWoken('operators', { wakeup: operators.ordered, distanceMs: 100 }, () => operators.follow(sms));
  // A ring that others must have first is not taken at once: a rotation asks again.
  whenWoken('keys', { wakeup: keys.due, distanceMs: 200, afterErrorMs: 1_000 }, () => keys.reread());
  whenWoken('waba', { wakeup: waba.due, distanceMs: 500 }, async () => {
    await waba.run();
    measureLinks(metrics, await waba.count());
  });
  loop('recipients', { wakeup: waba.recipients.due, distanceMs: 5_000, afterErrorMs: 15_000 }, async () => {
    const dueMs = await waba.recipients.run();
    measureRecipients(metrics, waba);
    return dueMs;
  });
}

function measureRecipients(metrics: Metrics, { recipients, numbers }: Pick<Waba, 'recipients' | 'numbers'>): void {
  metrics.appRecipients.reset();
  metrics.appMessagingLimit.reset();
  for (const [number, people] of recipients.all()) {
    metrics.appRecipients.set({ number }, people);
    const most = peopleOf(numbers.ofNumber(number)?.health?.messagingLimit ?? '');
    if (most !== null) metrics.appMessagingLimit.set({ number }, most);
  }
}

function measureLinks(metrics: Metrics, { byStatus, byQuality, tokenEndsAt }: WabaCounts): void {
  for (const [status, count] of byStatus) metrics.wabaLinks.set({ status }, count);
  metrics.wabaQuality.reset();
  for (const [quality, count] of byQuality) metrics.wabaQuality.set({ quality: quality || 'unknown' }, count);
  metrics.wabaTokenEnd.set(tokenEndsAt === null ? Number.POSITIVE_INFINITY : tokenEndsAt / 1000);
}

/** What the rooms of this process ask for. */
function startRooms(
  { engine, chores, fleets, webhooks, reports, pumping, peering, authenticator }: LoopParts,
  kinds: Kinds,
): void {
  const { loop, every, whenWoken } = kinds;
  const { watches, routeLoads, budgets } = chores;
  for (const cell of fleets.keys()) {
    // Each cell apart: a database that hangs keeps no other waiting.
    const name = (kind: Sweep) => (cell === homeCell ? kind : `${kind}_${cell}`);
    for (const kind of Object.keys(sweeps) as Sweep[]) every(name(kind), sweeps[kind], () => engine.sweep(kind, cell));
  }
  // Asks the database nothing while all is as it should be, but for a look every ten seconds.
  if (peering) every('shards', 1_000, () => peering.tick());
  for (const { name, due, run } of webhooks.cells) {
    const when = { wakeup: due, distanceMs: 100, afterErrorMs: 1_000 };
    loop(name === homeCell ? 'webhooks' : `webhooks_${name}`, when, () => run(Date.now()));
  }
  for (const { name, due, run } of reports.cells) {
    loop(name === homeCell ? 'reports' : `reports_${name}`, { wakeup: due, distanceMs: 300 }, run);
  }
  loop('budgets', { wakeup: budgets.due, distanceMs: 1_000 }, () => budgets.run());
  loop('pumping', { wakeup: pumping.due, distanceMs: 20, afterErrorMs: 1_000 }, () => pumping.run());
  loop('watch', { wakeup: watches.begun, distanceMs: 200 }, () => watches.runOnce());
  whenWoken('route_loads', { wakeup: routeLoads.wanted, distanceMs: 1_000 }, () => routeLoads.read());
  whenWoken('key_use', { wakeup: authenticator.used, distanceMs: 5_000 }, () => authenticator.flush());
}

function startTimers(parts: LoopParts, { every, loop }: Kinds): void {
  const { gauges, sms, chores, pulse, authenticator, webhooks, voice, refusals, housekeeper, databaseWatch, metrics } =
    parts;
  const { moveNumbers, starts, begin, fleets, keys, purge, closeUnused, logger } = parts;
  loop('cells', { distanceMs: 1_000 }, () => starts.retry(begin));
  every('key_expiry', 500, async () => authenticator.timePassed());
  every('refusals', 5_000, async () => refusals.sweep());
  every('gauges', 5_000, async () => {
    const { backlog, sessionsHeld, callsUp, noticesIgnored } = gauges();
    voice.measure();
    starts.measure(fleets);
    for (const [operator, { messages, oldestMs }] of sms.queues()) {
      metrics.queueMessages.set({ operator }, messages);
      metrics.queueAge.set({ operator }, oldestMs / 1000);
    }
    metrics.backlog.set(backlog);
    metrics.sessionsHeld.set(sessionsHeld);
    metrics.callsUp.set(callsUp);
    metrics.noticesIgnored.set(noticesIgnored);
    metrics.webhooksOverdue.set(webhooks.overdue);
  });
  // Apart: what is in memory is shown while the database does not answer, too.
  every('parked_count', 5_000, async () => {
    metrics.parked.set((pulse.last?.parkedMs ?? null) === null ? 0 : await chores.parking.count());
  });
  loop('resealing', { wakeup: keys.resealing.due, distanceMs: 1_000, afterErrorMs: 60_000 }, keys.resealing.run);
  if (moveNumbers) every('moved_numbers', hourMs, moveNumbers, 60_000);
  every('housekeeping', hourMs, (stopping) => housekeeper.keep(stopping), 60_000);
  every('waiting_accounts', hourMs, closeUnused, 60_000);
  loop('purge', { distanceMs: 1_000, afterErrorMs: 60_000 }, async (stopping) => {
    const done = await purge.run(stopping);
    if (done.kind === 'purged')
      logger.info({ account_id: done.accountId }, 'everything of a closed account is deleted');
    return nextPurgeMs(done);
  });
  every('database', 15_000, () => databaseWatch.look());
  every('partitions', 60_000, () => housekeeper.look());
}

/** Ms until the next turn of the purge. */
function nextPurgeMs(done: Purged): number {
  if (done.kind === 'nothing') return hourMs;
  if (done.kind === 'busy') return 60_000;
  if (done.kind === 'purged') return 0;
  return { nothing: 0, sessions: 60_000, writers: 5_000 }[done.waits];
}
