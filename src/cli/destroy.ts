// `ramz destroy`: removes a data directory with everything that is kept for it elsewhere, or the databases of checkouts that are gone. Root's
// databases are outside of the checkout, so that deleting it leaves numbers behind.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { commandOf } from '../db/embedded/cluster.ts';
import { isRunning, leftovers, removeCluster, startEmbedded } from '../db/embedded.ts';
import { exitCodeOf, flag, Refusal, readWords, requireReach } from './command.ts';

export interface DestroyOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  /** Whether the person agrees; null where there is nobody to ask. */
  ask: ((question: string) => Promise<boolean>) | null;
}

const usage = `usage: npm run ramz -- destroy [--yes] [--gone]

  removes the data directory (RAMZ_DATA, .data): accounts, sessions, keys, and the embedded database wherever it lies
  --gone   in its place the embedded databases that no data directory leads to: its checkout was deleted, or moved and not started since
  --yes    does not ask`;

export async function destroy(args: readonly string[], options: DestroyOptions): Promise<number> {
  return exitCodeOf({ args, usage, say: options.say }, async () => {
    const { yes = false, gone = false } = readWords(args, { yes: flag, gone: flag }, []).values;
    const agreed = yes ? async () => true : options.ask;
    if (!agreed) throw new Refusal('nothing was removed: without a terminal to ask in, add --yes', 2);
    return gone ? destroyGone(agreed, options) : destroyData(agreed, options);
  });
}

type Agreed = (question: string) => Promise<boolean>;

/** What of a data directory shows that it is one: nothing else is removed. A name that others use, too, shows nothing. */
const marks = [join('postgres', 'cluster', 'PG_VERSION'), 'sandbox-state.json'];

async function destroyData(agreed: Agreed, { env, say }: DestroyOptions): Promise<number> {
  requireReach(env, { change: true });
  const folder = resolve(env.RAMZ_DATA || '.data');
  if (!marks.some((name) => existsSync(join(folder, name)))) {
    say(`${folder} is no data directory of Ramz: nothing was removed`);
    return 1;
  }
  // Behind a link: the keys are there.
  const real = realpathSync(folder);
  const within = [env.HOME || homedir(), process.cwd(), import.meta.dirname].find((place) => holds(real, place));
  if (within !== undefined) {
    say(`${folder} holds more than the data of Ramz (${within}): nothing was removed`);
    return 1;
  }
  const user = userOf(folder);
  if (user !== undefined) {
    say(`${folder} is in use by npm start (process ${user}): end it first. Nothing was removed`);
    return 1;
  }
  const dataDir = join(folder, 'postgres');
  if (existsSync(dataDir) && isRunning(join(dataDir, 'cluster'))) {
    const database = await startEmbedded({ dataDir });
    if ((await database.stop()) === 'shared') {
      say(`${folder} is in use: stop the service first. Nothing was removed`);
      return 1;
    }
  }
  const ownDatabase = Boolean(env.DATABASE_URL || env.DATABASE_URL_FILE);
  if (ownDatabase) {
    say(
      `the database that DATABASE_URL names stays. Without the key ring in ${folder} no service starts over it any more`,
    );
  }
  if (!(await agreed(`Remove ${folder} with its database, its key ring and everything else in it?`))) {
    say('nothing was removed');
    return 1;
  }
  removeCluster(dataDir);
  for (const path of new Set([real, folder])) await rm(path, { recursive: true, force: true });
  say(`removed ${folder}`);
  if (ownDatabase) say('the database that DATABASE_URL names is as it was');
  return 0;
}

function holds(folder: string, place: string): boolean {
  const path = relative(folder, place);
  return !path.startsWith('..') && !isAbsolute(path);
}

/**
 * A process of an `npm start` that runs: it keeps these files while it does, and beside a database of one's own nothing else shows that it runs.
 * One that was killed leaves them behind, and its number may be any other program's by now.
 */
function userOf(folder: string): number | undefined {
  const server = (text: string) => (JSON.parse(text) as { server_pid: number }).server_pid;
  const pids = [pidIn(join(folder, 'start.pid'), Number), pidIn(join(folder, 'sandbox.json'), server)];
  return pids.find((pid) => pid !== undefined && /\bmain\.ts\s+(start|serve)\b/.test(commandOf(pid) ?? ''));
}

function pidIn(path: string, read: (text: string) => number): number | undefined {
  try {
    return read(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

async function destroyGone(agreed: Agreed, { say }: DestroyOptions): Promise<number> {
  const found = leftovers();
  if (found.length === 0) say('there is no database whose checkout is gone');
  /** The question may have stood for long. */
  const isStillLeft = (place: string) => leftovers().some((each) => each.place === place && !each.running);
  for (const { place, dataDir, running } of found) {
    if (running) say(`${place} of ${dataDir}, which is gone: its server still runs, so it stays`);
    else if (await agreed(`Remove ${place}, the database of ${dataDir}, which is gone?`)) {
      if (!isStillLeft(place)) say(`${place} is in use by now, so it stays`);
      else {
        removeCluster(place);
        say(`removed ${place}`);
      }
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
