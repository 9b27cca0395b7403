// Claims of messages that wait in the queues of routes. A process that has a route claims what waits for it; what waits for a route that is
// given up (`outages`) is claimed by any process, so that its session goes on. A process looks when another one says that something waits,
// when a route of its own comes up, and when its own queue for a route gets short again; and every few seconds in any case, because a
// notice may be lost.

import type { EngineStore } from '../../db/engine-store.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';
import type { Backlog } from '../delivery/backlog.ts';
import { noticeUnknownCommit, type UncertainSessions } from '../fleet/unknown-commits.ts';
import type { Takeover } from './takeover.ts';

/** The most sessions of a route that one statement claims. */
const mostAtOnce = 500;
/** A look without a cause, for notices that were lost. */
const inAnyCaseMs = 5_000;

/** The rooms that claims work with. */
interface Claiming {
  backlog: Backlog;
  takeover: Takeover;
  uncertain: UncertainSessions;
}

export class RouteClaims {
  readonly #context: EngineContext;
  readonly #db: EngineStore;
  readonly #rooms: Claiming;
  /** Routes in whose queue something may wait. */
  readonly #waiting = new Set<string>();
  /** This process's routes at the last look. */
  #routes = new Set<string>();
  #lookedAt = 0;
  #running: Promise<void> | null = null;

  constructor(context: EngineContext, db: EngineStore, rooms: Claiming) {
    this.#context = context;
    this.#db = db;
    this.#rooms = rooms;
  }

  /** From now on it looks at once when another process says that something waits. A claim that fails is made again by the next turn. */
  listen(): void {
    const { events } = this.#context.peers;
    events.on('waits', ({ route }) => {
      const { channels } = this.#context;
      this.#waiting.add(route);
      // When the route comes up, or is given up, it is looked at. A bind that is made again may be back before the next look.
      if (!channels.canSend(route) && !channels.outages().includes(route)) return;
      this.claim().catch(() => {}); // Logged by the loop, which tries again.
    });
    events.on('listening', () => this.wantAll());
  }

  /** Something may wait for any of this process's routes. */
  wantAll(): void {
    this.#lookedAt = 0;
  }

  /** Claims what waits for routes whose queue here is short. Asks the database nothing where nothing is known to wait. */
  async claim(): Promise<void> {
    while (this.#running) await this.#running.catch(() => {});
    this.#running = this.#claim().finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  async #claim(): Promise<void> {
    const now = this.#context.now();
    const { channels } = this.#context;
    const outages = channels.outages();
    const routes = [...channels.routes(), ...outages];
    const isDue = elapsedMs(this.#lookedAt, now) >= inAnyCaseMs;
    for (const route of routes) if (isDue || !this.#routes.has(route)) this.#waiting.add(route);
    if (isDue) this.#lookedAt = now;
    this.#routes = new Set(routes);
    if (this.#waiting.size === 0) return;
    // A process with another configuration may make routes that this one does not, and that its carriers serve all the same.
    const isServed = (route: string) => this.#routes.has(route) || channels.canSend(route);
    for (const route of this.#waiting) if (!isServed(route)) this.#waiting.delete(route);
    const short = [...this.#waiting].filter((route) => outages.includes(route) || this.#rooms.backlog.isShort(route));
    if (short.length === 0) return;
    // What is said to wait from here on is not in this claim's answer.
    for (const route of short) this.#waiting.delete(route);
    try {
      const claim = this.#db.claimRoutes(this.#context.fleet.processId, short, mostAtOnce);
      const { keys, isMore } = await noticeUnknownCommit(claim, () => this.#rooms.uncertain.addUnknown());
      if (isMore) for (const route of short) this.#waiting.add(route);
      await this.#rooms.takeover.takeUpAll(keys, 'claimed');
    } catch (error) {
      for (const route of short) this.#waiting.add(route);
      throw error;
    }
  }
}
