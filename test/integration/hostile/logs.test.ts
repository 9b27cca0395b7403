// Standard output that takes nothing: a full disk, and a reader that has stopped reading. The service goes on.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { fetchOver } from '../../support/few-connections.ts';
import { testService } from '../../support/service.ts';
import { serviceClient } from '../../support/service-client.ts';

const service = await testService();
const fetched = fetchOver({ connections: 200 });
const children: ChildProcess[] = [];
afterAll(async () => {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
});

async function start(stdout: number | 'pipe') {
  const env = { ...process.env, ...service.env };
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], { env, stdio: ['ignore', stdout, 'inherit', 'ipc'] });
  children.push(child);
  const [ready] = (await once(child, 'message')) as [{ http: string }];
  return { child, http: ready.http };
}

test.each(['a full disk', 'a reader that does not read'])('%s', async (what) => {
  const full = what === 'a full disk' ? openSync('/dev/full', 'w') : null;
  const { child, http } = await start(full ?? 'pipe');
  if (full !== null) closeSync(full);
  const client = serviceClient(http, service.testKey, fetched);
  // About 250 octets of log each: four times what a pipe holds.
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => client.call('GET', '/v1/account')));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(child.exitCode).toBeNull();
  // It ends in order, too, once somebody takes what is left.
  const ended = once(child, 'exit');
  child.stdout?.resume();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
