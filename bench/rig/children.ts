// Child processes of the bench: started, ready when they say so over IPC, ended by their pid.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface BenchChild<Ready> {
  pid: number;
  ready: Ready;
  /** The next message it sends, for those that measure themselves. */
  next<Message>(): Promise<Message>;
  send(message: object): void;
  stop(): Promise<void>;
}

export interface StartOptions {
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
  execArgv?: readonly string[];
}

const readyMs = 60_000;
const stopMs = 20_000;

/** `program` is a path from the project's root. @throws when it ends or stays silent for a minute before it is ready. */
export async function startChild<Ready>(program: string, options: StartOptions = {}): Promise<BenchChild<Ready>> {
  const path = fileURLToPath(new URL(`../../${program}`, import.meta.url));
  const child = fork(path, [...(options.args ?? [])], {
    env: { ...process.env, ...options.env },
    execArgv: [...(options.execArgv ?? [])],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let stopping = false;
  child.on('exit', (code, signal) => {
    if (!stopping && code !== 0) process.stderr.write(`bench: ${program} ended by itself (${signal ?? code})\n`);
  });
  const next = <Message>() => nextMessage<Message>(child, program);
  const end = () => {
    stopping = true;
    return stop(child);
  };
  const timer = setTimeout(() => child.kill('SIGKILL'), readyMs);
  const ready = await next<Ready>().finally(() => clearTimeout(timer));
  return { pid: child.pid as number, ready, next, send: (message) => child.send(message), stop: end };
}

async function nextMessage<Message>(child: ChildProcess, name: string): Promise<Message> {
  const ended = new AbortController();
  try {
    const exit = once(child, 'exit', { signal: ended.signal }).then(([code, signal]) => {
      throw new Error(`${name} ended (${signal ?? code}) instead of answering`);
    });
    const message = once(child, 'message', { signal: ended.signal });
    exit.catch(() => {}); // Aborted below.
    message.catch(() => {});
    const [answer] = (await Promise.race([message, exit])) as [Message];
    return answer;
  } finally {
    ended.abort();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exit;
  clearTimeout(timer);
}
