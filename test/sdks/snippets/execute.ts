// Runs one program. Whoever it asks for a code on its standard input gets the one that reached the phone.

import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

export interface Run {
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Numbers whose codes are typed in. */
  numbers: readonly string[];
  sandbox: string;
  timeoutMs: number;
  /** Its page shows what it asks, with the code behind it: nothing is typed before. Default false. */
  asks?: boolean;
}

export interface Ran {
  /** 0, or why it failed. */
  code: number | string;
  stdout: string;
  stderr: string;
}

export async function execute({
  program,
  args,
  cwd,
  env,
  numbers,
  sandbox,
  timeoutMs,
  asks = false,
}: Run): Promise<Ran> {
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const ran: Ran = { code: 'it did not start', stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text;
  });
  child.stdin.on('error', () => undefined); // It may end without reading.
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? `it was ended by ${signal}`));
  });
  const stop = new AbortController();
  const isAsking = () => / $/.test(ran.stdout);
  const type = (code: string): void => {
    // As a terminal shows it behind the question.
    if (isAsking()) ran.stdout += `${code}\n`;
    child.stdin.write(`${code}\n`);
  };
  const patienceMs = asks ? timeoutMs / 3 : 1_500;
  const typing = typeCodes({ type, isAsking, numbers, sandbox, patienceMs, signal: stop.signal });
  const timer = setTimeout(() => {
    // The group: a shell's children too.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  ran.code = await ended;
  clearTimeout(timer);
  stop.abort();
  await typing;
  return ran;
}

interface Typing {
  type(code: string): void;
  isAsking(): boolean;
  numbers: readonly string[];
  sandbox: string;
  /** What is typed before it is asked for looks odd on a terminal; but not everything that reads says so. */
  patienceMs: number;
  signal: AbortSignal;
}

async function typeCodes({ type, isAsking, numbers, sandbox, patienceMs, signal }: Typing): Promise<void> {
  const known = new Set<string>();
  const pause = () => wait(50, undefined, { signal }).catch(() => undefined);
  while (!signal.aborted) {
    for (const to of numbers) {
      const response = await fetch(`${sandbox}/sandbox/messages?to=${encodeURIComponent(to)}`);
      const { messages } = (await response.json()) as { messages: { text: string; received_at: string }[] };
      for (const { text, received_at } of messages.toReversed()) {
        const code = /\b\d{4,10}\b/.exec(text)?.[0];
        const seen = `${to} ${received_at} ${code}`;
        if (code === undefined || known.has(seen)) continue;
        known.add(seen);
        const deadline = performance.now() + patienceMs;
        while (!isAsking() && !signal.aborted && performance.now() < deadline) await pause();
        if (!signal.aborted) type(code);
      }
    }
    await pause();
  }
}
