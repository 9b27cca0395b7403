// A schedule: everything that a simulation is to do, drawn from its seed before it begins, as plain data. So a failing one can be made
// short by leaving operations and faults out.
import type { BudgetLimits } from '../../src/core/limits/budget.ts';
import type { Leg } from '../../src/core/verify/session.ts';
import { type OperatorId, operatorIds, prefixOf } from './carrier.ts';
import type { StatementFault } from './database.ts';
import { type Random, seeded } from './random.ts';

interface Timed {
  /** Ms from the start. */
  at: number;
  /** Its own stream of chance, and its name in the history. */
  id: number;
}

export interface Operation extends Timed {
  kind: 'send' | 'check' | 'cancel';
  /** The number, E.164. */
  to: string;
  /** Of a check: the code of the latest message on the phone, another one, or the one before it. */
  code: 'right' | 'wrong' | 'older';
  /** Whether a check names the session, or the number. */
  byId: boolean;
  keyed: boolean;
  /** How often the client tries again where it got no answer. */
  retries: number;
  /** Tries sent at the same time, each to another process. */
  copies: number;
}

export type FaultKind = 'kill' | 'stop' | 'freeze' | 'database' | 'cut' | 'slow' | 'clock' | 'lease' | 'operator';

export interface Fault extends Timed {
  kind: FaultKind;
  /** Index of the process; of `database` -1 = all. */
  process: number;
  /** Of `operator`. */
  operator: OperatorId;
  forMs: number;
  statement: StatementFault;
  /** Which statements of the database it hits. */
  only: 'openSessions' | 'saveSessions' | null;
  share: number;
}

export interface Settings {
  processes: number;
  /** That codes are sent to. */
  numbers: string[];
  /** Binds of each operator. */
  binds: Partial<Record<OperatorId, number>>;
  /** How far the clock of each process is ahead, ms. */
  skews: number[];
  /** Pause of the background loops, ms. */
  loopMs: number;
  maxAttempts: number;
  maxSends: number;
  resendIntervalMs: number;
  failures: number;
  perNumber: number;
  platformPerNumber: number;
  accountPerSecond: number;
  accountBurst: number;
  /** Of the account; without any most schedules. */
  budget: BudgetLimits;
  /** Share of submits whose answer is not a plain acceptance, and of receipts that are not a plain delivery. */
  carrierTrouble: number;
  /** How long answers of operators are waited for, and how late those may be that come in time. */
  answerTimeoutMs: number;
  slowestAnswerMs: number;
  /** Whether processes have peer ports, and calls go to the owners of their numbers. */
  hasOwners: boolean;
  cascade: Leg[];
  ttlSeconds: number;
  /** Whether timers ring to the moment and computing takes no time; else both are as under Node. */
  isTimeExact: boolean;
}

export interface Schedule {
  seed: number;
  /** What is drawn while it runs (delays, the operator's moods) is drawn from this. */
  luck: number;
  settings: Settings;
  operations: Operation[];
  faults: Fault[];
}

const sms = { channel: 'sms' as const };
const voice = { channel: 'voice' as const };

/** One cascade in four has a leg by WhatsApp behind its first: one shorter than its platform's time, or one longer. */
function withApp(cascade: readonly Leg[], random: Random): Leg[] {
  const [first, ...others] = cascade as [Leg, ...Leg[]];
  if (!random.chance(0.25)) return [first, ...others];
  return [first, { channel: 'whatsapp', timeoutMs: random.pick([1_000, 3_000]) }, ...others];
}

export function drawSchedule(seed: number, processes: number): Schedule {
  const random = seeded(seed, 'schedule');
  const settings = {
    ...drawSettings(random, processes, seeded(seed, 'app')),
    ...drawOperators(seeded(seed, 'operators'), processes),
    ...drawAnswers(seeded(seed, 'answers')),
    budget: drawBudget(seeded(seed, 'budget')),
    isTimeExact: seeded(seed, 'time').chance(0.5),
  };
  const spanMs = random.pick([1_500, 4_000, 9_000]);
  const operations = Array.from({ length: random.between(3, 12) }, (_, id) =>
    drawOperation(random, id, spanMs, settings),
  );
  const faults = Array.from({ length: random.between(0, 4) }, (_, id) =>
    drawFault(random, id, spanMs, { settings, operations }),
  );
  const inTime = (a: Timed, b: Timed) => a.at - b.at;
  return { seed, luck: seed, settings, operations: operations.sort(inTime), faults: faults.sort(inTime) };
}

/** In one schedule of three there are two operators, with a number of each at least. */
function drawOperators(random: Random, processes: number): Pick<Settings, 'numbers' | 'binds'> {
  const operators = random.chance(0.35) ? operatorIds : operatorIds.slice(0, 1);
  const count = operators.length - 1 + random.pick([1, 1, 2, 3]);
  const numbers = Array.from(
    { length: count },
    (_, n) => `${prefixOf(operators[n % operators.length] as OperatorId)}000000${n}`,
  );
  return { numbers, binds: Object.fromEntries(operators.map((id) => [id, random.between(1, processes)])) };
}

/** In one schedule of five answers are waited for as long as usual, longer than a lease, and in half of those many are that late. */
function drawAnswers(random: Random): Pick<Settings, 'answerTimeoutMs' | 'slowestAnswerMs'> {
  if (random.chance(0.8)) return { answerTimeoutMs: 2_000, slowestAnswerMs: 40 };
  return { answerTimeoutMs: 10_000, slowestAnswerMs: random.pick([40, 8_000]) };
}

/** Little enough to be exhausted by a few sends, in three schedules of ten. */
function drawBudget(random: Random): BudgetLimits {
  if (random.chance(0.7)) return {};
  return {
    ...(random.chance(0.6) ? { sendsPerHour: random.between(1, 8) } : {}),
    ...(random.chance(0.6) ? { spendPerDay: { DZD: random.pick(['5', '12.5', '30']) } } : {}),
  };
}

/** What has a stream of chance of its own. */
type Apart = 'numbers' | 'binds' | 'answerTimeoutMs' | 'slowestAnswerMs' | 'budget' | 'isTimeExact';

function drawSettings(random: Random, processes: number, app: Random): Omit<Settings, Apart> {
  const skewed = random.chance(0.3);
  const timeoutMs = random.pick([1_000, 3_000]);
  const cascades: Leg[][] = [
    [{ ...sms, timeoutMs }],
    [{ ...sms, timeoutMs }],
    [
      { ...sms, timeoutMs },
      { ...voice, timeoutMs: 3_000 },
    ],
    [
      { ...voice, timeoutMs: 3_000 },
      { ...sms, timeoutMs },
    ],
  ];
  return {
    processes,
    skews: Array.from({ length: processes }, () => (skewed ? random.between(-800, 800) : 0)),
    loopMs: random.pick([400, 1_000]),
    maxAttempts: random.pick([2, 3, 5]),
    maxSends: random.pick([2, 3, 5]),
    resendIntervalMs: random.pick([500, 1_000, 3_000]),
    failures: random.pick([3, 5, 10]),
    perNumber: random.pick([2, 4, 10]),
    platformPerNumber: random.pick([3, 10, 30]),
    accountPerSecond: random.pick([1, 50]),
    accountBurst: random.pick([3, 50]),
    carrierTrouble: random.pick([0, 0.2, 0.6]),
    hasOwners: random.chance(0.7),
    cascade: withApp(random.pick(cascades), app),
    ttlSeconds: random.pick([4, 4, 9]),
  };
}

function drawOperation(random: Random, id: number, spanMs: number, { numbers }: Settings): Operation {
  const kind = random.weighted({ send: 4, check: 6, cancel: 0.7 });
  const first = id < 2;
  return {
    id,
    at: first ? random.between(0, 500) : random.between(0, spanMs),
    kind: first ? 'send' : kind,
    to: random.pick(numbers),
    code: random.weighted({ right: 5, wrong: 4, older: 1 }),
    byId: random.chance(0.5),
    keyed: random.chance(0.5),
    retries: random.pick([0, 1, 3]),
    copies: random.chance(0.15) ? 2 : 1,
  };
}

/** Half of the faults come right behind the beginning of an operation, where most is under way. */
function drawFault(
  random: Random,
  id: number,
  spanMs: number,
  { settings: { processes, binds }, operations }: Pick<Schedule, 'settings' | 'operations'>,
): Fault {
  const kind = random.weighted({
    kill: 3,
    stop: 3,
    freeze: 4,
    database: 4,
    cut: 2,
    slow: 2,
    clock: 1,
    lease: 2,
    operator: 2,
  });
  return {
    id,
    at: random.chance(0.5) ? random.pick(operations).at + random.between(0, 30) : random.between(0, spanMs + 2_000),
    kind,
    process: kind === 'database' && random.chance(0.5) ? -1 : random.between(0, processes - 1),
    forMs: random.pick([50, 400, 2_000, 5_000]),
    statement: random.weighted({ stalled: 2, refused: 2, answer_lost: 4, late: 2 }),
    share: random.pick([0.1, 0.5, 1]),
    only: random.pick([null, null, 'openSessions', 'saveSessions']),
    operator: random.pick(Object.keys(binds) as OperatorId[]),
  };
}
