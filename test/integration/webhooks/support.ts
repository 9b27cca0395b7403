// A receiver that does as it is told, and a delivering process on the test's database.
import { EventEmitter } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, expect } from 'vitest';
import type { Database } from '../../../src/db/client.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { withSchema } from '../../../src/db/schema.ts';
import type { FleetEvents } from '../../../src/engine/fleet/members.ts';
import { accountEventBody } from '../../../src/engine/webhooks/account-events.ts';
import { deliveryLeaseMs, type WebhooksOptions } from '../../../src/engine/webhooks/context.ts';
import type { ActingOwner, Endpoints } from '../../../src/engine/webhooks/endpoints.ts';
import { Webhooks } from '../../../src/engine/webhooks/webhooks.ts';
import { tester } from '../../support/actor.ts';
import { isCelled } from '../../support/cells.ts';
import { listen } from '../../support/listen.ts';
import { ids, readRing, ringJson } from './ring.ts';

export { ids };

const ring = readRing(ringJson);

export interface Received {
  path: string;
  headers: IncomingHttpHeaders & Record<string, string>;
  body: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** An HTTP server on loopback; every path answers 204 unless told otherwise. */
export async function receiver() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      const one = { path, headers: request.headers as Received['headers'], body };
      received.push(one);
      const answer = answers.get(path) ?? ((to: ServerResponse) => to.writeHead(204).end());
      answer(response, one);
    });
  });
  const { port, sockets } = await listen(server);
  return {
    port,
    received,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    at: (path: string) => received.filter((each) => each.path === path),
    answer: (path: string, answer: Answer) => answers.set(path, answer),
    connections: () => sockets.size,
  };
}

/** What a test waits for is in the database; what it asserts is never a matter of timing. */
export interface DeliveryState {
  event_id: string;
  endpoint_id: string;
  type: string;
  status: string;
  attempts: number;
  next_at: Date | null;
  /** The same against the clock of the database. */
  due_in_ms: number | null;
  /** Whether it is among the retries, and the process that has claimed it there. */
  waits: boolean;
  leased_to: string | null;
  last_status: number | null;
  last_error: string | null;
  delivered_at: Date | null;
}

export interface Account extends ActingOwner {
  create(url: string, eventTypes?: string[]): Promise<{ id: string; secret: string }>;
  /** Writes an event down for an endpoint: a retry that is due then, by default now. With a holder a first attempt, as a committed change does. */
  event(endpointId: string, dueAt?: number, holder?: string): Promise<{ id: string; type: string; json: string }>;
  deliveries(endpointId: string): Promise<DeliveryState[]>;
  one(endpointId: string): Promise<DeliveryState>;
}

export async function testAccount(database: Database<unknown>, manager: Endpoints): Promise<Account> {
  const accountId = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Test', now())`.execute(database.db);
  const owner: ActingOwner = { accountId, mode: 'live', actor: tester };
  const deliveries = async (endpointId: string) =>
    (
      await sql<DeliveryState>`select event_id, endpoint_id, type, status, attempts, last_status, last_error, delivered_at, next_at,
        extract(epoch from next_at - now())::float8 * 1000 as due_in_ms, r.event_id is not null as waits, r.holder as leased_to
        from webhook_delivery d left join webhook_retry r using (endpoint_id, event_id)
        where endpoint_id = ${endpointId} order by event_id`.execute(database.db)
    ).rows;
  return {
    ...owner,
    deliveries,
    one: async (endpointId) => {
      const rows = await deliveries(endpointId);
      expect(rows).toHaveLength(1);
      return rows[0] as DeliveryState;
    },
    create: async (url, eventTypes = []) => {
      const created = await manager.create(owner, { url, description: '', eventTypes });
      if (created.kind !== 'created') throw new Error(created.kind);
      return { id: created.endpoint.id, secret: created.secret };
    },
    event: async (endpointId, dueAt = Date.now(), holder) => {
      const id = ids('evt_');
      const type = 'session.verified';
      const json = accountEventBody(id, { type, accountId, mode: 'live', at: Date.now(), data: { note: 'رمز' } });
      await sql`with stored as (
          insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at, holder)
          values (${accountId}, ${id}, ${endpointId}, 'live', ${type}, ${json}, 'pending', now(), ${holder ?? null})
          returning endpoint_id, event_id, account_id
        )
        insert into webhook_retry (endpoint_id, event_id, account_id, next_at)
        select endpoint_id, event_id, account_id, to_timestamp(${dueAt}::bigint / 1000.0) from stored
        where ${holder === undefined}`.execute(database.db);
      return { id, type, json };
    },
  };
}

/** Requests under way to one endpoint: few, so that tests can fill them. */
const atOnce = 4;

/** A process that lives as long as the test. */
export const testFleet = () => ({
  holder: ids('process/'),
  keptSince: () => true,
  mayTakeOver: true,
  alive: 1,
  events: new EventEmitter<FleetEvents>(),
});

/** Of a claim, with the usual timeout. */
export const leaseMs = deliveryLeaseMs(15_000);

export interface TestWebhooks {
  webhooks: Webhooks;
  manager: Endpoints;
  /** Of the leases of this process. */
  holder: string;
  errors: object[];
  /** Outcome and reason of every delivery, in order. */
  outcomes: string[];
  /** Why endpoints were switched off here. */
  switchedOff: string[];
  /** Moves this process's clock ahead. */
  ahead: { ms: number };
}

export async function testWebhooks(
  database: Database<unknown>,
  options: Partial<WebhooksOptions> = {},
): Promise<TestWebhooks> {
  const cells = isCelled(database) ? database.cells.map((cell) => ({ name: cell.name, ...cell.database })) : [];
  for (const { db } of cells.length > 0 ? cells : [database]) await ensurePartitions(db, Date.now(), 30);
  const errors: object[] = [];
  const outcomes: string[] = [];
  const switchedOff: string[] = [];
  const ahead = { ms: 0 };
  const now = () => Date.now() + ahead.ms;
  const { fleet = testFleet() } = options;
  // It lives for the others, too.
  await sql`insert into process (id, started_at, lease_until)
    values (${fleet.holder.slice('process/'.length)}, now(), now() + interval '1 day') on conflict do nothing`.execute(
    database.db,
  );
  const home = cells[0] ?? database;
  const each = cells.map(({ name, db, lanes, lists }) => ({ name, lanes, reads: inside(db), lists, fleet }));
  const webhooks: Webhooks = new Webhooks({
    db: withSchema(home.db),
    lanes: home.lanes,
    ...(isCelled(database) ? { cells: { map: database.map, each } } : {}),
    ids,
    ring,
    now,
    allowPrivate: true,
    jitter: () => 0,
    log: { warn: () => {}, error: (fields) => errors.push(fields) },
    observer: {
      delivery: (outcome, reason) => outcomes.push(reason === '' ? outcome : `${outcome} ${reason}`),
      switchedOff: (reason) => switchedOff.push(reason),
    },
    caches: { clear: (accountId) => webhooks.clear(accountId) },
    ...options,
    fleet,
    queue: { maxInFlightPerEndpoint: atOnce, ...options.queue },
  });
  afterAll(() => webhooks.stop(0));
  return { webhooks, manager: webhooks.endpoints, holder: fleet.holder, errors, outcomes, switchedOff, ahead };
}
