// The store in memory against the real one: the same random sequence of verbs on both, and after each the same answers; at the end the same
// rows. What the simulation proves, it proves for a store that behaves like this.
import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { idSource, lowestId, shardForNumber, timeOf } from '../../../src/core/ids.ts';
import type { Event, World } from '../../../src/core/verify/event.ts';
import { open } from '../../../src/core/verify/open.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import type { Session } from '../../../src/core/verify/session.ts';
import { engineReads, engineStore } from '../../../src/db/engine-store.ts';
import type { WantedCredit } from '../../../src/db/limits/budgets.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { anyMessage, numberReference } from '../../../src/db/receipts/receipts.ts';
import type { OpenItem } from '../../../src/db/verify/open.ts';
import type { SaveItem } from '../../../src/db/verify/save.ts';
import { toOpenItem, toSaveItem } from '../../../src/engine/sessions/change.ts';
import { advanceAll, type Job } from '../../../src/engine/sessions/session-line.ts';
import { type Random, seeded } from '../../simulate/random.ts';
import { memoryStore } from '../../simulate/store/store.ts';
import { createTables, type Verbs } from '../../simulate/store/tables.ts';
import { testDatabase } from '../../support/database.ts';
import { receiptOf, tariff } from '../../support/session.ts';

const database = await testDatabase();
await ensurePartitions(database.db, Date.now(), 30);
const real = { ...engineStore(database.lanes), ...engineReads({ reads: inside(database.db), lists: database.lists }) };
const ids = idSource({ now: Date.now, randomBytes });

const accountId = ids('acct_');
const tables = createTables(Date.now);
const memory = memoryStore(tables);
await sql`insert into account (id, name, created_at) values (${accountId}, 'A', now())`.execute(database.db);
const endpoints = [
  { id: ids('whe_'), eventTypes: [] },
  { id: ids('whe_'), eventTypes: ['session.verified', 'number.locked'] },
];

const limits = { perHour: 4, perDay: 6, platformPerHour: 5, platformPerDay: 7 };
const failureLimit = { failures: 3, windowMs: 60_000, failuresInRow: 5 };
const rules = { ...defaultRules, resendIntervalMs: 0, maxSends: 9 };

/** What may differ by the milliseconds between two calls. */
function rough(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rough);
  if (value instanceof Map) return [...value].map(rough).sort();
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => each !== undefined && name !== 'transaction')
      .map(([name, each]) => {
        if (name === 'others' || name === 'deliveries') return [name, inOrder(rough(each))];
        if (name === 'body') return [name, JSON.parse(String(each))];
        if (name === 'endsInMs') return [name, (each as number) > 0];
        if (name === 'leftMs') return [name, (each as number) > 0];
        if (name === 'parkedMs') return [name, each !== null];
        if (name === 'tokens') return [name, Math.floor((each as number) * 10)];
        return [name, name === 'free' ? [...(each as string[])].sort() : rough(each)];
      }),
  );
}

const inOrder = (rows: unknown): unknown =>
  Array.isArray(rows) ? [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : rows;

/** A stream of its own. */
const credits = seeded(1, 'credit');
let steps = 0;
const used = new Map<string, number>();

/** Of a budget of sends and of one of money, of which nothing may be asked but what is to be corrected. */
function creditOf(random: Random): WantedCredit[] {
  const today = Math.floor(Date.now() / 86_400_000);
  return [
    { unit: 'sends', scale: 0, some: () => String(random.between(0, 9)) },
    { unit: 'DZD', scale: 12, some: () => random.pick(['0', '2.5', '7.123', '0.000000000001']) },
  ].map(({ unit, scale, some }) => {
    const isCorrection = random.chance(0.2);
    return {
      accountId,
      keyId: random.pick(['', 'key_1']),
      period: 'day' as const,
      unit,
      limit: isCorrection ? null : random.pick(['40', '60', '400']),
      enforced: random.chance(0.8),
      need: isCorrection ? '0' : some(),
      ahead: isCorrection ? '0' : some(),
      scale,
      back: some(),
      backWindow: random.pick([today, today - 1]),
      more: random.pick(['0', '0', some()]),
      event: { id: ids('evt_'), body: '{"data":{}}' },
    };
  });
}

/** The same verb on both, with the same answer or the same error. `sorted`: where the order of rows is not said. */
async function both<Verb extends keyof Verbs>(
  verb: Verb,
  args: Parameters<Verbs[Verb]>,
  sorted = false,
): Promise<ReturnType<Verbs[Verb]>> {
  steps += 1;
  const answered = async (work: () => unknown) => {
    try {
      return { answer: (await work()) ?? null };
    } catch (error) {
      const { code, constraint } = error as { code?: string; constraint?: string };
      // A partition's own constraint has the partition's name.
      return { code, constraint: constraint?.replace(/_p\d{8}(_pkey)$/, '$1') };
    }
  };
  const ofReal = await answered(() => (real[verb] as (...given: unknown[]) => unknown)(...args));
  const ofMemory = await answered(() => (memory[verb] as (...given: unknown[]) => unknown)(...args));
  const shown = (given: { answer?: unknown }) => {
    const plain = rough(given) as { answer?: unknown };
    return sorted ? { ...plain, answer: inOrder(plain.answer) } : plain;
  };
  expect(shown(ofMemory), `step ${steps}: ${verb}`).toEqual(shown(ofReal));
  const { answer } = ofMemory as { answer?: unknown };
  const kinds = Array.isArray(answer) ? answer.map((each) => (each as { kind?: string } | null)?.kind ?? '') : [''];
  for (const kind of new Set([...kinds, 'code' in ofMemory ? 'error' : ''])) {
    if (kind) used.set(`${verb} ${kind}`, (used.get(`${verb} ${kind}`) ?? 0) + 1);
  }
  return answer as ReturnType<Verbs[Verb]>;
}

const world: World = {
  now: Date.now(),
  rules,
  newMessageId: () => ids('msg_'),
  plan: (_, { channel }) => ({
    kind: 'usable',
    route: `${channel}/atlas`,
    operator: channel === 'voice' ? null : 'atlas',
    senderId: 'RAMZ',
  }),
};

const phones = Array.from({ length: 20 }, () => `+2135${randomInt(10_000_000, 99_999_999)}`);
const processes = ['p1', 'p2', 'p3'];
const known: string[] = [];
let keys = 0;

function keyFor(random: Random, answer: unknown) {
  if (random.chance(0.7)) return null;
  // Now and then one that was used before.
  const isUsed = random.chance(0.4);
  if (!isUsed) keys += 1;
  const key = `k${isUsed ? random.between(0, keys) : keys}`;
  return { route: 'r', key, hash: Buffer.from(random.bytes(8)), answer };
}

function openItem(random: Random): OpenItem {
  const to = random.pick(phones);
  const request = {
    id: ids('vrf_', shardForNumber(to)),
    accountId,
    mode: 'live' as const,
    to,
    purpose: random.pick(['', 'pay']),
    language: 'ar' as const,
    codeLength: 6,
    keyId: 'k1',
    salt: Buffer.from(random.bytes(16)).toString('hex'),
    sealedCode: null,
    ttlMs: 600_000,
    senderId: null,
    clientReference: '',
    metadata: null,
    autofill: {},
    wording: null,
    cascade: [
      { channel: 'sms' as const, timeoutMs: 15_000 },
      { channel: 'voice' as const, timeoutMs: 30_000 },
    ],
  };
  const opened = open(request, { ...world, now: Date.now() });
  if (!('next' in opened)) throw new Error('not opened');
  const session = { ...opened.next, version: 1 };
  const holder = random.pick([...processes.map((id) => `process/${id}`), 'route/sms/atlas']);
  return toOpenItem(session, holder, keyFor(random, { id: session.id }), random.chance(0.7) ? limits : null);
}

function drawEvent(random: Random, session: Session): Event {
  const message = random.pick(session.messages);
  const messageId = message.id;
  const kind = random.weighted({
    check: 6,
    submitting: 4,
    accepted: 4,
    receipt: 4,
    resend: 3,
    cancel: 1,
    deadline: 1,
    unknown: 1,
    not_sent: 1,
  });
  switch (kind) {
    case 'check':
      return { kind, correct: random.chance(0.3) };
    case 'submitting':
      return { kind, messageId, holder: random.pick(processes) };
    case 'accepted':
      return { kind, messageId, providerMessageId: `p-${messageId}`, parts: 1, tariff };
    case 'receipt': {
      const receipt = receiptOf(random.pick(['DELIVRD', 'UNDELIV', 'ENROUTE'] as const), Date.now());
      return { kind, messageId, receipt, receiptId: ids('rcp_') };
    }
    case 'resend':
      return { kind, channel: null, asked: {} };
    case 'cancel':
      return { kind, reason: 'canceled_by_client' };
    case 'unknown':
      return { kind, messageId, reason: 'timeout' };
    case 'not_sent':
      return { kind, messageId, holder: random.pick(processes) };
    default:
      return { kind };
  }
}

/** A save as the engine makes it, from a state that may be older than what is stored. */
function saveItem(random: Random, session: Session): SaveItem | null {
  const now = Date.now();
  const event = drawEvent(random, session);
  const message = random.pick(session.messages);
  const reference = random.chance(0.2)
    ? {
        messageId: message.id,
        operator: 'atlas',
        reference: random.chance(0.3) ? numberReference(session.to) : `p-${message.id}`,
      }
    : undefined;
  const job: Job = {
    event: event.kind === 'check' ? () => event : event,
    options: reference ? { reference } : {},
    resolve: () => {},
    reject: () => {},
  };
  const answers = { sent: () => ({}), checked: () => ({}) };
  const { next, effects, extras } = advanceAll(session, [job], { world: { ...world, now }, held: true, answers });
  if (next === session && effects.length === 0) return null;
  const key = event.kind === 'check' ? keyFor(random, { checked: true }) : null;
  const { item } = toSaveItem(
    session,
    next,
    effects,
    { ...extras, idempotency: key, operation: extras.sends > 0 ? operationFor(random) : null },
    {
      now,
      holderBefore: tables.sessions.get(session.id)?.holder ?? null,
      holder: random.pick([...processes.map((id) => `process/${id}`), 'route/sms/atlas']),
      newEventId: () => ids('evt_'),
      rules,
      endpoints,
      deliveryHolder: 'process/p1',
      numberLimits: random.chance(0.8) ? limits : null,
    },
  );
  return item;
}

const operations: string[] = [];

/** The id of a resend, or none: a new one, one that was used, or one with which a session was opened. */
function operationFor(random: Random): string | null {
  const used = [...operations, ...tables.sessions.keys()];
  const operation = random.chance(0.3) && used.length > 0 ? random.pick(used) : ids('vrf_');
  operations.push(operation);
  return random.chance(0.8) ? operation : null;
}

const older = new Map<string, Session>();

async function step(random: Random): Promise<void> {
  const process = random.pick(processes);
  const verb = random.weighted({ open: 4, save: 16, lease: 2, claim: 2, slots: 2, tokens: 2, park: 2, read: 3 });
  switch (verb) {
    case 'open': {
      const items = Array.from({ length: random.between(1, 3) }, () => openItem(random));
      await both('openSessions', [items]);
      for (const { session } of items) if (tables.sessions.has(session.id)) known.push(session.id);
      return;
    }
    case 'save': {
      const chosen = [...new Set(Array.from({ length: random.between(1, 6) }, () => random.pick(known)))];
      const loaded = await both('loadSessions', [chosen.map((id) => ({ accountId, id }))]);
      const items = loaded.flatMap((each) => {
        if (!each) return [];
        const from = random.chance(0.1) ? (older.get(each.session.id) ?? each.session) : each.session;
        older.set(each.session.id, each.session);
        return saveItem(random, from) ?? [];
      });
      if (items.length > 0) await both('saveSessions', [items, failureLimit]);
      return;
    }
    case 'lease':
      if (random.chance(0.4)) await both('endLease', [process]);
      else if (random.chance(0.5)) await both('renewLease', [process, 60_000], true);
      else {
        const slots = [0, 1].map((n) => ({ operator: 'atlas', n, bound: random.chance(0.5) }));
        const loads = random.chance(0.5)
          ? JSON.stringify({ 'sms/atlas': { waiting: random.between(0, 9), perSecond: 5 } })
          : null;
        const { others: _others, ...found } = await both('pulse', [
          { processId: process, leaseMs: 60_000, loads, slots: random.chance(0.5) ? slots : [] },
        ]);
        expect(found.linkDueAt).toBeNull();
      }
      return;
    case 'claim':
      if (random.chance(0.5)) await both('claimRoutes', [process, ['sms/atlas'], 2], true);
      else await both('claimOrphans', [process, known.map((id) => ({ accountId, id }))], true);
      return;
    case 'slots': {
      const operator = random.chance(0.7) ? 'atlas' : 'sahara';
      await both('configureSlots', [new Map([[operator, random.between(1, 3)]])]);
      const shares = new Map([[operator, random.between(0, 2)]]);
      await both('balanceSlots', [{ processId: process, leaseMs: 60_000, shares, bound: [{ operator, n: 0 }] }], true);
      if (random.chance(0.3)) await both('giveBackSlots', [process, [{ operator: 'atlas', n: 1 }]]);
      await both('isAnyBound', []);
      return;
    }
    case 'tokens': {
      const bucket = (key: string) => ({ key, capacity: 5, refillPerSecond: 0.001 });
      const alone = () => [
        { ...bucket(`b${random.between(1, 2)}`), wanted: random.between(1, 3), back: random.between(0, 1) },
      ];
      const together = () =>
        ['b1', 'b2', 'b3'].map((key) => ({ ...bucket(key), wanted: 1, back: 0, optional: random.chance(0.3) }));
      const items = Array.from({ length: random.between(1, 4) }, () => (random.chance(0.5) ? alone() : together()));
      await both('takeTokens', [items]);
      await both('takeCredit', [creditOf(credits), { holder: 'process/p1', at: Date.now() }]);
      return;
    }
    case 'park': {
      const id = ids('prk_');
      const receipt = {
        references: [`p-${[...tables.references.values()].at(-1)?.messageId ?? 'msg'}`],
        operator: 'atlas',
      };
      const number = random.pick([null, ...phones]);
      const row = {
        id,
        operator: 'atlas',
        reference: 'x',
        number,
        reason: 'unmatched',
        receipt,
        raw: '',
        received_at: Date.now() - random.pick([0, 2_000_000]),
      };
      await both('parkReceipts', [[row]]);
      // None or all of the new ones are in doubt. The old ones came before all messages.
      for (const guessAfterMs of [1_000_000, -1_000])
        await both('matchableReceipts', [{ limit: 100, guessAfterMs, withinMs: 10_000_000 }], true);
      if (random.chance(0.3)) await both('removeParked', [[id]]);
      return;
    }
    case 'read':
      await reads(random.pick(phones), random.pick(known));
  }
}

/** What can be read of a number and a session. */
async function reads(number: string, id: string): Promise<void> {
  const mode = 'live' as const;
  for (const purpose of ['', 'pay']) {
    await both('pendingSessionOf', [{ accountId, mode, number, purpose }]);
    await both('latestSessionOf', [{ accountId, mode, number, purpose }]);
  }
  await both('peekTokens', [{ accountId, number }, limits]);
  await both('loadSessions', [
    [
      { accountId, id },
      { accountId: 'acct_of_another', id },
    ],
  ]);
  await both('findSessions', [[{ accountId, id }]]);
  await both('storedAnswer', [{ accountId, mode, route: 'r', key: `k${keys}` }]);
  for (const inDoubt of [false, true]) {
    const references = [numberReference(number), `p-${tables.sessions.get(id)?.messages.keys().next().value}`];
    for (const before of [anyMessage, lowestId('msg_', timeOf(id)), lowestId('msg_', timeOf(id) + 100)])
      await both('findReferences', [[{ operator: 'atlas', references, number, inDoubt, before }]]);
  }
}

test('the same verbs are answered alike, and leave the same behind', async () => {
  const random = seeded(Number(process.env.SIMULATE_SEED ?? 1), 'verbs');
  for (const id of processes) await both('renewLease', [id, 60_000], true);
  known.push(...(await opened(random)));
  for (let n = 0; n < 500; n += 1) await step(random);

  for (const number of phones) await reads(number, random.pick(known));
  for (const id of known) {
    await both('loadSessions', [[{ accountId, id }]]);
    await both('findSessions', [[{ accountId, id }]]);
    await both('sessionOfResend', [id]);
  }
  for (const id of processes) {
    await both('openSessionsOf', [id, 0, 1_024], true);
    await both('openSessionsOf', [id, 100, 700], true);
    await both('openSessionsAt', [id, known.map((each) => ({ accountId, id: each }))], true);
  }
  await both('readShards', []);
  for (const operation of operations) await both('sessionOfResend', [operation]);
  await both('countParked', []);
  await both('readRouteLoads', [], true);
  for (let n = 0; n <= keys; n += 1)
    await both('storedAnswer', [{ accountId, mode: 'live', route: 'r', key: `k${n}` }]);

  const { rows } = await sql<{ event_id: string; endpoint_id: string; session_id: string; body: string }>`
    select event_id, endpoint_id, session_id, body from webhook_delivery`.execute(database.db);
  const ofReal = rows.map((row) => [row.event_id, row.endpoint_id, row.session_id, JSON.parse(row.body)]);
  const ofMemory = tables.deliveries.map((row) => [row.eventId, row.endpointId, row.sessionId, JSON.parse(row.body)]);
  expect(inOrder(ofMemory)).toEqual(inOrder(ofReal));

  // A run in which nothing is refused compares little.
  for (const kind of ['opened', 'taken', 'spent', 'error'])
    expect(used.get(`openSessions ${kind}`), kind).toBeGreaterThan(0);
  for (const kind of ['saved', 'stale', 'locked', 'spent', 'error'])
    expect(used.get(`saveSessions ${kind}`), kind).toBeGreaterThan(0);
});

async function opened(random: Random): Promise<string[]> {
  const items = phones.map(() => openItem(random));
  await both('openSessions', [items]);
  return items.map(({ session }) => session.id).filter((id) => tables.sessions.has(id));
}
