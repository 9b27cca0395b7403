// `ramz destroy`: removes a data directory with everything that is kept for it elsewhere, or the databases of checkouts that are gone. Root's
// databases are outside of the checkout, so that deleting it leaves numbers behind.

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isRunning, leftovers, removeCluster, startEmbedded } from '../db/embedded.ts';

export interface DestroyOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  /** Whether the person agrees; null where there is nobody to ask. */
  ask: ((question: string) => Promise<boolean>) | null;
}

const usage = `usage: npm run ramz -- destroy [--yes] [--gone]

  removes the data directory (RAMZ_DATA, .data): accounts, sessions, keys, and the embedded database wherever it lies
  --gone   in its place the embedded databases whose checkout is gone
  --yes    does not ask`;

export async function destroy(args: readonly string[], options: DestroyOptions): Promise<number> {
  if (args.some((arg) => !['--yes', '--gone'].includes(arg))) {
    options.say(usage);
    return 2;
  }
  const agreed = args.includes('--yes') ? async () => true : options.ask;
  if (!agreed) {
    options.say('nothing was removed: without a terminal to ask in, add --yes');
    return 2;
  }
  return args.includes('--gone') ? destroyGone(agreed, options) : destroyData(agreed, options);
}

type Agreed = (question: string) => Promise<boolean>;

/** What of a data directory shows that it is one: nothing else is removed. */
const marks = ['postgres', 'keys.json', 'sandbox-state.json'];

async function destroyData(agreed: Agreed, { env, say }: DestroyOptions): Promise<number> {
  const folder = resolve(env.RAMZ_DATA || '.data');
  if (!marks.some((name) => existsSync(join(folder, name)))) {
    say(`${folder} is no data directory of Ramz: nothing was removed`);
    return 1;
  }
  const dataDir = join(folder, 'postgres');
  if (existsSync(dataDir) && isRunning(join(dataDir, 'cluster'))) {
    const server = await startEmbedded({ dataDir });
    if ((await server.stop()) === 'shared') {
      say(`${folder} is in use: stop the service first. Nothing was removed`);
      return 1;
    }
  }
  if (!(await agreed(`Remove ${folder} with its database, its key ring and everything else in it?`))) {
    say('nothing was removed');
    return 1;
  }
  removeCluster(dataDir);
  await rm(folder, { recursive: true, force: true });
  say(`removed ${folder}`);
  if (env.DATABASE_URL || env.DATABASE_URL_FILE) say('the database that DATABASE_URL names is as it was');
  return 0;
}

async function destroyGone(agreed: Agreed, { say }: DestroyOptions): Promise<number> {
  const found = leftovers();
  if (found.length === 0) say('there is no database whose checkout is gone');
  for (const { place, dataDir, running } of found) {
    if (running) say(`${place} of ${dataDir}, which is gone: its server still runs, so it stays`);
    else if (await agreed(`Remove ${place}, the database of ${dataDir}, which is gone?`)) {
      removeCluster(place);
      say(`removed ${place}`);
    }
  }
  return 0;
}

/** Asks in the terminal. */
export async function askInTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
