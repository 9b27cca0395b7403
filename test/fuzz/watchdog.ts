// Watches the fuzzer from a thread of its own: when one input takes half a minute, it tells which, and ends the process.
import { workerData } from 'node:worker_threads';

const patienceMs = 30_000;
const beat = new Int32Array(workerData as SharedArrayBuffer, 0, 2);
const input = Buffer.from(workerData as SharedArrayBuffer, 8);
let last = -1;
setInterval(() => {
  const now = beat[0]!;
  // Negative: between two targets.
  if (now < 0 || now !== last) {
    last = now;
    return;
  }
  process.stderr.write(`FOUND: an input that does not end: ${input.toString('hex', 0, beat[1])}\n`);
  process.kill(process.pid, 'SIGKILL');
}, patienceMs);
