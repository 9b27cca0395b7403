// The file by which a data directory has one `npm start`: who is in the way of a start, and who is not.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeOnlyStart } from '../../../src/launch/only-start.ts';
import { testFolder } from '../../support/folder.ts';
import { startProcess } from '../../support/process.ts';

const folder = testFolder('only-start');
const path = join(folder, 'start.pid');

/** A process that waits, with these words in its command. */
const running = (...words: string[]) =>
  startProcess(process.execPath, { args: ['-e', 'setInterval(() => {}, 1000)', '--', ...words] });

test('a start that runs is in the way, until it has ended', async () => {
  const first = running('src/main.ts', 'start');
  writeFileSync(path, String(first.pid));
  expect(takeOnlyStart(path)).toEqual({ kind: 'busy', pid: first.pid });
  await first.end('SIGKILL');
  const taken = takeOnlyStart(path);
  if (taken.kind !== 'taken') throw new Error('still busy');
  expect(readdirSync(folder)).toEqual(['start.pid']);
  taken.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('another program that has its number by now is not, nor is our own number from before', async () => {
  const other = running('src/main.ts', 'serve');
  for (const pid of [other.pid, process.pid]) {
    writeFileSync(path, String(pid));
    const taken = takeOnlyStart(path);
    expect(taken.kind).toBe('taken');
    if (taken.kind === 'taken') taken.release();
  }
  await other.end();
});
