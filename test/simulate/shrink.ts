// The shortening of a failing schedule: operations, faults and settings are left out one by one, for as long as the same promise is broken.
import type { Mutant } from './mutants.ts';
import type { Schedule } from './schedule.ts';
import { type Outcome, simulate } from './world.ts';

/** A complaint without its ids and counts: what must stay the same. */
export const kindOf = (complaint: string): string =>
  complaint.replace(/\b(vrf|msg|key)[_-]\w+/g, '$1').replace(/[+\d][\d,]*/g, 'N');

const mostRuns = 1_500;
/** What is left out shifts all that is drawn behind it, so each candidate is run with several lucks. */
const lucks = 8;

export async function shrink(
  failing: Schedule,
  mutant?: Mutant,
): Promise<{ schedule: Schedule; outcome: Outcome; runs: number }> {
  const run = (schedule: Schedule) => simulate(schedule, { ...(mutant ? { mutant } : {}), tell: true });
  let schedule = failing;
  let outcome = await run(schedule);
  const wanted = new Set(outcome.broken.map(kindOf));
  let runs = 1;
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const next of [...shorter(schedule)].flatMap(withLucks)) {
      if (runs >= mostRuns) return { schedule, outcome, runs };
      runs += 1;
      const tried = await run(next);
      if (!tried.broken.some((complaint) => wanted.has(kindOf(complaint)))) continue;
      schedule = next;
      outcome = tried;
      isShorter = true;
      break;
    }
  }
  return { schedule, outcome, runs };
}

const withLucks = (schedule: Schedule): Schedule[] =>
  Array.from({ length: lucks }, (_, n) => ({ ...schedule, luck: schedule.luck + n }));

/** Schedules that are one thing shorter or plainer. */
function* shorter(schedule: Schedule): Generator<Schedule> {
  const { operations, faults, settings } = schedule;
  for (const each of faults) yield { ...schedule, faults: faults.filter((fault) => fault !== each) };
  for (const each of operations)
    yield { ...schedule, operations: operations.filter((operation) => operation !== each) };
  if (settings.processes > 1) {
    const processes = settings.processes - 1;
    yield { ...schedule, settings: { ...settings, processes, skews: settings.skews.slice(0, processes) } };
  }
  if (settings.skews.some((skew) => skew !== 0)) {
    yield { ...schedule, settings: { ...settings, skews: settings.skews.map(() => 0) } };
  }
  if (settings.carrierTrouble > 0) yield { ...schedule, settings: { ...settings, carrierTrouble: 0 } };
  if (settings.hasOwners) yield { ...schedule, settings: { ...settings, hasOwners: false } };
  if (settings.cascade.length > 1) {
    yield { ...schedule, settings: { ...settings, cascade: settings.cascade.slice(0, 1) } };
  }
  for (const [index, operation] of operations.entries()) {
    const plainer = [
      operation.retries > 0 ? { retries: 0 } : null,
      operation.copies > 1 ? { copies: 1 } : null,
      operation.keyed ? { keyed: false } : null,
    ];
    for (const change of plainer) {
      if (change) yield { ...schedule, operations: operations.with(index, { ...operation, ...change }) };
    }
  }
}
