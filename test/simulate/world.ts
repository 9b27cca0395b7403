// The world of one schedule: processes, the network between them, the store, the operator and the clients, on one virtual time. `simulate` runs
// it until all is quiet and says which promises were broken.
import type { StopNotice } from '../../src/engine/fleet/peers.ts';
import { Operators, smsRouteOf } from './carrier.ts';
import { type Call, Clients } from './clients.ts';
import { SimulatedDatabase } from './database.ts';
import { Faults } from './faults.ts';
import { gapOf } from './gaps.ts';
import type { Mutant } from './mutants.ts';
import { Network } from './network.ts';
import { type Done, type SimulatedProcess, startProcess } from './process.ts';
import { atTheEnd, onAnswer, onTaken, whileItRuns } from './promises.ts';
import { hash, type Random, seeded } from './random.ts';
import { Receipts } from './receipts.ts';
import type { Schedule } from './schedule.ts';
import { memoryStore } from './store/store.ts';
import { createTables, type Tables } from './store/tables.ts';
import { VirtualTime } from './time.ts';

export interface Outcome {
  /** What was broken, in words; empty where every promise was kept. */
  broken: string[];
  /** Complaints that are explained by a known gap (gaps.ts). */
  known: string[];
  /** Of everything that happened, in its order. */
  trace: number;
  steps: number;
  /** Virtual ms. */
  lastedMs: number;
  /** Faults that hit something, by their kind. */
  faults: Record<string, number>;
  calls: number;
  /** What happened, where it was asked for. */
  history: string[];
}

export interface World {
  time: VirtualTime;
  startsAt: number;
  schedule: Schedule;
  tables: Tables;
  operators: Operators;
  clients: Clients;
  receipts: Receipts;
  /** What processes have done of calls that have an id, by the id. */
  done: Map<string, Done[]>;
  /** Statuses of sessions that are over, by id. */
  over: Map<string, string>;
  /** Since when messages are in doubt, by id. */
  givenUp: Map<string, number>;
}

const startsAt = Date.UTC(2030, 0, 1);
/** Between two readings of a clock. */
const mostWorkMs = 0.1;
/** The longest a session can last after the last operation, and a sweep or two. */
const mostMs = 90_000;

export async function simulate(
  schedule: Schedule,
  { mutant, tell = false }: { mutant?: Mutant; tell?: boolean } = {},
): Promise<Outcome> {
  const luck = seeded(schedule.luck, 'time');
  const inexact = { earlyMs: () => luck.next(), workMs: () => luck.next() * mostWorkMs };
  const time = new VirtualTime(startsAt, schedule.settings.isTimeExact ? null : inexact);
  const restore = time.install();
  const history: string[] = [];
  let trace = hash(String(schedule.seed));
  const note = (text: string) => {
    trace = hash(`${Math.round((time.now - startsAt) * 1000)} ${text}`, trace);
    if (tell) history.push(`${String(Math.round(time.now - startsAt)).padStart(6)} ms  ${text}`);
  };
  const happenings: Record<string, number> = {};
  const happened = (kind: string) => {
    happenings[kind] = (happenings[kind] ?? 0) + 1;
  };
  const broken: string[] = [];
  const known: string[] = [];
  const isBroken = (what: string) => {
    if (gapOf(what)) {
      known.push(what);
      return;
    }
    if (!broken.includes(what)) note(`BROKEN: ${what}`);
    broken.push(what);
  };
  const unhandled = (error: unknown) => isBroken(`a process would end: ${String(error)}`);
  process.on('unhandledRejection', unhandled);
  // Many statements fail on purpose, and nobody reads where.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const random = (purpose: string): Random => seeded(schedule.luck, purpose);
    const tables = createTables(() => time.now);
    const network = new Network({ time, random: random('network'), onFault: happened });
    const operators = new Operators(random('operator'), schedule.settings);
    const plain = memoryStore(tables);
    const verbs = mutant?.verbs?.(plain, tables) ?? plain;
    const database = new SimulatedDatabase({
      time,
      verbs,
      random: random('database'),
      ...(mutant?.answerEarly ? { answerEarly: mutant.answerEarly } : {}),
      onCommit: (verb) => {
        note(verb);
        if (verb === 'saveSessions' || verb === 'openSessions') whileItRuns(world, isBroken);
      },
      onFault: happened,
    });
    const processes = new Map<string, SimulatedProcess>();
    const running = () => [...processes.values()].filter(({ host }) => host.state !== 'dead');
    /** Frozen ones, too: a balancer notices late. */
    const clients = new Clients({
      time,
      schedule,
      operators,
      processes: running,
      onAnswer: (call) => {
        note(toText(call));
        onAnswer(world, call, isBroken);
      },
    });
    const receipts = new Receipts({
      time,
      random: random('receipts'),
      bound: (operator) => running().filter(({ sms }) => operator === 'whatsapp' || sms.canSend(smsRouteOf(operator))),
      acknowledgesEarly: mutant?.acknowledgesEarly ?? false,
    });
    const world: World = {
      time,
      startsAt,
      schedule,
      tables,
      operators,
      clients,
      receipts,
      done: new Map(),
      over: new Map(),
      givenUp: new Map(),
    };
    const onDone = (done: Done) => {
      if (done.operation === null) return;
      const before = world.done.get(done.operation) ?? [];
      if (before.length > 0) happened('done_twice');
      world.done.set(done.operation, [...before, done]);
    };

    const tellProcess = (to: string, notice: StopNotice) => {
      const process = processes.get(to);
      network.say(time.current?.name ?? '', process?.host, () => process?.peerEvents.emit('stop', notice));
    };
    const announce = (route: string) => {
      const from = time.current?.name ?? '';
      for (const { host, peerEvents } of processes.values())
        network.say(from, host, () => peerEvents.emit('waits', { kind: 'waits', route }));
    };

    const start = (name: string, skewMs: number) => {
      const host = { name, state: 'running' as const, skewMs };
      const wire = {
        time,
        operators,
        receipts: receipts.give.bind(receipts),
        answerTimeoutMs: schedule.settings.answerTimeoutMs,
        taken: (message) => {
          note(`the carrier takes ${message.id}`);
          onTaken(world, { message, writer: name }, isBroken);
        },
        heard: mutant?.heard ?? ((outcome) => outcome),
      } satisfies Parameters<typeof startProcess>[0]['wire'];
      const { settings } = schedule;
      const options = {
        time,
        host,
        random: random(`process ${name}`),
        settings,
        store: database.connect(),
        wire,
        tell: tellProcess,
        announce,
        network,
        onDone,
        forgetsOperations: mutant?.forgetsOperations ?? false,
        endsLeasesFirst: mutant?.endsLeasesFirst ?? false,
      };
      processes.set(
        name,
        time.as(host, () => startProcess(options)),
      );
    };

    const { skews } = schedule.settings;
    for (const [index, skewMs] of skews.entries()) start(`p${index}`, skewMs);
    clients.start();
    const hit = { time, processes, clients, receipts, network, operators, database, tables, note, happened, start };
    const faults = new Faults(hit);
    for (const fault of schedule.faults) time.after(fault.at, null, () => faults.inject(fault));

    const lastAt = Math.max(
      0,
      ...schedule.operations.map(({ at }) => at),
      ...schedule.faults.map(({ at, forMs }) => at + forMs),
    );
    const until = startsAt + lastAt + mostMs;
    let quietAt = Number.POSITIVE_INFINITY;
    const isIdle = () => clients.busy === 0 && receipts.waiting === 0 && database.late === 0;
    const look = () => {
      const isStillNow = time.now > startsAt + lastAt && isIdle() && isStill(tables);
      if (!isStillNow) quietAt = Number.POSITIVE_INFINITY;
      else if (quietAt === Number.POSITIVE_INFINITY) quietAt = time.now;
      time.after(500, null, look);
    };
    time.after(500, null, look);
    // A second more, so that what is late or repeated shows.
    const isQuiet = () => time.now > quietAt + 1_000 && isIdle();
    await time.run(() => broken.length > 0 || time.now > until || isQuiet());
    if (broken.length === 0) atTheEnd(world, isBroken);
    return {
      broken,
      known,
      trace,
      steps: time.steps,
      lastedMs: time.now - startsAt,
      faults: happenings,
      calls: clients.calls.length,
      history,
    };
  } finally {
    process.off('unhandledRejection', unhandled);
    Error.stackTraceLimit = stackTraceLimit;
    restore();
  }
}

/** Whether nothing is pending or on its way out. */
function isStill({ sessions }: Tables): boolean {
  for (const { session, messages } of sessions.values()) {
    if (session.nextAt !== null) return false;
    for (const { status, holder } of messages.values()) {
      if (status === 'queued' || status === 'submitting' || holder !== null) return false;
    }
  }
  return true;
}

function toText({ operation, process, key, typed, answer }: Call): string {
  const what = `${operation.kind} ${operation.id}${operation.kind === 'check' ? (typed ? ' right' : ' wrong') : ''}`;
  const said = answer?.kind === 'answered' ? JSON.stringify(brief(answer.result)) : (answer?.kind ?? '');
  return `${what} at ${process}${key ? ' keyed' : ''}: ${said}`;
}

function brief(result: object): object {
  const { session, checked, ...rest } = result as { session?: { id: string; status: string }; checked?: object };
  return { ...rest, ...checked, ...(session ? { session: session.id.slice(-4), status: session.status } : {}) };
}
