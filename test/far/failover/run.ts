// A failover under load, and what came of it: two servers on a primary with a standby, verifications all the while, the primary killed with
// -9, the standby promoted three seconds later.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { inParallel } from '../../e2e/load.ts';
import type { TestDatabase } from '../../support/database.ts';
import { bindsOf, type ServerProcess, type TestService, testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';
import { Clients } from './load.ts';
import { type Pair, type Replication, startPair } from './pair.ts';

const perSecond = 60;
/** Before the primary is killed; between its death and the promotion, as a watchdog needs to be sure; after it. */
const [beforeMs, unnoticedMs, afterMs] = [8_000, 3_000, 12_000];

export interface Failover {
  service: TestService;
  servers: ServerProcess[];
  pair: Pair;
}

/** What clients were told, and what the promoted database makes of it. */
export interface Outcome {
  verifications: number;
  acknowledgedSends: number;
  lostSends: number;
  acknowledgedChecks: number;
  lostChecks: number;
  /** Right codes that were answered otherwise, or never. */
  unverified: number;
  /** SMS beyond the messages of their session: one message written twice. */
  writtenTwice: number;
  /** Sessions to which a second message went, because the first was in doubt. */
  sentAgain: number;
  /** Verified sessions whose webhook did not come. */
  untold: number;
  /** From the moment the address moved, for each server, to its next call that succeeded; ms. */
  backAfterMs: number[];
}

/** Belongs at the top of a test file. */
export async function prepareFailover(replication: Replication): Promise<Failover> {
  const pair = await startPair(replication);
  const database = createDatabase<Schema>(pair.url, { max: 2, lanes: 1 });
  await migrate(database.db as never);
  const service = await testService({
    database: { ...database, url: pair.url } as TestDatabase<Schema>,
    sandbox: { deliverDelayMs: 150 },
    config: { webhooks: { timeout_seconds: 2 } },
    errorsExpected: true,
  });
  // Its connections are not for the failover: an account is made by now.
  await database.close();
  const servers = [await service.startProcess(), await service.startProcess()];
  return { service, servers, pair };
}

export async function failOver({ service, servers, pair }: Failover): Promise<Outcome> {
  const { sandbox } = service;
  const codeTo = async (number: string) => {
    const sms = await until(() => sandbox.smsTo(number)[0], {
      what: `an SMS to ${number}`,
      timeoutMs: 30_000,
      everyMs: 25,
    });
    return /\d{6}/.exec(sms.text)?.[0] ?? '';
  };
  const clients = new Clients(servers, codeTo);
  const load = new AbortController();
  const played = clients.run(perSecond, load.signal);
  // The times are the scenario's own: how long a load lasts, and how long an outage.
  await pause(beforeMs);
  await pair.kill();
  await pause(unnoticedMs);
  await pair.promote();
  const moved = performance.now();
  await pause(afterMs);
  load.abort();
  await played;
  const backAfterMs = servers.map((_, server) => {
    const next = clients.calls.filter((call) => call.ok && call.server === server && call.at + call.ms > moved);
    return Math.min(...next.map(({ at, ms }) => at + ms - moved));
  });
  await nothingStuck(servers);
  return { ...(await compare(service, servers, clients)), backAfterMs };
}

/** Both servers are ready, with all binds between them: none is dead, or waits for something that never comes. */
async function nothingStuck(servers: readonly ServerProcess[]): Promise<void> {
  for (const server of servers)
    await until(async () => (await fetch(`${server.http}/readyz`)).ok, { what: 'the server to be ready' });
  const all = { atlas: 2, sahara: 2, djurdjura: 2 };
  await until(
    async () => {
      const sums: Record<string, number> = {};
      for (const server of servers)
        for (const [name, count] of Object.entries(await bindsOf(server))) sums[name] = (sums[name] ?? 0) + count;
      expect(sums).toEqual(all);
      return true;
    },
    { what: 'every bind to be held, once', everyMs: 200 },
  );
}

async function compare(
  { sandbox }: TestService,
  [server]: readonly ServerProcess[],
  { verifications }: Clients,
): Promise<Omit<Outcome, 'backAfterMs'>> {
  const acknowledged = verifications.filter(({ id }) => id !== null);
  const live = server?.live;
  if (!live) throw new Error('there is no server');
  const sessions = await inParallel(acknowledged, 16, async ({ id, number, valid }) => {
    const found = await live.session(id ?? '').catch((error: Error) => {
      if (/: 404 /.test(error.message)) return null;
      throw error;
    });
    // What is under way ends, by itself.
    const settled =
      found &&
      (await live.sessionWhen(
        found.id,
        'its delivery to be settled',
        ({ delivery }) => delivery !== 'sending',
        60_000,
      ));
    return { id, number, valid, settled };
  });
  const count = <T>(items: readonly T[], which: (item: T) => boolean) => items.filter(which).length;
  const verified = sessions.filter(({ settled }) => settled?.status === 'verified');
  const untold = (): number => {
    const told = new Set(sandbox.events().map(({ type, data }) => type === 'session.verified' && data.session_id));
    return count(verified, ({ id }) => !told.has(id ?? ''));
  };
  await until(() => untold() === 0, { what: 'every webhook', everyMs: 250 }).catch(() => {});
  return {
    verifications: verifications.length,
    acknowledgedSends: acknowledged.length,
    lostSends: count(sessions, ({ settled }) => settled === null),
    acknowledgedChecks: count(sessions, ({ valid }) => valid === true),
    lostChecks: count(sessions, ({ valid, settled }) => valid === true && settled?.status !== 'verified'),
    unverified: count(verifications, ({ valid }) => valid !== true),
    writtenTwice: sessions.reduce(
      (sum, { number, settled }) => sum + Math.max(0, sandbox.smsTo(number).length - (settled?.messages.length ?? 0)),
      0,
    ),
    sentAgain: count(sessions, ({ settled }) => (settled?.messages.length ?? 0) > 1),
    untold: untold(),
  };
}
