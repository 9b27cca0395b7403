// One simulated process: the engine's rooms, its lease, its slots and its loops, as app.ts puts them together.
import { createSecretKey } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Lifecycle } from '../../src/app/lifecycle.ts';
import type { KnownIntake } from '../../src/channels/channel.ts';
import { limitsSchema, verifySchema } from '../../src/config/service.ts';
import { idSource } from '../../src/core/ids.ts';
import type { KeyRing, RingKey } from '../../src/core/secrets/key-ring.ts';
import { defaultRules } from '../../src/core/verify/rules.ts';
import type { EngineReads, EngineStore } from '../../src/db/engine-store.ts';
import { type AccountView, AccountViews } from '../../src/engine/accounts/views.ts';
import { Channels } from '../../src/engine/delivery/channels.ts';
import {
  type CheckResult,
  type Engine,
  faceOf,
  openRooms,
  type SendResult,
  type Sweep,
  sweeps,
} from '../../src/engine/engine.ts';
import { Conversation } from '../../src/engine/fleet/conversation.ts';
import { Fleet } from '../../src/engine/fleet/members.ts';
import { Owners } from '../../src/engine/fleet/owners.ts';
import type { PeerEvents, StopNotice } from '../../src/engine/fleet/peers.ts';
import { Pulse } from '../../src/engine/fleet/pulse.ts';
import { Slots } from '../../src/engine/fleet/slots.ts';
import { Routing } from '../../src/engine/routing.ts';
import { isDoneWithin } from '../../src/time/alarm.ts';
import { onDemand, Wakeup } from '../../src/time/on-demand.ts';
import { untilStored } from '../../src/time/repeat.ts';
import { plainAccount } from '../support/account.ts';
import { appDeliveryMs, SimulatedApp } from './app-channel.ts';
import { operatorIds, prefixOf } from './carrier.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { Settings } from './schedule.ts';
import { SimulatedSms, type Wire } from './sms-channel.ts';
import { callsMs, Door, drainMs } from './stopping.ts';
import type { Host, VirtualTime } from './time.ts';
import { SimulatedVoice } from './voice-channel.ts';

const codeRingKey: RingKey = { id: 'k1', purpose: 'code', key: createSecretKey(Buffer.alloc(32, 7)) };
const ring: KeyRing = {
  current: () => codeRingKey,
  next: () => undefined,
  has: () => true,
  byId: () => codeRingKey,
  all: () => [codeRingKey],
};

const verify = verifySchema.parse({});
const limits = limitsSchema.parse({});
const config = {
  verify,
  operators: operatorIds.map((id) => ({ id, prefixes: [prefixOf(id)] })),
  voice: null,
  sandbox: false,
  scenarioPrefix: null,
  service: { homeCountry: null },
};

/** What the second endpoint of the account wants; the first one wants everything. */
export const endTypes: readonly string[] = ['session.verified', 'session.failed', 'session.expired', 'number.locked'];

const account: AccountView = {
  ...plainAccount,
  language: 'fr',
  endpoints: [
    { id: 'whe_all', eventTypes: [] },
    { id: 'whe_ends', eventTypes: endTypes },
  ],
};

export const failureWindowMs = 20_000;
export const inDoubtMs = 1_000;

export interface ProcessOptions {
  time: VirtualTime;
  host: Host;
  random: Random;
  settings: Settings;
  store: EngineStore & EngineReads;
  wire: Omit<Wire, 'host' | 'intake' | 'random'>;
  /** A notice to another process: whether and when it arrives is the network's. */
  tell(processId: string, notice: StopNotice): void;
  /** To all, that a message waits for a route. */
  announce(route: string): void;
  network: Network;
  /** What this process has done, whoever was asked. */
  onDone(done: Done): void;
  /** For the mutant without ids of calls. */
  forgetsOperations: boolean;
  /** For the mutant whose leases end before what they protect. */
  endsLeasesFirst: boolean;
}

/** A call that a process has done, with the id of the call where another one may have done it, too. */
export interface Done {
  operation: string | null;
  kind: 'send' | 'check';
  answer: { kind: 'answered'; result: SendResult | CheckResult } | { kind: 'failed' };
}

export interface SimulatedProcess {
  id: string;
  host: Host;
  /** The face by which clients call. */
  face: Engine;
  intake: KnownIntake;
  sms: SimulatedSms;
  peerEvents: EventEmitter<PeerEvents>;
  /** Ends it as SIGTERM does. Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Call as the process (`time.as`): its loops run from then on. */
export function startProcess(options: ProcessOptions): SimulatedProcess {
  const { time, host, random, settings, store, endsLeasesFirst } = options;
  const now = () => time.read(host);
  const id = host.name;
  const randomBytes = (size: number) => random.bytes(size);
  const channels = new Channels();
  const wire: Wire = { ...options.wire, host, random, intake: () => intake };
  const sms = new SimulatedSms(wire);
  channels.setLive('sms', sms);
  const voice = new SimulatedVoice(wire);
  channels.setLive('voice', voice);
  channels.setLive('whatsapp', new SimulatedApp(wire));
  const fleet = new Fleet({ db: store, processId: id, now });
  const slots = new Slots({ db: store, fleet, now, binds: sms });
  const peerEvents = new EventEmitter<PeerEvents>();
  const conversation = new Conversation();
  const ids = idSource({ now, randomBytes: (size) => randomBytes(Math.min(size, 480)) });
  const rooms = openRooms({
    db: store,
    reads: store,
    now,
    ids,
    randomBytes,
    ring,
    settings: {
      rules: {
        ...defaultRules,
        maxAttempts: settings.maxAttempts,
        maxSends: settings.maxSends,
        resendIntervalMs: settings.resendIntervalMs,
        minimumRemainingMs: 2_000,
        legMs: { min: 1_000, max: 60_000 },
        inDoubtMs,
        appDeliveryMs,
      },
      failureLimit: { failures: settings.failures, windowMs: failureWindowMs, failuresInRow: 100 },
      budget: settings.budget,
      sendLimits: {
        perNumberPerHour: settings.perNumber,
        perNumberPerDay: settings.perNumber * 2,
        platformPerNumberPerHour: settings.platformPerNumber,
        platformPerNumberPerDay: settings.platformPerNumber * 2,
        accountPerSecond: settings.accountPerSecond,
        accountBurst: settings.accountBurst,
      },
      ruleModes: limits.rules,
      clientLimits: limits.client,
      config: { ...config, verify: { ...verify, ttlSeconds: { ...verify.ttlSeconds, default: settings.ttlSeconds } } },
    },
    fleet,
    conversation,
    peers: { tell: options.tell, announce: options.announce, events: peerEvents, ignored: 0 },
    channels,
    accounts: new AccountViews({
      load: async (accountId) => ({ ...account, id: accountId, cascade: settings.cascade }),
    }),
    webhooks: { post: () => {}, commitUnknown: () => {}, erased: () => {} },
    answers: {
      sent: ({ id: session, sends }) => ({ id: session, sends }),
      checked: ({ valid, reason, attemptsRemaining }) => ({ valid, reason, attemptsRemaining }),
    },
    log: { error: () => {} },
    observe: {},
  });
  const engine = observed(faceOf(rooms), options);
  const { checker, receipts, references, stuckOwners, calls } = rooms;
  const owners = new Owners({ db: store, fleet, conversation, log: { error: () => {} } });
  const routing = new Routing({
    face: engine,
    checker,
    receipts,
    references,
    stuckOwners,
    calls,
    processId: id,
    conversation,
    owners,
    ids,
  });
  const door = new Door();
  const face = behind(door, settings.hasOwners ? routing.face() : engine);
  const intake = settings.hasOwners ? routing.intake() : receipts;
  const leases: { stop(): Promise<void> }[] = [];
  const loops: { stop(): Promise<void> }[] = [];
  const port = settings.hasOwners ? options.network.open(host, (body) => conversation.work(body)) : null;
  // In the order of app.ts.
  const life = new Lifecycle(
    [
      { name: 'fleet', stop: () => fleet.leave() },
      { name: 'leases', stop: () => Promise.all(leases.map((loop) => loop.stop())) },
      { name: 'budgets', stop: () => isDoneWithin(rooms.budgets.close(), drainMs) },
      { name: 'deadlines', stop: async () => rooms.deadlines.stop() },
      { name: 'bind slots', start: configure, stop: () => slots.release() },
      { name: 'peer port', start: async () => port && conversation.connect(port), stop: async () => port?.close() },
      { name: 'engine', stop: () => engine.drain(drainMs) },
      { name: 'loops', start: async () => startLoops(), stop: () => Promise.all(loops.map((loop) => loop.stop())) },
      { name: 'api', stop: () => Promise.allSettled([door.close(drainMs), voice.drain(callsMs)]) },
      // What fails at the beginning is done by a tick.
      {
        name: 'shards',
        start: async () => port && owners.begin(`${id}:1`, port).catch(() => {}),
        stop: async () => port && owners.leave(),
      },
    ],
    { onError: () => {} },
  );
  // What is awaited in it is this process's, and goes with it.
  const started = new Promise<void>((resolve) => setImmediate(resolve)).then(() => life.start());
  return { id, host, face, intake, sms, peerEvents, stop: () => started.then(() => life.stop()) };

  async function configure(): Promise<void> {
    await untilStored(
      () => slots.configure(new Map(Object.entries(settings.binds))),
      () => {},
    );
    peerEvents.emit('listening');
  }

  /** As loops.ts, with longer pauses: a sweep that finds nothing is most of a simulation's work. */
  function startLoops(): void {
    const pulse = new Pulse({ db: store, fleet, slots, loads: rooms.backlog });
    const someParked = new Wakeup();
    pulse.events.on('found', ({ parkedMs }) => {
      if (parkedMs !== null) someParked.set();
    });
    const loop = (options: Omit<Parameters<typeof onDemand>[0], 'onError'>, group = loops) =>
      void group.push(onDemand({ ...options, onError: () => {} }));
    const every = (everyMs: number, work: () => Promise<unknown>) => {
      const distanceMs = everyMs + random.between(0, 50);
      loop({ distanceMs, run: () => work().then(() => distanceMs) });
    };
    const whenWoken = (wakeup: Wakeup, distanceMs: number, work: () => Promise<unknown>) =>
      loop({ wakeup, distanceMs, run: () => work().then(() => null) });
    loop({ distanceMs: 10, afterErrorMs: 250, run: () => pulse.beat() }, endsLeasesFirst ? loops : leases);
    whenWoken(slots.unbalanced, 100, () => slots.balance());
    whenWoken(someParked, 500, () => rooms.receipts.retryParked(pulse.last?.parkedMs ?? null));
    loop({ wakeup: rooms.budgets.due, distanceMs: 1_000, run: () => rooms.budgets.run() });
    whenWoken(rooms.routeLoads.wanted, 1_000, () => rooms.routeLoads.read());
    const kinds = Object.keys(sweeps) as Sweep[];
    every(settings.loopMs, () => Promise.all([slots.expire(), ...kinds.map((kind) => engine.sweep(kind))]));
    if (port) every(1_000, () => owners.tick());
  }
}

/** The face as clients reach it. */
const behind = (door: Door, face: Engine): Engine => ({
  ...face,
  send: (request) => door.through(() => face.send(request)),
  check: (request) => door.through(() => face.check(request)),
  cancel: (request) => door.through(() => face.cancel(request)),
});

/** The work itself as this process does it, watched. */
function observed(face: Engine, { onDone, forgetsOperations }: ProcessOptions): Engine {
  const watched =
    <Request extends { operation?: string }, Result extends SendResult | CheckResult>(
      kind: Done['kind'],
      work: (request: Request) => Promise<Result>,
    ) =>
    async (request: Request): Promise<Result> => {
      const operation = request.operation ?? null;
      const { operation: _forgotten, ...rest } = request;
      const asked = forgetsOperations ? (rest as Request) : request;
      try {
        const result = await work(asked);
        onDone({ operation, kind, answer: { kind: 'answered', result } });
        return result;
      } catch (error) {
        onDone({ operation, kind, answer: { kind: 'failed' } });
        throw error;
      }
    };
  return { ...face, send: watched('send', face.send), check: watched('check', face.check) };
}
