// The end of a process that is asked to end. Its parts stop one after another, as those of `app.ts` do, and one that fails keeps no other from
// stopping. Whoever asked waits for some time, and kills it then.

/** How long calls and answers under way are waited for (`drainMs` of app.ts), ms. */
export const drainMs = 10_000;
/** How long calls by telephone are waited for (`server.drain_seconds`), ms: longer than the longest call. */
export const callsMs = 12_000;
/** After so long a process that does not end is killed, as an orchestrator does. */
export const mostStopMs = 30_000;

const lookMs = 20;

/** Resolves once `isOver`, or after `graceMs`. */
export async function until(isOver: () => boolean, graceMs: number): Promise<void> {
  for (let passed = 0; passed < graceMs && !isOver(); passed += lookMs)
    await new Promise<void>((resolve) => setTimeout(resolve, lookMs));
}

/** The port that clients call: closed it takes no call more, and those under way are answered. */
export class Door {
  #underWay = 0;
  #isClosed = false;

  async through<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed) throw new Error('the connection was refused');
    this.#underWay += 1;
    try {
      return await call();
    } finally {
      this.#underWay -= 1;
    }
  }

  close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    return until(() => this.#underWay === 0, graceMs);
  }
}

/** The parts in the order in which they stop. */
export async function stopAll(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const stop of parts) await stop().catch(() => {});
}
