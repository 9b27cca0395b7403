// `npm run send -- +213…` (or a scenario's name): finds the running sandbox and plays the story of story.ts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playStory, type SandboxFile } from './story.ts';

export async function send(
  args: readonly string[],
  { env, say }: { env: NodeJS.ProcessEnv; say(line: string): void },
): Promise<number> {
  const path = join(env.RAMZ_DATA || '.data', 'sandbox.json');
  const sandbox = readSandbox(path);
  if (!sandbox) {
    say(`nothing to talk to: ${path} is missing. Run npm start first, in another terminal`);
    return 1;
  }
  const [to] = args;
  if (to === undefined) {
    say('usage: npm run send -- <number or scenario>\n\nscenarios:');
    for (const [name, number] of Object.entries(sandbox.numbers)) say(`  ${name.padEnd(20)} ${number}`);
    return 2;
  }
  try {
    return await playStory(to, sandbox, say);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    say(`no answer at ${sandbox.http}: is npm start still running?`);
    return 1;
  }
}

function readSandbox(path: string): SandboxFile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
