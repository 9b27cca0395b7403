// One example under way: started, waited for, listened to, ended.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

export interface Running {
  base: string;
  /** What it printed so far. */
  said(): string;
  stop(): Promise<void>;
}

export async function startExample(
  [program, ...args]: [string, ...string[]],
  cwd: string,
  port: number,
  env: Record<string, string>,
): Promise<Running> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const base = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + 90_000;
  for (;;) {
    const answered = await fetch(`${base}/me`).catch(() => undefined);
    if (answered) break;
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`it did not start:\n${said}`);
    }
    await wait(50);
  }
  return { base, said: () => said, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(timer);
}
