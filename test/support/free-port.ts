// A port that was free a moment ago, for programs that take no port 0 or do not say which one they took. It lies below those that the system
// gives out by itself: nothing that listens on 0, and no connection, takes it in between.
import { createServer } from 'node:net';

const [lowest, count] = [20_000, 12_000];
/** Test files run side by side, so each process begins elsewhere. */
let next = process.pid * 101;

export async function freePort(): Promise<number> {
  for (;;) {
    next += 1;
    const port = lowest + (next % count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
