// Owners that are cut off from the database while others reach it. Such an owner takes each question and can't answer, so a process that has waited
// for a while asks how long the owner's database has been silent, and whether its own answers; then it does the work itself. A database
// that is slow for all makes nobody do work twice.

import type { SessionStore } from '../../db/engine-store.ts';
import { isDoneWithin } from '../../time/alarm.ts';
import type { EngineContext } from '../context.ts';

/** How long an answer is waited for before the owner is doubted, and between two looks, ms. */
const lookMs = 250;
/** An owner whose database has been silent for so long is stuck, where ours answers a question of one row within `probeMs`. */
const silentMs = 200;
const probeMs = 100;
/** How long an owner passes for stuck without another look, ms. */
const stuckMs = 1_000;

type Said = Awaited<ReturnType<EngineContext['conversation']['ask']>>;

/** How long this process's database has been silent. */
export class DatabaseSilence {
  #underWay = 0;
  #heardAt = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Ms since the database last answered while something was asked of it; 0 while nothing is. */
  get ms(): number {
    return this.#underWay === 0 ? 0 : this.#now() - this.#heardAt;
  }

  /** The same verbs, whose answers are heard. */
  listen<Verbs extends object>(verbs: Verbs): Verbs {
    const heard = Object.entries(verbs).map(([name, run]) => [
      name,
      (...given: unknown[]) => this.#hear(run(...given)),
    ]);
    return Object.fromEntries(heard) as Verbs;
  }

  async #hear(answer: Promise<unknown>): Promise<unknown> {
    if (this.#underWay === 0) this.#heardAt = this.#now();
    this.#underWay += 1;
    try {
      return await answer;
    } finally {
      this.#underWay -= 1;
      this.#heardAt = this.#now();
    }
  }
}

export class StuckOwners {
  readonly #context: Pick<EngineContext, 'now' | 'ids' | 'conversation'>;
  readonly #db: Pick<SessionStore, 'sessionOfResend'>;
  /** Until when an owner passes for stuck. */
  readonly #stuck = new Map<string, number>();
  readonly #looks = new Map<string, Promise<boolean>>();

  constructor(
    context: Pick<EngineContext, 'now' | 'ids' | 'conversation'>,
    db: Pick<SessionStore, 'sessionOfResend'>,
    silence: Pick<DatabaseSilence, 'ms'>,
  ) {
    this.#context = context;
    this.#db = db;
    context.conversation.serve('silence', async () => silence.ms);
  }

  /** The owner's answer; null where the work is to be done here, because the owner is stuck. `shard`: what the question is about. */
  async ask(owner: string, verb: string, value: object, shard: number): Promise<Said | null> {
    if (this.#isStuck(owner, shard)) return null;
    const asking = this.#context.conversation.ask(owner, verb, value);
    while (!(await isDoneWithin(asking, lookMs))) if (await this.#look(owner, shard)) return null;
    return asking;
  }

  #isStuck(owner: string, shard: number): boolean {
    const until = this.#stuck.get(owner);
    if (until === undefined) return false;
    const now = this.#context.now();
    // Further ahead than it was set: the clock was set back. Nobody waits for the look.
    if (now >= until || until > now + stuckMs) void this.#look(owner, shard);
    return true;
  }

  /** Whether the owner is stuck; one look at a time. */
  #look(owner: string, shard: number): Promise<boolean> {
    const look =
      this.#looks.get(owner) ??
      this.#found(owner, shard)
        .then((isStuck) => {
          if (isStuck) this.#stuck.set(owner, this.#context.now() + stuckMs);
          else this.#stuck.delete(owner);
          return isStuck;
        })
        .finally(() => this.#looks.delete(owner));
    this.#looks.set(owner, look);
    return look;
  }

  async #found(owner: string, shard: number): Promise<boolean> {
    const said = await this.#context.conversation.ask(owner, 'silence', {});
    if (said.kind !== 'answered' || typeof said.value !== 'number' || said.value < silentMs) return false;
    const id = this.#context.ids('vrf_', shard);
    return isDoneWithin(this.#db.sessionOfResend(id), probeMs).catch(() => false);
  }
}
