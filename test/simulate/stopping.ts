// What a process that is asked to end waits for, and for how long.
import { until } from '../support/wait.ts';

/** How long calls and answers under way are waited for (`drainMs` of app.ts), ms. */
export const drainMs = 10_000;
/** How long calls by telephone are waited for (`server.drain_seconds`), ms: longer than the longest call. */
export const callsMs = 12_000;
/** After so long a process that does not end is killed, as an orchestrator does. */
export const mostStopMs = 30_000;

/** Resolves once nothing is counted. @throws after `graceMs`. */
export const whenOver = (count: () => number, what: string, graceMs: number): Promise<boolean> =>
  until(() => count() === 0, { what, timeoutMs: graceMs, everyMs: 20 });

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

  close(graceMs: number): Promise<boolean> {
    this.#isClosed = true;
    return whenOver(() => this.#underWay, 'calls to be answered', graceMs);
  }
}
