// The guard of `unit`: starting a program or a thread, opening a socket and writing a file throw there, because what is outside of the
// process is slow, may be missing, and outlives the test.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workers from 'node:worker_threads';

const refused: readonly [owner: object, names: readonly string[]][] = [
  [childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']],
  [workers, ['Worker']],
  [net.Server.prototype, ['listen']],
  [net.Socket.prototype, ['connect']],
  [fs, ['writeFileSync', 'mkdirSync', 'mkdtempSync', 'symlinkSync', 'createWriteStream']],
];

for (const [owner, names] of refused) for (const name of names) refuse(owner as Record<string, unknown>, name);
syncBuiltinESMExports();

function refuse(owner: Record<string, unknown>, name: string): void {
  // No arrow function: `new Worker` must reach the message, too.
  owner[name] = function refused() {
    throw new Error(`${name}: unit touches nothing outside of its process; this test belongs in test/integration`);
  };
}
