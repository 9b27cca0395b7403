// Receipts, leases, claims, slots and loads in the store in memory: db/receipts, db/fleet and db/delivery.
import { shardOf } from '../../../src/core/ids.ts';
import type { OpenSession } from '../../../src/db/fleet/claims.ts';
import { processHolder, routeHeldBy } from '../../../src/db/fleet/holder.ts';
import { numberReference } from '../../../src/db/receipts/receipts.ts';
import type { SessionKey } from '../../../src/db/verify/sessions.ts';
import { byText, keyOf, type Reference, type StoredSession, type Tables, type Verbs } from './tables.ts';

const dayMs = 86_400_000;

type ReceiptVerbs = Pick<
  Verbs,
  'findReferences' | 'parkReceipts' | 'matchableReceipts' | 'removeParked' | 'countParked'
>;

/** Whether no other message has its reference. */
const isOnlyOne = (rows: readonly Reference[], { operator, reference, messageId }: Reference): boolean =>
  !rows.some((row) => row.operator === operator && row.reference === reference && row.messageId !== messageId);

export const receiptVerbs = (tables: Tables): ReceiptVerbs => {
  /** Operators reuse their ids later. */
  const recent = (now: number) => [...tables.references.values()].filter((row) => row.submittedAt > now - 4 * dayMs);
  return receiptVerbsOf(tables, recent);
};

const receiptVerbsOf = (tables: Tables, recent: (now: number) => Reference[]): ReceiptVerbs => ({
  findReferences(items) {
    const rows = recent(tables.now());
    return items.map(({ operator, references, number, inDoubt }) => {
      const same = rows.filter((row) => row.operator === operator && references.includes(row.reference));
      const [row] = same
        .filter((each) => number === null || each.number === number || (inDoubt && isOnlyOne(same, each)))
        .sort((a, b) => Number(b.number === number) - Number(a.number === number) || b.submittedAt - a.submittedAt);
      return row ? { accountId: row.accountId, id: row.sessionId, messageId: row.messageId } : null;
    });
  },
  parkReceipts(rows) {
    for (const { id: given, operator, number, receipt, received_at } of rows) {
      const id = String(given);
      const copy = receipt === null ? null : JSON.parse(JSON.stringify(receipt));
      tables.parked.set(id, { id, operator, number, receipt: copy, receivedAt: Number(received_at) });
    }
  },
  matchableReceipts({ limit, guessAfterMs, withinMs }) {
    const now = tables.now();
    return [...tables.parked.values()]
      .filter((row) => row.receipt !== null && row.receivedAt > now - withinMs)
      .filter(({ operator, number, receipt, receivedAt }) => {
        const inDoubt = receivedAt < now - guessAfterMs;
        const wanted = [...(receipt?.references ?? [])];
        if (number !== null && inDoubt) wanted.push(numberReference(number));
        const same = recent(now).filter((row) => row.operator === operator && wanted.includes(row.reference));
        return same.some((row) => number === null || row.number === number || (inDoubt && isOnlyOne(same, row)));
      })
      .sort((a, b) => a.receivedAt - b.receivedAt)
      .slice(0, limit)
      .map(({ id, receipt }) => ({ id, receipt }));
  },
  removeParked(ids) {
    for (const id of ids) tables.parked.delete(id);
  },
  countParked: () => tables.parked.size,
});

type FleetVerbs = Pick<
  Verbs,
  'pulse' | 'renewLease' | 'endLease' | 'openSessionsOf' | 'openSessionsAt' | 'claimOrphans' | 'claimRoutes'
>;

export const fleetVerbs = (tables: Tables): FleetVerbs => {
  const isAlive = (id: string) => (tables.processes.get(id)?.leaseUntil ?? 0) > tables.now();
  const isHeldByDead = (holder: string | null) =>
    holder !== null &&
    routeHeldBy(holder) === null &&
    ![...tables.processes.keys()].some((id) => isAlive(id) && processHolder(id) === holder);
  const keyOfRow = ({ session }: StoredSession) => ({ accountId: session.accountId, id: session.id });
  const rowsOf = (wanted: readonly SessionKey[]) =>
    wanted.flatMap(({ accountId, id }) => {
      const row = tables.sessions.get(id);
      return row?.session.accountId === accountId ? [row] : [];
    });
  const take = (row: StoredSession, processId: string) => {
    row.holder = processHolder(processId);
    row.session = { ...row.session, version: row.session.version + 1 };
    return keyOfRow(row);
  };
  const look = (row: StoredSession, processId: string): OpenSession => ({
    ...keyOfRow(row),
    nextAt: row.session.nextAt,
    held: row.holder === processHolder(processId) ? 'self' : isHeldByDead(row.holder) ? 'dead' : null,
    inHand: [...row.messages.values()].flatMap(({ id: messageId, holder }) =>
      holder !== null && (holder === processId || !isAlive(holder)) ? [{ messageId, holder }] : [],
    ),
  });
  const renew = (id: string, leaseMs: number) => {
    const now = tables.now();
    const others = [...tables.processes].filter(([other, row]) => other !== id && row.leaseUntil > now - 60_000);
    tables.processes.set(id, { routes: '{}', ...tables.processes.get(id), leaseUntil: now + leaseMs });
    return others.map(([other, { leaseUntil }]) => ({ id: other, leftMs: leaseUntil - now }));
  };
  return {
    renewLease: renew,
    pulse({ processId, leaseMs, loads, slots }) {
      const now = tables.now();
      const free = [...tables.slots.values()]
        .filter(({ owner, leaseUntil }) => owner === null || owner === processId || leaseUntil < now)
        .filter((slot) => !slots.some(({ operator, n }) => operator === slot.operator && n === slot.n))
        .map(({ operator }) => operator);
      const bound = [...tables.slots.values()]
        .filter((slot) => slot.bound && slot.owner !== null && slot.owner !== processId && slot.leaseUntil > now)
        .map(({ operator }) => operator);
      const others = renew(processId, leaseMs);
      if (loads !== null) Object.assign(tables.processes.get(processId) ?? {}, { routes: loads });
      let renewed = 0;
      for (const { operator, n, bound } of slots) {
        const slot = tables.slots.get(keyOf(operator, String(n)));
        if (slot?.owner !== processId) continue;
        Object.assign(slot, { leaseUntil: now + leaseMs, bound });
        renewed += 1;
      }
      const parked = [...tables.parked.values()].map(({ receivedAt }) => receivedAt);
      return {
        others,
        renewed,
        free: [...new Set(free)],
        bound: [...new Set(bound)],
        changes: { accounts: 0, waba: 0, operators: 0, keys: 0 },
        parkedMs: parked.length > 0 ? now - Math.max(...parked) : null,
        linkDueAt: null,
      };
    },
    endLease(id) {
      const row = tables.processes.get(id);
      if (row) row.leaseUntil = tables.now();
    },
    openSessionsOf: (id, from, to) =>
      [...tables.pending.values(), ...tables.unsettled].flatMap((sessionId) => {
        const row = tables.sessions.get(sessionId);
        const shard = row ? shardOf(sessionId) : -1;
        return row && shard >= from && shard < to ? [look(row, id)] : [];
      }),
    openSessionsAt: (id, wanted) => rowsOf(wanted).map((row) => look(row, id)),
    claimOrphans: (id, wanted) =>
      rowsOf(wanted)
        .filter(({ holder }) => isHeldByDead(holder))
        .map((row) => take(row, id)),
    claimRoutes(id, routes, limit) {
      const waiting = routes.flatMap((route) =>
        [...tables.queues.values()]
          .filter((each) => each.route === route)
          .sort((a, b) => byText(a.id, b.id))
          .slice(0, limit),
      );
      const keys = waiting.flatMap(({ route, id: sessionId }) => {
        tables.queues.delete(keyOf(route, sessionId));
        const row = tables.sessions.get(sessionId);
        return row && routeHeldBy(row.holder) === route ? [take(row, id)] : [];
      });
      return { keys, isMore: waiting.length >= limit || waiting.length > keys.length };
    },
  };
};

type RouteVerbs = Pick<
  Verbs,
  | 'configureSlots'
  | 'balanceSlots'
  | 'giveBackSlots'
  | 'isAnyBound'
  | 'readRouteLoads'
  | 'announcePeer'
  | 'readShards'
  | 'moveShards'
>;

export const routeVerbs = (tables: Tables): RouteVerbs => ({
  configureSlots(binds) {
    for (const [key, { operator, n }] of tables.slots) if (n >= (binds.get(operator) ?? 0)) tables.slots.delete(key);
    for (const [operator, count] of binds) {
      for (let n = 0; n < count; n += 1) {
        const key = keyOf(operator, String(n));
        if (!tables.slots.has(key)) tables.slots.set(key, { operator, n, owner: null, leaseUntil: 0, bound: false });
      }
    }
  },
  balanceSlots({ processId, leaseMs, shares, bound }) {
    const now = tables.now();
    return [...shares].flatMap(([operator, share]) =>
      [...tables.slots.values()]
        .filter((slot) => slot.operator === operator)
        .filter(({ owner, leaseUntil }) => owner === processId || owner === null || leaseUntil < now)
        .sort((a, b) => Number(b.owner === processId) - Number(a.owner === processId) || a.n - b.n)
        .slice(0, share)
        .map((slot) => {
          slot.owner = processId;
          slot.leaseUntil = now + leaseMs;
          slot.bound = bound.some(({ operator: name, n }) => name === operator && n === slot.n);
          return { operator, n: slot.n };
        }),
    );
  },
  giveBackSlots(processId, held) {
    for (const slot of tables.slots.values()) {
      const isHeld = held.some(({ operator, n }) => operator === slot.operator && n === slot.n);
      if (slot.owner === processId && !isHeld) Object.assign(slot, { owner: null, leaseUntil: 0, bound: false });
    }
  },
  isAnyBound: () => [...tables.slots.values()].some(({ bound, leaseUntil }) => bound && leaseUntil > tables.now()),
  readRouteLoads() {
    const sums = new Map<string, { waiting: number; perSecond: number }>();
    const add = (route: string, waiting: number, perSecond: number) => {
      const sum = sums.get(route) ?? { waiting: 0, perSecond: 0 };
      sums.set(route, { waiting: sum.waiting + waiting, perSecond: sum.perSecond + perSecond });
    };
    for (const { leaseUntil, routes } of tables.processes.values()) {
      if (leaseUntil <= tables.now()) continue;
      const loads = JSON.parse(routes) as Record<string, { waiting: number; perSecond: number }>;
      for (const [route, { waiting, perSecond }] of Object.entries(loads)) add(route, waiting, perSecond);
    }
    for (const { route } of tables.queues.values()) add(route, 1, 0);
    return sums;
  },
  announcePeer(processId, address) {
    const row = tables.processes.get(processId);
    if (row) row.address = address;
  },
  readShards() {
    const live = [...tables.processes].filter(([, { leaseUntil }]) => leaseUntil > tables.now());
    live.sort(([a], [b]) => byText(a, b));
    return {
      ...tables.shards,
      live: live.map(([id]) => id),
      peers: live.flatMap(([processId, { address }]) => (address ? [{ processId, address }] : [])),
    };
  },
  moveShards(fence, ranges) {
    if (tables.shards.fence !== fence && tables.shards.fence !== 0) return false;
    tables.shards = { fence: tables.shards.fence + 1, ranges: [...ranges] };
    return true;
  },
});
