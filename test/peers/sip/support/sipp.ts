// sipp as the callee: one scenario, one call, and whether the call went as the scenario says.
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder } from '../../../support/folder.ts';
import { type Exit, startProcess } from '../../../support/process.ts';
import { toolPath } from '../../../support/tool.ts';
import { until } from '../../../support/wait.ts';
import { markFile, scenario } from './sipp-scenario.ts';

export interface Sipp {
  port: number;
  /** Whether the scenario has come to its mark. */
  isMarked(): boolean;
  /** Resolves with what sipp wrote once every call ended as the scenario says. @throws with what sipp wrote where one did not. */
  done(): Promise<string>;
}

export interface SippOptions {
  /** Default udp. */
  transport?: 'udp' | 'tcp';
  /** Default 1. */
  calls?: number;
  /** Only ends what hangs. Default 150. */
  timeoutSeconds?: number;
}

/** Below the ports that the system gives out by itself: nothing else of a test takes one in between. */
const lowest = 20_000;
const ports = 10_000;
let next = process.pid * 7;

/** A port that nothing has, for programs that take no 0. */
export function freePort(): number {
  for (;;) {
    next += 2;
    const port = lowest + (next % ports);
    if (!isBound('udp', port) && !isBound('udp6', port) && !isBound('tcp', port)) return port;
  }
}

/** What sipp writes comes too late to wait for; the kernel's table says when its socket is there. */
export const isBound = (transport: 'udp' | 'udp6' | 'tcp', port: number): boolean =>
  readFileSync(`/proc/net/${transport}`, 'latin1').includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} `);

export async function startSipp(name: string, steps: readonly string[], options: SippOptions = {}): Promise<Sipp> {
  const { transport = 'udp', calls = 1, timeoutSeconds = 150 } = options;
  const folder = testFolder('sipp');
  await writeFile(join(folder, 'scenario.xml'), scenario(name, steps));
  const [port, mediaPort] = [freePort(), freePort()];
  const sipp = startProcess(toolPath('sipp') ?? 'sipp', {
    cwd: folder,
    // sipp draws its screen as curses know the terminal.
    env: { TERM: 'vt100' },
    args: [
      ...['-sf', 'scenario.xml', '-i', '127.0.0.1', '-p', String(port), '-mp', String(mediaPort)],
      ...['-m', String(calls), '-t', transport === 'udp' ? 'u1' : 't1', '-nostdin'],
      ...['-timeout', `${timeoutSeconds}s`, '-timeout_error', '-trace_err', '-error_file', 'errors.log'],
    ],
  });
  await until(() => isBound(transport, port), { what: 'sipp to listen' }).catch((error) => {
    throw new Error(`${error.message}; it wrote:\n${sipp.output()}`);
  });
  return {
    port,
    isMarked: () => existsSync(join(folder, markFile)),
    done: async () => {
      const { code }: Exit = await sipp.exit((timeoutSeconds + 5) * 1000);
      if (code !== 0) throw new Error(`sipp ended with ${code}:\n${sipp.output().slice(-4000)}`);
      return sipp.output();
    },
  };
}
