// The guard of this suite (test/support/inside.ts) sees what reaches outside of the process, however it is imported.
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

test.each<[string, () => unknown]>([
  ['a program', () => spawn('true')],
  ['a program that is waited for', () => execFileSync('true')],
  ['a thread', () => new Worker('', { eval: true })],
  ['a server', () => createServer().listen(0, '127.0.0.1')],
  ['a connection', () => connect(1, '127.0.0.1')],
  ['a file', () => writeFileSync(join(tmpdir(), 'ramz-never-written'), '')],
])('%s is refused', (_, reach) => {
  expect(reach).toThrow('belongs in test/integration');
});
