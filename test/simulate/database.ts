// The way to the store and back: every statement takes its time, may wait, may fail before it is committed, and its answer may be lost
// after. The store itself (store/) runs a statement at one instant.
import type { EngineReads, EngineStore } from '../../src/db/engine-store.ts';
import type { Random } from './random.ts';
import type { Verbs } from './store/tables.ts';
import type { Host, VirtualTime } from './time.ts';

/** What may happen to a statement while a fault lasts. */
export type StatementFault =
  /** It waits until the fault is over. */
  | 'stalled'
  /** It never reaches the database. */
  | 'refused'
  /** It is committed, and its answer is lost. */
  | 'answer_lost'
  /** Its connection breaks, and it is committed seconds later. */
  | 'late';

export interface DatabaseFault {
  kind: StatementFault;
  /** Null: every process's statements. */
  host: string | null;
  until: number;
  /** Of the statements, 0 to 1. */
  share: number;
  /** Statements of this kind alone. */
  only: keyof Verbs | null;
}

export interface DatabaseOptions {
  time: VirtualTime;
  verbs: Verbs;
  random: Random;
  /** Answers before the statement has run: for the mutant that writes before it has committed. */
  answerEarly?(verb: keyof Verbs, args: unknown[]): { answer: unknown } | null;
  onCommit(verb: keyof Verbs): void;
  onFault(kind: StatementFault): void;
}

const outage = (): Error => Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
const conflict = (): Error => Object.assign(new Error('could not serialize access'), { code: '40001' });

export class SimulatedDatabase {
  readonly #options: DatabaseOptions;
  faults: DatabaseFault[] = [];
  #late = 0;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  /** Statements whose connection broke and that are still to be committed. */
  get late(): number {
    return this.#late;
  }

  /** The store as the rooms of a process take it. */
  connect(): EngineStore & EngineReads {
    const entries = Object.keys(this.#options.verbs).map((verb) => [
      verb,
      (...args: unknown[]) => this.#call(verb as keyof Verbs, args),
    ]);
    return Object.fromEntries(entries);
  }

  #call(verb: keyof Verbs, args: unknown[]): Promise<unknown> {
    const { time, random, verbs, answerEarly } = this.#options;
    const host = time.current;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fault = this.#faultFor(verb, host);
    if (fault) this.#options.onFault(fault.kind);
    const fail = (ms: number, error = outage()) => time.after(ms, host, () => reject(error));
    const wayMs = random.chance(0.02) ? random.between(20, 300) : random.next() * 2;
    if (fault?.kind === 'refused') {
      fail(wayMs);
      return promise;
    }
    const early = answerEarly?.(verb, args);
    if (early) time.after(0, host, () => resolve(early.answer));
    const run = () => {
      if (fault?.kind === 'late') this.#late -= 1;
      // Undone as a whole, and to be run again: as Postgres answers a deadlock.
      if (random.chance(0.003)) {
        fail(random.next(), conflict());
        return;
      }
      let answer: unknown;
      try {
        answer = (verbs[verb] as (...given: unknown[]) => unknown)(...args);
      } catch (error) {
        fail(random.next(), error as Error);
        return;
      }
      this.#options.onCommit(verb);
      if (fault?.kind === 'answer_lost') fail(random.next() * 2);
      else if (fault?.kind !== 'late') time.after(random.next() * 2, host, () => resolve(answer));
    };
    if (fault?.kind === 'late') {
      fail(wayMs);
      this.#late += 1;
    }
    time.after(this.#untilItRuns(fault, wayMs), null, run);
    return promise;
  }

  #untilItRuns(fault: DatabaseFault | undefined, wayMs: number): number {
    const { time, random } = this.#options;
    if (fault?.kind === 'stalled') return fault.until - time.now + random.next() * 5;
    return fault?.kind === 'late' ? random.between(10, 8_000) : wayMs;
  }

  #faultFor(verb: keyof Verbs, host: Host | null): DatabaseFault | undefined {
    const { time, random } = this.#options;
    if (this.faults.length === 0) return undefined;
    this.faults = this.faults.filter(({ until }) => until > time.now);
    return this.faults.find(
      ({ host: name, only, share }) =>
        (name === null || name === host?.name) && (only === null || only === verb) && random.chance(share),
    );
  }
}
