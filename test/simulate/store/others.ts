// Receipts, leases, claims, slots and loads in the store in memory: db/receipts, db/fleet and db/delivery.
import { shardOf } from '../../../src/core/ids.ts';
import type { OpenSession } from '../../../src/db/fleet/claims.ts';
import { processHolder, routeHeldBy } from '../../../src/db/fleet/holder.ts';
import { isNumberReference, madeBefore, numberReference } from '../../../src/db/receipts/receipts.ts';
import type { SessionKey } from '../../../src/db/verify/sessions.ts';
import { byText, keyOf, type Reference, type StoredSession, type Tables, type Verbs } from './tables.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

type ReceiptVerbs = Pick<
  Verbs,
  'findReferences' | 'parkReceipts' | 'matchableReceipts' | 'removeParked' | 'countParked'
>;

/** Whether no other message has its reference. */
const isOnlyOne = (rows: readonly Reference[], { operator, reference, messageId }: Reference): boolean =>
  !rows.some((row) => row.operator === operator && row.reference === reference && row.messageId !== messageId);

export const receiptVerbs = (tables: Tables): ReceiptVerbs => {
  const idOf = ({ sessionId, messageId }: Reference) =>
    tables.sessions.get(sessionId)?.messages.get(messageId)?.providerMessageId ?? null;
  /** Operators reuse their ids later, and a message whose id is known is not looked for by its phone alone. */
  const recent = (now: number) =>
    [...tables.references.values()].filter(
      (row) => row.submittedAt > now - 4 * dayMs && (!isNumberReference(row.reference) || idOf(row) === null),
    );
  return receiptVerbsOf(tables, recent);
};

const receiptVerbsOf = (tables: Tables, recent: (now: number) => Reference[]): ReceiptVerbs => ({
  findReferences(items) {
    const rows = recent(tables.now());
    return items.map(({ operator, references, number, inDoubt, before }) => {
      const same = rows.filter((row) => row.operator === operator && references.includes(row.reference));
      const [row] = same
        .filter(({ messageId }) => messageId < before)
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
        const older = same.filter(({ messageId }) => messageId < madeBefore(receivedAt));
        return older.some((row) => number === null || row.number === number || (inDoubt && isOnlyOne(same, row)));
      })
      .sort((a, b) => a.receivedAt - b.receivedAt)
      .slice(0, limit)
      .map(({ id, receipt }) => ({ id, receipt }));
  },
  removeParked(ids) {
    for (const id of ids) tables.parked.delete(id);
  },
  countParked: () => [...tables.parked.values()].filter(({ receivedAt }) => receivedAt > tables.now() - hourMs).length,
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
  const inHandOf = ({ messages }: StoredSession, processId: string): OpenSession['inHand'] => {
    const inHand: { messageId: string; holder: string }[] = [];
    for (const { id: messageId, holder } of messages.values()) {
      if (holder !== null && (holder === processId || !isAlive(holder))) inHand.push({ messageId, holder });
    }
    return inHand;
  };
  const look = (row: StoredSession, processId: string): OpenSession => ({
    ...keyOfRow(row),
    nextAt: row.session.nextAt,
    held: row.holder === processHolder(processId) ? 'self' : isHeldByDead(row.holder) ? 'dead' : null,
    inHand: inHandOf(row, processId),
  });
  const renew = (id: string, leaseMs: number) => {
    const now = tables.now();
    const others: { id: string; leftMs: number }[] = [];
    for (const [other, { leaseUntil }] of tables.processes) {
      if (other !== id && leaseUntil > now - 60_000) others.push({ id: other, leftMs: leaseUntil - now });
    }
    const own = tables.processes.get(id);
    if (own) own.leaseUntil = now + leaseMs;
    else tables.processes.set(id, { routes: '{}', leaseUntil: now + leaseMs });
    return others;
  };
  return {
    renewLease: renew,
    pulse({ processId, leaseMs, loads, slots }) {
      const now = tables.now();
      const free = new Set<string>();
      const bound = new Set<string>();
      for (const { operator, n, owner, leaseUntil, bound: isBound } of tables.slots.values()) {
        const isTheirs = owner !== null && owner !== processId;
        if (isTheirs && isBound && leaseUntil > now) bound.add(operator);
        if (isTheirs && leaseUntil >= now) continue;
        if (!slots.some((slot) => slot.operator === operator && slot.n === n)) free.add(operator);
      }
      const others = renew(processId, leaseMs);
      const own = tables.processes.get(processId);
      if (loads !== null && own) own.routes = loads;
      let renewed = 0;
      for (const { operator, n, bound } of slots) {
        const slot = tables.slots.get(keyOf(operator, String(n)));
        if (slot?.owner !== processId) continue;
        slot.leaseUntil = now + leaseMs;
        slot.bound = bound;
        renewed += 1;
      }
      let parkedAt = Number.NEGATIVE_INFINITY;
      for (const { receivedAt } of tables.parked.values()) parkedAt = Math.max(parkedAt, receivedAt);
      return {
        others,
        renewed,
        free: [...free],
        bound: [...bound],
        changes: { accounts: 0, waba: 0, operators: 0, keys: 0 },
        parkedMs: tables.parked.size > 0 ? now - parkedAt : null,
        linkDueAt: null,
      };
    },
    endLease(id) {
      const row = tables.processes.get(id);
      if (row) row.leaseUntil = tables.now();
    },
    openSessionsOf: (id, from, to) => {
      const found: OpenSession[] = [];
      const lookAt = (sessionId: string) => {
        const row = tables.sessions.get(sessionId);
        if (!row) return;
        const shard = shardOf(sessionId);
        if (shard >= from && shard < to) found.push(look(row, id));
      };
      for (const sessionId of tables.pending.values()) lookAt(sessionId);
      for (const sessionId of tables.unsettled) lookAt(sessionId);
      return found;
    },
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
    for (const [key, { operator, n }] of tables.slots) {
      if (n >= (binds.get(operator) ?? Number.POSITIVE_INFINITY)) tables.slots.delete(key);
    }
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
          return { operator, n: slot.n, renewing: false };
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
    const now = tables.now();
    const live: string[] = [];
    for (const [id, { leaseUntil }] of tables.processes) if (leaseUntil > now) live.push(id);
    live.sort(byText);
    const peers: { processId: string; address: string }[] = [];
    for (const processId of live) {
      const address = tables.processes.get(processId)?.address;
      if (address) peers.push({ processId, address });
    }
    const { fence, ranges } = tables.shards;
    return { fence, ranges, live, peers };
  },
  moveShards(fence, ranges) {
    if (tables.shards.fence !== fence && tables.shards.fence !== 0) return false;
    tables.shards = { fence: tables.shards.fence + 1, ranges: [...ranges] };
    return true;
  },
});
