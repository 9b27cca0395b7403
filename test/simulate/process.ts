// One simulated process: the engine's rooms, its lease, its slots and its loops, as app.ts puts them together.
import { createSecretKey } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { verifySchema } from '../../src/config/service.ts';
import { idSource } from '../../src/core/ids.ts';
import type { KeyRing, RingKey } from '../../src/core/secrets/key-ring.ts';
import { defaultRules } from '../../src/core/verify/rules.ts';
import type { EngineReads, EngineStore } from '../../src/db/engine-store.ts';
import { type AccountView, AccountViews } from '../../src/engine/accounts/views.ts';
import { Channels } from '../../src/engine/delivery/channels.ts';
import { type Engine, faceOf, openRooms, type Rooms, type Sweep, sweeps } from '../../src/engine/engine.ts';
import { Conversation } from '../../src/engine/fleet/conversation.ts';
import { Fleet } from '../../src/engine/fleet/members.ts';
import type { PeerEvents, StopNotice } from '../../src/engine/fleet/peers.ts';
import { Pulse } from '../../src/engine/fleet/pulse.ts';
import { Slots } from '../../src/engine/fleet/slots.ts';
import { onDemand, Wakeup } from '../../src/time/on-demand.ts';
import { plainAccount } from '../support/account.ts';
import { operator } from './carrier.ts';
import { SimulatedSms, SimulatedVoice, type Wire } from './channels.ts';
import type { Random } from './random.ts';
import type { Settings } from './schedule.ts';
import type { Host, VirtualTime } from './time.ts';

const codeRingKey: RingKey = { id: 'k1', purpose: 'code', key: createSecretKey(Buffer.alloc(32, 7)) };
const ring: KeyRing = {
  current: () => codeRingKey,
  has: () => true,
  byId: () => codeRingKey,
  all: () => [codeRingKey],
};

const config = {
  verify: verifySchema.parse({}),
  operators: [{ id: operator, prefixes: ['+21355'] }],
  voice: null,
  sandbox: false,
  scenarioPrefix: null,
  service: { homeCountry: null },
};

const account: AccountView = { ...plainAccount, language: 'fr', endpoints: [{ id: 'whe_all', eventTypes: [] }] };

export const failureWindowMs = 20_000;

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
}

export interface SimulatedProcess {
  id: string;
  host: Host;
  engine: Engine & Rooms;
  sms: SimulatedSms;
  peerEvents: EventEmitter<PeerEvents>;
}

/** Call as the process (`time.as`): its loops run from then on. */
export function startProcess(options: ProcessOptions): SimulatedProcess {
  const { time, host, random, settings, store } = options;
  const now = () => time.clockOf(host);
  const id = host.name;
  const randomBytes = (size: number) => random.bytes(size);
  const channels = new Channels();
  const wire: Wire = { ...options.wire, host, random, intake: () => rooms.receipts };
  const sms = new SimulatedSms(wire);
  channels.setLive('sms', sms);
  channels.setLive('voice', new SimulatedVoice(wire));
  const fleet = new Fleet({ db: store, processId: id, now });
  const slots = new Slots({ db: store, fleet, now, binds: sms });
  const peerEvents = new EventEmitter<PeerEvents>();
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
      },
      failureLimit: { failures: settings.failures, windowMs: failureWindowMs, failuresInRow: 100 },
      sendLimits: {
        perNumberPerHour: settings.perNumber,
        perNumberPerDay: settings.perNumber * 2,
        platformPerNumberPerHour: settings.platformPerNumber,
        platformPerNumberPerDay: settings.platformPerNumber * 2,
        accountPerSecond: settings.accountPerSecond,
        accountBurst: settings.accountBurst,
      },
      config,
    },
    fleet,
    conversation: new Conversation(),
    peers: { tell: options.tell, announce: options.announce, events: peerEvents, ignored: 0 },
    channels,
    accounts: new AccountViews({ load: async (accountId) => ({ ...account, id: accountId }) }),
    webhooks: { post: () => {}, commitUnknown: () => {} },
    answers: {
      sent: ({ id: session, sends }) => ({ id: session, sends }),
      checked: ({ valid, reason, attemptsRemaining }) => ({ valid, reason, attemptsRemaining }),
    },
    log: { error: () => {} },
    observe: {},
  });
  const engine = { ...rooms, ...faceOf(rooms) };
  void run();
  return { id, host, engine, sms, peerEvents };

  /** As app.ts starts and loops.ts goes on, with longer pauses: a sweep that finds nothing is most of a simulation's work. */
  async function run(): Promise<void> {
    const pulse = new Pulse({ db: store, fleet, slots, loads: rooms.backlog });
    const someParked = new Wakeup();
    pulse.events.on('found', ({ parkedMs }) => {
      if (parkedMs !== null) someParked.set();
    });
    const loop = (options: Omit<Parameters<typeof onDemand>[0], 'onError'>) =>
      onDemand({ ...options, onError: () => {} });
    const every = (everyMs: number, work: () => Promise<unknown>) => {
      const distanceMs = everyMs + random.between(0, 50);
      loop({ distanceMs, run: () => work().then(() => distanceMs) });
    };
    const whenWoken = (wakeup: Wakeup, distanceMs: number, work: () => Promise<unknown>) =>
      loop({ wakeup, distanceMs, run: () => work().then(() => null) });
    for (;;) {
      const isUp = await slots.configure(new Map([[operator, settings.binds]])).then(
        () => true,
        () => false,
      );
      if (isUp) break;
      await new Promise<void>((resolve) => setTimeout(resolve, 250));
    }
    peerEvents.emit('listening');
    loop({ distanceMs: 10, afterErrorMs: 250, run: () => pulse.beat() });
    every(400, () => slots.expire());
    whenWoken(slots.unbalanced, 100, () => slots.balance());
    whenWoken(someParked, 500, () => rooms.receipts.retryParked(pulse.last?.parkedMs ?? null));
    whenWoken(rooms.routeLoads.wanted, 1_000, () => rooms.routeLoads.read());
    for (const kind of Object.keys(sweeps) as Sweep[])
      every(Math.max(sweeps[kind], settings.loopMs), () => engine.sweep(kind));
  }
}
