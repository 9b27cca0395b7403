// An engine on a real database with channels that do as they are told: what an engine test needs, several times over when
// it plays several processes.

import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import type {
  Channel,
  OutgoingMessage,
  Place,
  PlanRequest,
  ReceiptIntake,
  SendOutcome,
  StopReason,
} from '../../src/channels/channel.ts';
import { limitsSchema, verifySchema } from '../../src/config/service.ts';
import { allShards } from '../../src/core/fleet/shards.ts';
import { idSource } from '../../src/core/ids.ts';
import type { BudgetLimits } from '../../src/core/limits/budget.ts';
import type { ClientLimits } from '../../src/core/limits/client-limits.ts';
import { guardRules, type RuleModes } from '../../src/core/limits/verdict.ts';
import type { KeyRing, RingKey } from '../../src/core/secrets/key-ring.ts';
import type { Plan } from '../../src/core/verify/event.ts';
import type { SendSettings } from '../../src/core/verify/request.ts';
import { defaultRules, type Rules } from '../../src/core/verify/rules.ts';
import type { IncomingReceipt, ReceiptStatus } from '../../src/core/verify/session.ts';
import type { Subscriber } from '../../src/core/webhooks/subscriber.ts';
import { engineReadsOver } from '../../src/db/cell-store.ts';
import type { Database } from '../../src/db/client.ts';
import { type EngineStore, engineReads, engineStore } from '../../src/db/engine-store.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { inside, type Reads } from '../../src/db/queryable.ts';
import { type AccountView, AccountViews } from '../../src/engine/accounts/views.ts';
import type { Answers, EngineSettings, Reports, WebhookOutbox } from '../../src/engine/context.ts';
import { Channels } from '../../src/engine/delivery/channels.ts';
import { type Engine, type EngineOptions, faceOf, openRooms, type Rooms } from '../../src/engine/engine.ts';
import { Conversation } from '../../src/engine/fleet/conversation.ts';
import { Fleet } from '../../src/engine/fleet/members.ts';
import { Peers } from '../../src/engine/fleet/peers.ts';
import { Pulse } from '../../src/engine/fleet/pulse.ts';
import type { SettledRequest } from '../../src/engine/verify/send.ts';
import { plainAccount } from './account.ts';
import { inCell, isCelled } from './cells.ts';
import { callReport, callTariff, receiptOf } from './session.ts';

export const ids = idSource({ now: Date.now, randomBytes });
export const codeKey = randomBytes(32);
const codeRingKey: RingKey = { id: 'k1', purpose: 'code', key: createSecretKey(codeKey) };
const sealKey: RingKey = { id: 's1', purpose: 'custom_code', key: createSecretKey(randomBytes(32)) };
export const codeRing: KeyRing = {
  current: (purpose) => (purpose === 'custom_code' ? sealKey : codeRingKey),
  next: () => undefined,
  has: () => true,
  byId: (id) => (id === sealKey.id ? sealKey : codeRingKey),
  all: () => [codeRingKey],
};

const wideLimits: EngineSettings['sendLimits'] = {
  perNumberPerHour: 100,
  perNumberPerDay: 1000,
  accountPerSecond: 100000,
  accountBurst: 100000,
  platformPerNumberPerHour: 300,
  platformPerNumberPerDay: 3000,
};

const { client: defaultClientLimits } = limitsSchema.parse({});
const enforced = Object.fromEntries(guardRules.map((rule) => [rule, 'enforce'])) as RuleModes;

/** Takes every message and answers as `answer` says; `live` false = no bind. */
export class ScriptedChannel implements Channel {
  readonly sent: OutgoingMessage[] = [];
  live = true;
  /** What a message costs at most; null = not known. */
  cost: string | null = '2.50';
  currency = 'DZD';
  answer: (message: OutgoingMessage) => Promise<SendOutcome> | SendOutcome = ({ id }) => ({
    kind: 'accepted',
    providerMessageId: `p-${id}`,
    reference: `p-${id}`,
    parts: 1,
    tariff: { currency: 'DZD', amountPerPart: '2.50', charged: 'submit', version: '1', validFrom: 0 },
  });
  readonly #name: string;

  constructor(name = 'sms') {
    this.#name = name;
  }

  plan({ senderId }: PlanRequest): Plan {
    return { kind: 'usable', route: `${this.#name}/atlas`, operator: 'atlas', senderId };
  }
  canSend(): boolean {
    return this.live;
  }
  routes(): string[] {
    return this.live ? [`${this.#name}/atlas`] : [];
  }
  ratePerSecond(): null {
    return null;
  }
  expectedCost() {
    return this.cost === null ? null : { amount: this.cost, currency: this.currency };
  }
  async reserve(): Promise<Place | null> {
    return this.live ? this.place() : null;
  }

  protected place(): Place {
    return {
      release: () => {},
      send: async (message) => {
        this.sent.push(message);
        return this.answer(message);
      },
    };
  }
}

/** One that has a place for whoever asks, without waiting. */
export class ReadyChannel extends ScriptedChannel {
  /** Places given and neither used nor given back. */
  taken = 0;

  reserveNow(): Place | null {
    if (!this.live) return null;
    const { send, release } = this.place();
    this.taken += 1;
    const left = <Result>(leave: () => Result): Result => {
      this.taken -= 1;
      return leave();
    };
    return { send: (message) => left(() => send(message)), release: () => left(release) };
  }
}

/** Makes calls that ring until the test says more. */
export class CallingChannel extends ScriptedChannel {
  readonly staysHere = true;
  readonly echoesMessageId = true;
  readonly stopped: [messageId: string, why: StopReason][] = [];
  override answer: ScriptedChannel['answer'] = () => ({
    kind: 'accepted',
    providerMessageId: null,
    reference: null,
    parts: 0,
    tariff: callTariff,
    call: callReport(),
  });

  constructor() {
    super('voice');
  }

  override plan(): Plan {
    return { kind: 'usable', route: 'voice/atlas', operator: null, senderId: null };
  }

  cancel(messageId: string, why: StopReason): void {
    this.stopped.push([messageId, why]);
  }
}

/** One operator, to whose numbers a live key may send. */
const sendSettings: SendSettings = {
  verify: verifySchema.parse({}),
  operators: [{ id: 'atlas', prefixes: ['+21355'] }],
  voice: null,
  sandbox: false,
  scenarioPrefix: null,
  service: { homeCountry: null },
};

export interface TestEngine {
  /** The face, and the rooms behind it. */
  engine: Engine & Rooms;
  settings: EngineSettings;
  channels: Channels;
  fleet: Fleet;
  /** With no bind slots. */
  pulse: Pulse;
  peers: Peers;
  /** Connected to nobody, unless the test does it. */
  conversation: Conversation;
  errors: unknown[];
  webhooks: { body: string; endpointId: string; storedAt: number }[];
}

/** Nobody renews the leases of these processes: they last for as long as a test may, and end by `fleet.leave()`. */
const leaseMs = 120_000;

/** The stores of a database; over cells, of each of them. */
function storesOf(database: Database<unknown>, now: () => number) {
  const readsOf = (cell: (pool: Reads) => Reads) =>
    engineReads({ reads: cell(inside(database.db)), lists: cell(database.lists) });
  if (!isCelled(database)) {
    const home = engineStore(database.lanes);
    return { home, leases: home, reads: readsOf((pool) => pool) };
  }
  const { map, cells } = database;
  const stores = new Map(cells.map(({ name }) => [name, engineStore(inCell(name, database.lanes))]));
  const all = [...stores.values()];
  const [home] = all as [EngineStore, ...EngineStore[]];
  // A process of a test has one lease, in all cells.
  const leases: EngineStore = {
    ...home,
    renewLease: async (...args) => (await Promise.all(all.map((store) => store.renewLease(...args))))[0] ?? [],
    endLease: async (...args) => void (await Promise.all(all.map((store) => store.endLease(...args)))),
  };
  const of = (cell: string) => readsOf((pool) => inCell(cell, pool));
  return {
    home,
    leases,
    reads: engineReadsOver({ map, of, now }),
    cells: {
      map,
      each: (fleet: EngineOptions['fleet']) => [...stores].map(([name, db]) => ({ name, db, fleet })),
    },
  };
}

/** One process's engine; its loops run only when the test runs them. */
export async function testEngine(
  database: Database<unknown>,
  options: {
    sms?: Channel;
    whatsapp?: Channel;
    voice?: Channel;
    /** With it the process hears the notices of others, until the end of the test. */
    url?: string;
    /** The deployment's budgets; default none. */
    budget?: BudgetLimits;
    processId?: string;
    rules?: Partial<Rules>;
    account?: Partial<AccountView>;
    /** Default: an account of defaults, with the endpoints that the database has when it is first needed. */
    accounts?: AccountViews;
    sendLimits?: Partial<EngineSettings['sendLimits']>;
    failureLimit?: Partial<EngineSettings['failureLimit']>;
    ruleModes?: Partial<RuleModes>;
    clientLimits?: Partial<ClientLimits>;
    observe?: EngineOptions['observe'];
    /** The part of the configuration that a send is held against. */
    settings?: Partial<SendSettings>;
    answers?: Answers;
    ring?: KeyRing;
    reports?: Reports;
    pumping?: EngineOptions['pumping'];
    /** Default: what is to be posted is kept for the test. */
    outbox?: WebhookOutbox;
    conversation?: Conversation;
    /** Its clock, by which its ids are made, too. Default: the machine's. */
    now?: () => number;
    /** Default: always. */
    mayTakeOver?: () => boolean;
  } = {},
): Promise<TestEngine> {
  const { now = Date.now } = options;
  const stores = storesOf(database, now);
  for (const { db } of isCelled(database) ? database.cells.map((cell) => cell.database) : [database])
    await ensurePartitions(db, Date.now(), 30);
  const errors: unknown[] = [];
  const webhooks: TestEngine['webhooks'] = [];
  const channels = new Channels();
  if (options.sms) channels.setLive('sms', options.sms);
  if (options.whatsapp) channels.setLive('whatsapp', options.whatsapp);
  if (options.voice) channels.setLive('voice', options.voice);
  const processId = options.processId ?? `p${ids('')}`;
  const fleet = new Fleet({ db: stores.leases, processId, now: Date.now, leaseMs });
  await fleet.renew();
  const log = { error: (fields: object) => void errors.push((fields as { err: unknown }).err), warn: () => {} };
  const peers = new Peers({ db: database.lanes, url: options.url ?? '', processId, log });
  if (options.url !== undefined) {
    const heard = once(peers.events, 'listening');
    peers.start();
    onTestFinished(() => peers.stop());
    await heard;
  }
  const { rules, failureLimit, sendLimits, conversation = new Conversation() } = options;
  const settings: EngineSettings = {
    rules: { ...defaultRules, ...rules },
    failureLimit: { failures: 10, windowMs: 3_600_000, failuresInRow: 100, ...failureLimit },
    sendLimits: { ...wideLimits, ...sendLimits },
    budget: options.budget ?? {},
    ruleModes: { ...enforced, ...options.ruleModes },
    clientLimits: { ...defaultClientLimits, ...options.clientLimits },
    config: { ...sendSettings, ...options.settings },
  };
  const own: EngineOptions['fleet'] = {
    processId,
    alive: 2,
    events: fleet.events,
    // The lease runs by the real clock, whatever the engine's shows.
    keptSince: (at) => fleet.keptSince(Date.now() - (now() - at)),
    get mayTakeOver() {
      return options.mayTakeOver?.() ?? true;
    },
  };
  const rooms = openRooms({
    db: stores.home,
    reads: stores.reads,
    ...(stores.cells ? { cells: { map: stores.cells.map, each: stores.cells.each(own) } } : {}),
    now,
    ids: options.now ? idSource({ now, randomBytes }) : ids,
    randomBytes,
    ring: options.ring ?? codeRing,
    settings,
    fleet: own,
    peers,
    conversation,
    channels,
    accounts:
      options.accounts ??
      new AccountViews({
        load: async (id, mode) => ({
          ...plainAccount,
          id,
          endpoints: await subscribersOf(database, id, mode),
          ...options.account,
        }),
      }),
    webhooks: options.outbox ?? {
      post: ({ deliveries, bodies, storedAt }) => {
        for (const { eventId, endpointId } of deliveries) {
          webhooks.push({ endpointId, storedAt, body: bodies.find(({ id }) => id === eventId)?.json ?? '' });
        }
      },
      commitUnknown: () => {},
      erased: () => {},
    },
    answers: options.answers ?? { sent: ({ id }) => ({ id }), checked: (checked) => checked },
    ...(options.reports ? { reports: options.reports } : {}),
    ...(options.pumping ? { pumping: options.pumping } : {}),
    log,
    observe: options.observe ?? {},
  });
  const slots = { leased: () => [], renewed: () => {} };
  const pulse = new Pulse({ db: stores.home, fleet, slots, loads: rooms.backlog });
  const face = faceOf(rooms);
  // No loop runs here and no lease is renewed: a test says when there is a cause to look.
  const sweep: Engine['sweep'] = async (kind) => {
    if (kind === 'claim') rooms.recovery.wantAll();
    await face.sweep(kind);
    if (kind === 'sweep') await rooms.recovery.takeOver(allShards, { own: true });
  };
  return {
    engine: { ...rooms, ...face, sweep },
    settings,
    channels,
    fleet,
    pulse,
    peers,
    conversation,
    errors,
    webhooks,
  };
}

/** Tells a process that another is gone. Its look through the shards ends with the test: it would take up what the next one leaves behind. */
export function tellGone({ fleet, engine }: TestEngine, gone: Pick<TestEngine, 'fleet'>): void {
  fleet.events.emit('gone', [gone.fleet.processId]);
  onTestFinished(() => engine.recovery.sweep());
}

async function subscribersOf(database: Database<unknown>, accountId: string, mode: string) {
  const { rows } = await sql<Subscriber>`select id, event_types as "eventTypes" from webhook_endpoint
    where account_id = ${accountId} and mode = ${mode} and enabled`.execute(database.db);
  return rows;
}

let number = 550_000_000;

/** A send by SMS alone to a number of its own. */
export function sendRequest(change: Partial<SettledRequest> = {}): SettledRequest {
  number += 1;
  return {
    accountId: ids('acct_'),
    mode: 'live',
    to: `+213${number}`,
    purpose: '',
    language: 'fr',
    codeLength: 6,
    code: null,
    ttlMs: 600_000,
    senderId: null,
    clientReference: '',
    metadata: null,
    autofill: {},
    wording: null,
    channel: null,
    asked: {},
    cascade: [{ channel: 'sms', timeoutMs: 15_000 }],
    idempotency: null,
    ...change,
  };
}

/** A receipt for what ScriptedChannel accepted. */
export function carrierReceipt(message: OutgoingMessage, status: ReceiptStatus): Parameters<ReceiptIntake['take']>[0] {
  const own = { errorCode: '000', providerMessageId: `p-${message.id}` };
  const receipt: IncomingReceipt = { ...receiptOf(status, Date.now()), ...own };
  return { operator: 'atlas', references: [`p-${message.id}`], number: message.to, receipt };
}
