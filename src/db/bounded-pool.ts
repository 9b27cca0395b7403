// A pool whose callers do not queue without end: beyond a number it says no, which costs nothing, where waiting costs memory and
// time that callers no longer have.
import pg from 'pg';

/** As Postgres itself says it: too many connections. */
class PoolFull extends Error {
  readonly code = '53300';
}

/** Callers that may wait for a connection. At a thousandth of a second a statement, the last waits about as long as it may. */
const mostWaiting = 1_000;

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

export class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | undefined {
    if (this.waitingCount < mostWaiting) {
      if (!done) return super.connect();
      super.connect(done);
      return;
    }
    const full = new PoolFull('too many statements wait for a connection');
    if (!done) return Promise.reject(full);
    process.nextTick(done, full, undefined, () => {});
  }
}
