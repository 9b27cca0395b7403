// Owners that are cut off from the database while others reach it. Such an owner takes each question and can't answer it. So a process that has
// waited for a while asks the owner how long its database has been silent, and asks its own database for one row; where only the latter answers,
// it does the work itself. A database that is slow for all makes nobody do work twice.

import type { SessionStore } from '../../db/engine-store.ts';
import { isDoneWithin } from '../../time/alarm.ts';
import { isAhead } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';

/** How long an answer is waited for before the owner is doubted, and between two looks, ms. */
const lookMs = 250;
/** How long an owner's database has been silent, ms, before the owner counts as stuck; and only where ours answers a query of one row in `probeMs`. */
const silentMs = 200;
const probeMs = 100;
/** How long an owner passes for stuck without another look, ms. */
const stuckMs = 1_000;

type Said = Awaited<ReturnType<EngineContext['conversation']['ask']>>;

/** How long one database of this process has been silent. */
export class DatabaseSilence {
  #underWay = 0;
  #answeredAt = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Ms since the database last answered while something was asked of it; 0 while nothing is. */
  get ms(): number {
    return this.#underWay === 0 ? 0 : this.#now() - this.#answeredAt;
  }

  /** The same functions, each of which asks the database something and notes here when it was answered. */
  observing<Verbs extends object>(verbs: Verbs): Verbs {
    const observed = Object.entries(verbs).map(([name, run]) => [
      name,
      (...given: unknown[]) => this.#observe(run(...given)),
    ]);
    return Object.fromEntries(observed) as Verbs;
  }

  async #observe(answer: Promise<unknown>): Promise<unknown> {
    if (this.#underWay === 0) this.#answeredAt = this.#now();
    this.#underWay += 1;
    try {
      return await answer;
    } finally {
      this.#underWay -= 1;
      this.#answeredAt = this.#now();
    }
  }
}

export class StuckOwners {
  readonly #context: Pick<EngineContext, 'now' | 'ids' | 'conversation' | 'cells'>;
  readonly #db: Pick<SessionStore, 'sessionOfResend'>;
  /** Until when an owner passes for stuck, by the owner and the cell. */
  readonly #stuck = new Map<string, number>();
  readonly #looks = new Map<string, Promise<boolean>>();

  /** `silences`: of this process, by cell. */
  constructor(
    context: Pick<EngineContext, 'now' | 'ids' | 'conversation' | 'cells'>,
    db: Pick<SessionStore, 'sessionOfResend'>,
    silences: ReadonlyMap<string, Pick<DatabaseSilence, 'ms'>>,
  ) {
    this.#context = context;
    this.#db = db;
    context.conversation.serve('silence', async (asked) => silences.get(Object(asked).cell)?.ms ?? 0);
  }

  /** The owner's answer; null where the work is to be done here, because the owner is stuck. `shard`: what the question is about. */
  async ask(owner: string, verb: string, value: object, shard: number): Promise<Said | null> {
    const doubted = { owner, shard, cell: this.#context.cells.ofShard(shard, this.#context.now()) };
    if (this.#isStuck(doubted)) return null;
    const asking = this.#context.conversation.ask(owner, verb, value);
    while (!(await isDoneWithin(asking, lookMs))) if (await this.#look(doubted)) return null;
    return asking;
  }

  #isStuck(doubted: Doubted): boolean {
    const until = this.#stuck.get(nameOf(doubted));
    if (until === undefined) return false;
    // Nobody waits for the look.
    if (!isAhead(until, this.#context.now(), stuckMs)) void this.#look(doubted);
    return true;
  }

  /** Whether the owner is stuck; one look at a time. */
  #look(doubted: Doubted): Promise<boolean> {
    const name = nameOf(doubted);
    const look =
      this.#looks.get(name) ??
      this.#found(doubted)
        .then((isStuck) => {
          if (isStuck) this.#stuck.set(name, this.#context.now() + stuckMs);
          else this.#stuck.delete(name);
          return isStuck;
        })
        .finally(() => this.#looks.delete(name));
    this.#looks.set(name, look);
    return look;
  }

  async #found({ owner, shard, cell }: Doubted): Promise<boolean> {
    const said = await this.#context.conversation.ask(owner, 'silence', { cell });
    if (said.kind !== 'answered' || typeof said.value !== 'number' || said.value < silentMs) return false;
    const id = this.#context.ids('vrf_', shard);
    return isDoneWithin(this.#db.sessionOfResend(id), probeMs).catch(() => false);
  }
}

/** An owner that has not answered yet, and what it was asked about. */
interface Doubted {
  owner: string;
  shard: number;
  cell: string;
}

/** It may be cut off from one cell and not from the others. */
const nameOf = ({ owner, cell }: Doubted): string => `${owner} ${cell}`;
