// The parts of a process, and what each of them is given. Nothing is opened here and no loop runs: app.ts says in which order the parts start.

import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../api/auth/authenticator.ts';
import { Refusals } from '../api/clients/refusals.ts';
import { storedAnswers } from '../api/handlers/verify/service.ts';
import { homeCell, ofCell } from '../core/fleet/cells.ts';
import { engineStore } from '../db/engine-store.ts';
import { inside } from '../db/queryable.ts';
import { Accounts } from '../engine/accounts/accounts.ts';
import { AccountViews, createAccountSource } from '../engine/accounts/views.ts';
import { Channels } from '../engine/delivery/channels.ts';
import { dialect } from '../engine/dialect.ts';
import { createEngine } from '../engine/engine.ts';
import { Purge } from '../engine/erasure/purge.ts';
import { Conversation } from '../engine/fleet/conversation.ts';
import { Owners } from '../engine/fleet/owners.ts';
import { Peers } from '../engine/fleet/peers.ts';
import { Pulse } from '../engine/fleet/pulse.ts';
import { Slots } from '../engine/fleet/slots.ts';
import { Guard } from '../engine/limits/guard.ts';
import { Pumping } from '../engine/limits/pumping.ts';
import { Stops } from '../engine/limits/stops.ts';
import { Operators } from '../engine/operators/operators.ts';
import { Routing } from '../engine/routing.ts';
import type { AppOptions, Base } from './base.ts';
import { CellStarts } from './cell-starts.ts';
import { engineDatabases, joinCells, mapOf, numbersMover, reportsOver } from './cells.ts';
import { channelsFor } from './channels.ts';
import { createDatabaseWatch } from './database-watch.ts';
import { createHousekeeper, FleetRetention } from './housekeeper.ts';
import { createLoops } from './loops.ts';
import { createPeering } from './peer-port.ts';
import { createServiceKeys } from './service-keys.ts';
import { wireWebhooks } from './webhooks.ts';

export type Parts = ReturnType<typeof createParts>;

export function createParts(base: Base, { databaseUrl, readKeyRing }: Pick<AppOptions, 'databaseUrl' | 'readKeyRing'>) {
  const { live, cells, database, watch, now, metrics, logger } = base;
  const starts = new CellStarts(base);
  const databaseWatch = createDatabaseWatch({
    cells: () => starts.ready.map((cell) => ({ name: cell.name, db: cell.watch.lanes })),
    now,
    sandbox: live.config.sandbox,
    metrics,
    logger,
  });
  const fleetParts = joinFleet(base, databaseUrl);
  const { fleets, fleet, processId, peering } = fleetParts;
  const own = () => live.config.service;
  const retention = new FleetRetention({ db: inside(database.db), processId, own, log: logger });
  const housekeeper = createHousekeeper({
    dbs: () => starts.ready.map((cell) => cell.database.plain),
    now,
    retention: own,
    longest: () => retention.longest(),
    metrics,
    logger,
  });
  const verification = createVerification(base, fleetParts);
  const { engine, chores, gauges, reach, views, webhooks, reports, pumping } = verification;
  const slots = new Slots({ db: engineStore(watch.lanes), fleet, now, binds: reach.binds });
  const pulse = new Pulse({ db: engineStore(watch.lanes), fleet, slots, loads: chores.backlog });
  const clients = createClients(base);
  const { authenticator, refusals } = clients;
  base.caches.add(views, authenticator, webhooks);
  const keys = createServiceKeys(base, {
    processId,
    read: readKeyRing ?? null,
    sealed: [webhooks.sealed, reach.waba.sealed],
    onTaken: () => reach.waba.ringChanged(),
  });
  fleet.events.on('back', () => keys.due.set());
  const administration = createAdministration(base);
  const { accounts, operators } = administration;
  /** Before anything is stored in the cell. */
  const begin = async (cell: string) => {
    await ofCell(fleets, cell).renew();
    await Promise.all([reports.begin([cell]), webhooks.begin([cell])]);
  };
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
    purge: new Purge(
      { home: database.plain, cells: cells.map((cell) => cell.database.plain) },
      now,
      async () => (await retention.longest()).closedAccountDays,
    ),
    closeUnused: (stopping) => accounts.waiting.closeUnused(stopping),
    moveNumbers: numbersMover(base),
    starts,
    begin,
    databaseWatch,
    metrics,
    logger,
  });
  return {
    ...fleetParts,
    ...verification,
    ...clients,
    ...administration,
    starts,
    databaseWatch,
    housekeeper,
    retention,
    slots,
    keys,
    loops,
  };
}

type FleetParts = ReturnType<typeof joinFleet>;

/** This process among the others on its databases: its leases, what is said between processes, and whose number is whose. */
function joinFleet(base: Base, databaseUrl: string) {
  const { database, watch, live, observe, logger: log } = base;
  const fleets = joinCells(base);
  const fleet = ofCell(fleets, homeCell);
  const { processId } = fleet;
  const conversation = new Conversation(observe.peer);
  const peers = new Peers({ db: database.lanes, url: databaseUrl, processId, conversation, log });
  const owners = new Owners({ db: engineStore(watch.lanes), fleet, conversation, cells: mapOf(live), log });
  const peering = createPeering(base, { processId, conversation, owners, dialect });
  return { fleets, fleet, processId, conversation, peers, owners, peering };
}

/** The engine, and what it sends by. */
function createVerification(base: Base, fleetParts: FleetParts) {
  const { live, ring, ids, now, logger: log, observe, database, watch, cells } = base;
  const { fleets, fleet, peers, conversation } = fleetParts;
  const views = new AccountViews(createAccountSource(watch.db, () => live.operators));
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
    log,
    observe: { stopped: observe.stopped },
  });
  const { lane, budget, receipt, unreadable, sessionOver, messageMoved } = observe;
  const made = createEngine({
    ...engineDatabases(base, fleets),
    now,
    ids,
    randomBytes,
    ring,
    settings: live,
    fleet,
    peers,
    conversation,
    accounts: views,
    channels,
    webhooks,
    reports,
    pumping,
    answers: storedAnswers(live),
    log,
    observe: { lane, budget, receipt, unreadable, sessionOver, messageMoved },
  });
  const { engine, intake } = fleetParts.peering ? routed(base, made, fleetParts) : made;
  const reach = channelsFor(base, { channels, intake, accounts: views });
  const { chores, gauges } = made;
  return { engine, chores, gauges, reach, views, channels, webhooks, reports, pumping };
}

/** Calls and receipts go to the owners of their numbers. */
function routed({ ids }: Base, made: ReturnType<typeof createEngine>, fleetParts: FleetParts) {
  const { engine: face, intake: receipts, references, checker, stuckOwners, calls } = made;
  const { processId, conversation, owners } = fleetParts;
  const routes = { processId, conversation, owners };
  const routing = new Routing({ ...routes, face, receipts, references, checker, stuckOwners, calls, ids });
  return { engine: routing.face(), intake: routing.intake() };
}

/** What is known of callers: the accounts behind their keys, and whose calls were refused. */
function createClients({ live, watch, ring, now, logger, observe }: Base) {
  const { adminTokenHash } = live.config.server;
  const authenticator = createAuthenticator({
    db: watch.db,
    ring,
    prefixes: keyPrefixes(live.config.server),
    now,
    adminTokenHash,
    ruleModes: () => live.ruleModes,
  });
  const refusals = new Refusals({
    now,
    logger,
    ...observe.refusals,
    failuresPerMinute: () => live.config.limits.authenticationFailuresPerMinute,
  });
  return { authenticator, refusals };
}

/** The rooms by which administrators change accounts, stops and operators. */
function createAdministration({ database, cells, ids, ring, now, caches, live, logger: log }: Base) {
  const { db } = database;
  const prefixes = keyPrefixes(live.config.server);
  const accounts = new Accounts({ db, ids, ring, prefixes, now, caches, settings: live, log });
  const stops = new Stops({ db, ids, now, caches });
  const operators = new Operators({ db, cells: cells.map((cell) => cell.database.db), settings: live, log });
  return { accounts, stops, operators };
}

const keyPrefixes = ({ liveKeyPrefix, testKeyPrefix }: Base['live']['config']['server']) => ({
  livePrefix: liveKeyPrefix,
  testPrefix: testKeyPrefix,
});
