// The life of a process: the order in which its parts start and stop, and what a new configuration changes. parts.ts makes the parts, so that
// none of them needs to know another.

import type { Api } from '../api/server.ts';
import type { Config } from '../config.ts';
import { ofCell } from '../core/fleet/cells.ts';
import { isDoneWithin } from '../time/alarm.ts';
import { settleAll } from '../time/settle.ts';
import { type OpenApi, openApi } from './api.ts';
import { type AppOptions, type Base, createBase } from './base.ts';
import { Lifecycle, type Part } from './lifecycle.ts';
import { createParts, type Parts } from './parts.ts';

export type { AppOptions };

export interface App extends Pick<Api, 'httpPort' | 'grpcPort' | 'metricsPort'> {
  /** Takes a new configuration over; binds whose settings did not change stay up. Returns what needs a restart. */
  reload(config: Config): Promise<string[]>;
  /** The configuration was read again and cannot be taken over: the one in force stays, and the metrics say so. */
  refuse(): void;
  /** Reads the key ring again. What is wrong with it is logged, and the one in force stays. */
  rereadKeys(): Promise<void>;
  /** Answers what is under way, sends what is on the wire, leaves the rest to other processes. */
  close(): Promise<void>;
}

const drainMs = 10_000;

/** @throws StartRefused with a reason for people, or when the database can't be reached or a port is taken; nothing is left open. */
export async function startApp(options: AppOptions): Promise<App> {
  const base = createBase(options);
  const parts = createParts(base, options);
  const callMs = base.live.config.server.drainSeconds * 1000;
  let api: OpenApi | undefined;
  const ports: Part = {
    name: 'api',
    start: async () => {
      api = await openApi(base, parts);
      // Not before: a process whose port is taken would claim work, and its end would wait for what a loop has begun.
      parts.loops.start();
    },
    // While the loops go on: a phone call may last for minutes, and others' receipts come meanwhile.
    stop: () => Promise.all([api?.close(drainMs, callMs), parts.reach.voice.drain(callMs)]),
  };
  const lifecycle = new Lifecycle(inOrder(base, parts, ports), {
    onError: (error, about) =>
      base.onError(error, about, 'part of the process did not stop: the others stop without it'),
  });
  await lifecycle.start();
  if (!api) throw new Error('the API did not start');
  const { httpPort, grpcPort, metricsPort, renew } = api;
  let reloading: Promise<unknown> = Promise.resolve();
  const observe = (refused: 0 | 1) => base.metrics.rereadRefused.set({ what: 'configuration' }, refused);
  observe(0);
  return {
    httpPort,
    grpcPort,
    metricsPort,
    reload(next) {
      const done = takeOver(base, parts, renew, next);
      reloading = done.then(
        () => observe(0),
        () => observe(1),
      );
      return done;
    },
    refuse: () => observe(1),
    rereadKeys: parts.keys.reread,
    async close() {
      // It would open binds behind the parts that close them, and the process would not end.
      await reloading;
      await lifecycle.stop();
    },
  };
}

/** The parts in the order in which they start; they stop in the reverse order. */
function inOrder(base: Base, parts: Parts, ports: Part): Part[] {
  const { starts, databaseWatch, housekeeper, retention, keys, fleets, peers, reports, authenticator, webhooks } =
    parts;
  const { loops, reach, operators, slots, peering, engine, chores, refusals } = parts;
  const ready = () => starts.ready.map(({ name }) => name);
  return [
    {
      name: 'database',
      stop: () => Promise.all(base.cells.flatMap(({ database, watch }) => [database.close(), watch.close()])),
    },
    { name: 'schema', start: () => starts.open() },
    { name: 'database watch', start: () => databaseWatch.open() },
    { name: 'partitions', start: () => housekeeper.open() },
    { name: 'key ring', start: () => keys.admit() },
    {
      name: 'fleet',
      start: async () => {
        await settleAll(ready().map((cell) => ofCell(fleets, cell).renew()));
        await retention.say(); // Before this process deletes anything, and others something that it is to keep.
        await keys.join();
      },
      stop: () => settleAll(ready().map((cell) => ofCell(fleets, cell).leave())),
    },
    { name: 'peers', start: async () => peers.start(), stop: () => peers.stop() },
    { name: 'reports', start: () => reports.begin(ready()), stop: () => reports.end() },
    { name: 'keys', stop: () => authenticator.flush() },
    { name: 'webhooks', start: () => webhooks.begin(ready()), stop: () => webhooks.stop(drainMs) },
    { name: 'leases', stop: () => loops.stopLeases() }, // Behind what is written or bound. Nobody keeps deadlines by now.
    { name: 'budgets', stop: () => isDoneWithin(chores.budgets.close(), drainMs) },
    { name: 'deadlines', stop: async () => chores.deadlines.stop() }, // Behind the binds, which take seconds to close.
    { name: 'channels', start: () => reach.voice.start(), stop: () => reach.close() },
    { name: 'orders', start: () => operators.follow(reach.sms) }, // Before the first bind: some may be paused.
    { name: 'bind slots', start: () => shareOut(parts), stop: () => slots.release() },
    { name: 'own numbers', start: () => reach.waba.numbers.refresh() },
    { name: 'peer port', start: async () => peering?.open(), stop: async () => peering?.close() },
    { name: 'engine', stop: () => engine.drain(drainMs) },
    { name: 'refusals', stop: async () => refusals.sweep(true) },
    { name: 'loops', stop: () => loops.stop() },
    ports,
    // Begins last and ends first: calls that still come go to the new owners.
    { name: 'shards', start: async () => peering?.begin(), stop: async () => peering?.leave() },
  ];
}

/** Resolves with what needs a restart. What the database lacks of it is tried again by the loops, and left where the process is to end. */
async function takeOver(base: Base, parts: Parts, renew: OpenApi['renew'], next: Config): Promise<string[]> {
  const { live, ending, onError } = base;
  const { reach, housekeeper, retention, slots } = parts;
  if (ending.aborted) return []; // It had waited for the one before it.
  const before = live.config;
  live.replace(next);
  base.caches.clear(); // What is in memory of an account names the operators of before.
  renew(next.server);
  const restartNeeded = await reach.reload(before, next);
  if (ending.aborted) return restartNeeded;
  const later = 'the database lacks a part of the new configuration: it is tried again';
  // Longer retention makes longer partitions: at once, not within the hour.
  await housekeeper.open().catch((error) => onError(error, { part: 'partitions' }, later));
  await retention.say().catch((error) => onError(error, { part: 'retention' }, later));
  await shareOut(parts).catch((error) => onError(error, { part: 'bind slots' }, later));
  // An operator that was added again may have no binds yet, though slots of it are still ours; for the others nothing changes.
  await Promise.all(next.operators.map(({ id }) => reach.sms.setSlots(id, slots.held(id))));
  return restartNeeded;
}

async function shareOut({ reach, slots }: Pick<Parts, 'reach' | 'slots'>): Promise<void> {
  await slots.configure(reach.bindCounts());
  await slots.balance();
}
