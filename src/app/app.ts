// The composition root: the only file that knows every part. It makes the parts and says in which order they
// start, so that no part needs to know another.

import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../api/auth/authenticator.ts';
import { Refusals } from '../api/clients/refusals.ts';
import { storedAnswers } from '../api/handlers/verify/service.ts';
import type { Api } from '../api/server.ts';
import type { Config } from '../config.ts';
import { homeCell, ofCell } from '../core/fleet/cells.ts';
import { engineStore } from '../db/engine-store.ts';
import { inside } from '../db/queryable.ts';
import { Accounts } from '../engine/accounts/accounts.ts';
import { AccountViews, createAccountSource } from '../engine/accounts/views.ts';
import type { Reports } from '../engine/context.ts';
import { Channels } from '../engine/delivery/channels.ts';
import { dialect } from '../engine/dialect.ts';
import { createEngine } from '../engine/engine.ts';
import { Purge } from '../engine/erasure/purge.ts';
import { Conversation } from '../engine/fleet/conversation.ts';
import type { Fleet } from '../engine/fleet/members.ts';
import { Owners } from '../engine/fleet/owners.ts';
import { Peers } from '../engine/fleet/peers.ts';
import { Pulse } from '../engine/fleet/pulse.ts';
import { Slots } from '../engine/fleet/slots.ts';
import { Guard } from '../engine/limits/guard.ts';
import { Pumping } from '../engine/limits/pumping.ts';
import { Stops } from '../engine/limits/stops.ts';
import { Operators } from '../engine/operators/operators.ts';
import { Routing } from '../engine/routing.ts';
import type { Webhooks } from '../engine/webhooks/webhooks.ts';
import { settleAll } from '../time/settle.ts';
import { type OpenApi, openApi } from './api.ts';
import { type AppOptions, type Base, createBase } from './base.ts';
import { CellStarts } from './cell-starts.ts';
import { engineDatabases, joinCells, mapOf, numbersMover, reportsOver } from './cells.ts';
import { channelsFor } from './channels.ts';
import { createDatabaseWatch } from './database-watch.ts';
import { createHousekeeper } from './housekeeper.ts';
import { Lifecycle } from './lifecycle.ts';
import { createLoops } from './loops.ts';
import { createPeering, type Peering } from './peer-port.ts';
import { createServiceKeys } from './service-keys.ts';
import { wireWebhooks } from './webhooks.ts';

export type { AppOptions };

export interface App extends Pick<Api, 'httpPort' | 'grpcPort' | 'metricsPort'> {
  /** Takes a new configuration over; binds whose settings did not change stay up. Returns what needs a restart. */
  reload(config: Config): Promise<string[]>;
  /** Reads the key ring again. What is wrong with it is logged, and the one in force stays. */
  rereadKeys(): Promise<void>;
  /** Answers what is under way, sends what is on the wire, leaves the rest to other processes. */
  close(): Promise<void>;
}

const drainMs = 10_000;

/** @throws StartRefused with a reason for people, or when the database can't be reached or a port is taken; nothing is left open. */
export async function startApp(options: AppOptions): Promise<App> {
  const base = createBase(options);
  const { live, cells, database, watch, ring, ids, now, logger, metrics, onError } = base;
  const { server } = live.config;
  const { drainSeconds } = server;
  const retention = () => live.config.service;
  const starts = new CellStarts(base);
  const housekeeper = createHousekeeper({
    dbs: () => starts.ready.map((cell) => cell.database.plain),
    now,
    retention,
    metrics,
    logger,
  });
  const databaseWatch = createDatabaseWatch({ db: watch.lanes, now, sandbox: live.config.sandbox, metrics, logger });
  const fleets = joinCells(base);
  const fleet = ofCell(fleets, homeCell);
  const { processId } = fleet;
  const conversation = new Conversation(base.observe.peer);
  const peers = new Peers({ db: database.lanes, url: options.databaseUrl, processId, conversation, log: logger });
  const owners = new Owners({ db: engineStore(watch.lanes), fleet, conversation, cells: mapOf(live), log: logger });
  const peering = createPeering(base, { processId, conversation, owners, dialect });
  const views = new AccountViews(createAccountSource(watch.db));
  const channels = new Channels();
  const webhooks = wireWebhooks(base, fleets);
  const reports = reportsOver(base, fleets);
  const pumping = new Pumping({
    db: database.db,
    cells: cells.map((cell) => inside(cell.database.db)),
    ids,
    now,
    accounts: views,
    guard: new Guard({ settings: live, ring, now }),
    settings: live,
    fleet,
    log: logger,
    observe: { stopped: base.observe.stopped },
  });
  const made = wireEngine(base, { fleets, peers, conversation, accounts: views, channels, webhooks, reports, pumping });
  const { gauges, chores } = made;
  const { engine, intake } = peering ? routed(base, made, { processId, conversation, owners }) : made;
  const reach = channelsFor(base, { channels, intake, accounts: views });
  const slots = new Slots({ db: engineStore(watch.lanes), fleet, now, binds: reach.binds });
  const pulse = new Pulse({ db: engineStore(watch.lanes), fleet, slots, loads: chores.backlog });
  const prefixes = { livePrefix: server.liveKeyPrefix, testPrefix: server.testKeyPrefix };
  const authenticator = createAuthenticator({
    db: watch.db,
    ring,
    prefixes,
    now,
    adminTokenHash: server.adminTokenHash,
    ruleModes: () => live.ruleModes,
  });
  base.caches.add(views, authenticator, webhooks);
  const keys = createServiceKeys(base, {
    processId,
    read: options.readKeyRing ?? null,
    sealed: [webhooks.sealed, reach.waba.sealed],
    onTaken: () => reach.waba.ringChanged(),
  });
  fleet.events.on('back', () => keys.due.set());
  const accounts = new Accounts({
    db: database.db,
    ids,
    ring,
    prefixes,
    now,
    caches: base.caches,
    settings: live,
    log: logger,
  });
  const stops = new Stops({ db: database.db, ids, now, caches: base.caches });
  const operators = new Operators({
    db: database.db,
    cells: cells.map((cell) => cell.database.db),
    settings: live,
    log: logger,
  });
  const refusals = new Refusals({
    now,
    logger,
    ...base.observe.refusals,
    failuresPerMinute: () => live.config.limits.authenticationFailuresPerMinute,
  });
  const loops = createLoops({
    engine,
    gauges,
    chores,
    fleet,
    fleets,
    pulse,
    slots,
    accounts: views,
    authenticator,
    keys,
    webhooks,
    reports,
    pumping,
    waba: reach.waba,
    operators,
    peering,
    voice: reach.voice,
    sms: reach.sms,
    refusals,
    caches: base.caches,
    housekeeper,
    purge: new Purge({ home: database.plain, cells: cells.map((cell) => cell.database.plain) }, now, live),
    closeUnused: () => accounts.waiting.closeUnused(),
    moveNumbers: numbersMover(base),
    starts,
    begin: (cell) => begin(cell),
    databaseWatch,
    metrics,
    logger,
  });
  const ready = () => starts.ready.map(({ name }) => name);
  /** Before anything is stored in the cell. */
  const begin = async (cell: string) => {
    await ofCell(fleets, cell).renew();
    await Promise.all([reports.begin([cell]), webhooks.begin([cell])]);
  };
  const calls = { engine, accounts, stops, channels, operators, views, webhooks, authenticator, refusals };
  let api: OpenApi | undefined;

  const lifecycle = new Lifecycle(
    [
      {
        name: 'database',
        stop: () => Promise.all(cells.flatMap((cell) => [cell.database.close(), cell.watch.close()])),
      },
      { name: 'schema', start: () => starts.open() },
      { name: 'database watch', start: () => databaseWatch.open() },
      { name: 'partitions', start: () => housekeeper.open() },
      { name: 'key ring', start: () => keys.admit() },
      {
        name: 'fleet',
        start: () => settleAll(ready().map((cell) => ofCell(fleets, cell).renew())).then(() => keys.join()),
        stop: () => settleAll(ready().map((cell) => ofCell(fleets, cell).leave())),
      },
      { name: 'peers', start: async () => peers.start(), stop: () => peers.stop() },
      { name: 'reports', start: () => reports.begin(ready()), stop: () => reports.end() },
      { name: 'keys', stop: () => authenticator.flush() },
      { name: 'webhooks', start: () => webhooks.begin(ready()), stop: () => webhooks.stop(drainMs) },
      { name: 'leases', stop: () => loops.stopLeases() }, // Behind what is written or bound. Nobody keeps deadlines by now.
      { name: 'channels', start: () => reach.voice.start(), stop: () => reach.close() },
      { name: 'orders', start: () => operators.follow(reach.sms) }, // Before the first bind: some may be paused.
      { name: 'bind slots', start: () => shareOut(reach, slots), stop: () => slots.release() },
      { name: 'own numbers', start: () => reach.waba.numbers.refresh() },
      { name: 'peer port', start: async () => peering?.open(), stop: async () => peering?.close() },
      { name: 'engine', stop: () => engine.drain(drainMs) },
      { name: 'refusals', stop: async () => refusals.sweep(true) },
      { name: 'loops', stop: () => loops.stop() },
      {
        name: 'api',
        start: async () => {
          api = await openApi(base, { ...calls, reach, slots, housekeeper });
          // Not before: a process whose port is taken would claim work, and its end would wait for what a loop has begun.
          loops.start();
        },
        // While the loops go on: a phone call may last for minutes, and others' receipts come meanwhile.
        stop: () => Promise.all([api?.close(drainMs, drainSeconds * 1000), reach.voice.drain(drainSeconds * 1000)]),
      },
      // Begins last and ends first: calls that still come go to the new owners.
      { name: 'shards', start: async () => peering?.begin(), stop: async () => peering?.leave() },
    ],
    {
      onError: (error, about) => onError(error, about, 'part of the process did not stop: the others stop without it'),
    },
  );
  await lifecycle.start();
  if (!api) throw new Error('the API did not start');
  const { httpPort, grpcPort, metricsPort } = api;

  return {
    httpPort,
    grpcPort,
    metricsPort,
    async reload(next) {
      const before = live.config;
      live.replace(next);
      api?.renew(next.server);
      const restartNeeded = await reach.reload(before, next);
      const later = 'the database lacks a part of the new configuration: it is tried again';
      // Longer retention makes longer partitions: at once, not within the hour.
      await housekeeper.open().catch((error) => onError(error, { part: 'partitions' }, later));
      await shareOut(reach, slots).catch((error) => onError(error, { part: 'bind slots' }, later));
      // An operator that was made again has no binds yet, though its slots are ours; for the others nothing changes.
      await Promise.all(next.operators.map(({ id }) => reach.sms.setSlots(id, slots.held(id))));
      return restartNeeded;
    },
    rereadKeys: keys.reread,
    close: () => lifecycle.stop(),
  };
}

async function shareOut(reach: ReturnType<typeof channelsFor>, slots: Slots): Promise<void> {
  await slots.configure(reach.bindCounts());
  await slots.balance();
}

interface VerifyParts {
  /** By cell. */
  fleets: ReadonlyMap<string, Fleet>;
  peers: Peers;
  conversation: Conversation;
  accounts: AccountViews;
  channels: Channels;
  webhooks: Webhooks;
  reports: Reports;
  pumping: Pumping;
}

function wireEngine(base: Base, { fleets, ...parts }: VerifyParts) {
  const { live, ring, ids, now, logger, observe } = base;
  const { lane, budget, receipt, unreadable, sessionOver, messageMoved } = observe;
  return createEngine({
    ...engineDatabases(base, fleets),
    now,
    ids,
    randomBytes,
    ring,
    settings: live,
    fleet: ofCell(fleets, homeCell),
    ...parts,
    answers: storedAnswers(live),
    log: logger,
    observe: { lane, budget, receipt, unreadable, sessionOver, messageMoved },
  });
}

/** Calls and receipts go to the owners of their numbers. */
function routed({ ids }: Base, made: ReturnType<typeof createEngine>, routes: Omit<Peering, 'dialect'>) {
  const { engine: face, intake: receipts, references, checker, stuckOwners } = made;
  const routing = new Routing({ ...routes, face, receipts, references, checker, stuckOwners, ids });
  return { engine: routing.face(), intake: routing.intake() };
}
