// `ramz sandbox`: the sandbox as a process of its own, until a signal ends it. In a file of its own, so that no other verb loads it.

import { join } from 'node:path';
import { loadBank } from '../channels/voice/prompts/bank.ts';
import { isDigit, promptLanguages } from '../channels/voice/prompts/texts.ts';
import { scenarioNumbers } from '../core/verify/scenarios.ts';
import { runSandbox, type SandboxOptions } from '../sandbox/main.ts';

export async function sandbox({ env, say }: { env: NodeJS.ProcessEnv; say(line: string): void }): Promise<number> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    process.once('disconnect', () => resolve()); // The process that started us is gone.
  });
  const promptsFolder = join(env.RAMZ_DATA || '.data', 'prompts');
  const httpPort = Number(env.SANDBOX_PORT || 0);
  const running = await runSandbox({ httpPort, promptsFolder, voices: serverVoices() });
  const { httpUrl, webhookUrl, operators, messaging, voice, scenarioPrefix } = running;
  const prefixes = operators.flatMap((operator) => operator.prefixes as string[]);
  const numbers = scenarioNumbers(scenarioPrefix);
  const ready = { http: httpUrl, webhookUrl, operators, messaging, voice, scenarioPrefix, numbers, prefixes };
  process.send?.({ kind: 'ready', ...ready });
  for (const warning of running.warnings) say(`ramz: ${warning}`);
  say(`sandbox at ${httpUrl}`);
  await ended;
  await running.stop();
  if (process.connected) process.disconnect();
  return 0;
}

/** The digits that a server on this machine speaks without settings of its own: recorded ones where a package brings them. */
export function serverVoices(): NonNullable<SandboxOptions['voices']> {
  return promptLanguages.flatMap((language) => {
    const loaded = loadBank({ language, folder: null });
    if (loaded.kind === 'refused') return [];
    const digits = [...loaded.bank.clips].filter(([name]) => isDigit(name));
    return [
      { name: `${language}, as spoken`, digits: new Map(digits.map(([name, clip]) => [name, Buffer.from(clip)])) },
    ];
  });
}
