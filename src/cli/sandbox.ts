// `ramz sandbox`: the sandbox as a process of its own, until a signal ends it. In a file of its own, so that no other verb loads it.

import { join } from 'node:path';
import { loadBank, type PromptBank } from '../channels/voice/prompts/bank.ts';
import { isDigit, promptLanguages } from '../channels/voice/prompts/texts.ts';
import { scenarioNumbers } from '../core/verify/scenarios.ts';
import { BuiltPages } from '../pages/built-pages.ts';
import { runSandbox, type Sandbox, type SandboxOptions } from '../sandbox/main.ts';
import { aborted, endSignal } from './command.ts';

export async function sandbox({ env, say }: { env: NodeJS.ProcessEnv; say(line: string): void }): Promise<number> {
  const ended = endSignal();
  const promptsFolder = join(env.RAMZ_DATA || '.data', 'prompts');
  const banks = serverBanks();
  const voices = serverVoices(banks);
  const pages = new BuiltPages();
  const started = await startAt(sandboxPorts(env), (httpPort) =>
    runSandbox({ httpPort, promptsFolder, voices, pages }),
  );
  if (started.kind === 'refused') {
    say(`ramz: ${started.reason}`);
    process.send?.({ kind: 'failed', reason: started.reason });
    if (process.connected) process.disconnect();
    return 1;
  }
  const running = started.sandbox;
  const { httpUrl, webhookUrl, operators, messaging, voice, scenarioPrefix } = running;
  const prefixes = operators.flatMap((operator) => operator.prefixes as string[]);
  const numbers = scenarioNumbers(scenarioPrefix);
  const warnings = [...running.warnings, ...(voice ? placeholderVoices(banks) : [])];
  const ready = { http: httpUrl, webhookUrl, operators, messaging, voice, scenarioPrefix, numbers, prefixes, warnings };
  process.send?.({ kind: 'ready', ...ready });
  for (const warning of running.warnings) say(`ramz: ${warning}`);
  say(`sandbox at ${httpUrl}`);
  await aborted(ended);
  await running.stop();
  if (process.connected) process.disconnect();
  return 0;
}

/** Where the page of the phones may listen. `ports`: in the order in which they are tried; 0 = any. */
export type Ports = { kind: 'asked' | 'free'; ports: number[] } | { kind: 'refused'; reason: string };

/** The ports that `npm start` has where nothing else is asked for. */
const defaults = { PORT: '8080', GRPC_PORT: '50051' };
const distance = 10;
/** More than starts beside each other on one machine. */
const tries = 20;

/** SANDBOX_PORT alone where it is set. Else the port ten above the service's, or the next free one; any where the service has any. */
export function sandboxPorts(env: NodeJS.ProcessEnv): Ports {
  const asked = env.SANDBOX_PORT;
  if (asked) {
    const port = /^\d{1,5}$/.test(asked) ? Number(asked) : 65_536;
    if (port > 65_535) return { kind: 'refused', reason: `SANDBOX_PORT: ${asked} is no port: 0 to 65535, 0 = any` };
    return { kind: 'asked', ports: [port] };
  }
  const taken = [env.PORT || defaults.PORT, env.GRPC_PORT || defaults.GRPC_PORT].map(Number);
  const first = Number(env.PORT || defaults.PORT);
  if (!Number.isInteger(first) || first === 0) return { kind: 'free', ports: [0] };
  const near = Array.from({ length: tries }, (_, n) => first + distance + n);
  return { kind: 'free', ports: [...near.filter((port) => port <= 65_535 && !taken.includes(port)), 0] };
}

type Started = { kind: 'started'; sandbox: Sandbox } | { kind: 'refused'; reason: string };

/** Starts at the first port that is free. @throws what else keeps it from starting. */
async function startAt(ports: Ports, start: (port: number) => Promise<Sandbox>): Promise<Started> {
  if (ports.kind === 'refused') return ports;
  let reason = '';
  for (const port of ports.ports) {
    try {
      return { kind: 'started', sandbox: await start(port) };
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      const why = code === 'EACCES' ? 'may not be opened' : 'is taken';
      reason = `port ${port} ${why}: set SANDBOX_PORT to a free one (0 = any), or leave it out`;
    }
  }
  return { kind: 'refused', reason };
}

/** The prompts of a server on this machine without settings of its own. */
const serverBanks = (): PromptBank[] =>
  promptLanguages.flatMap((language) => {
    const loaded = loadBank({ language, folder: null });
    return loaded.kind === 'refused' ? [] : [loaded.bank];
  });

/** The digits that such a server speaks: recorded ones where a package brings them. */
export const serverVoices = (banks = serverBanks()): NonNullable<SandboxOptions['voices']> =>
  banks.map(({ language, clips }) => {
    const digits = [...clips].filter(([name]) => isDigit(name));
    return { name: `${language}, as spoken`, digits: new Map(digits.map(([name, clip]) => [name, Buffer.from(clip)])) };
  });

/** One line for the person who starts it, where a synthesiser speaks: such voices are for trying out. */
function placeholderVoices(banks: readonly PromptBank[]): string[] {
  const languages = banks.filter(({ placeholders }) => placeholders.length > 0).map(({ language }) => language);
  if (languages.length === 0) return [];
  return [
    `calls speak with placeholder prompts (${languages.join(', ')}), made by a synthesiser: docs/voice.md#voices`,
  ];
}
