// `ramz keys`: makes a key ring, says how its keys stand over all running processes, rotates them and removes what is old. The ring is text in
// a file; everything else goes through the database, so that any process may be on another host.

import { randomBytes } from 'node:crypto';
import { type KeyPurpose, keyPurposes, newKeyRing, parseKeyRing } from '../core/secrets/key-ring.ts';
import { withNextAsCurrent, withNextKey, withoutKey } from '../core/secrets/ring-text.ts';
import { isOutage } from '../db/outage.ts';
import { inside } from '../db/queryable.ts';
import { withSchema } from '../db/schema.ts';
import { type KeyState, knownKeys, Rotation } from '../engine/secrets/rotation.ts';
import { cliActor } from './actor.ts';
import { exitCodeOf, Refusal, readWords } from './command.ts';
import { besideSandbox, withDatabase } from './database.ts';
import { type KeptRing, readRing, writeRing } from './keys/ring-file.ts';
import { statusJson, statusLines } from './keys/status.ts';

const usage = `usage: npm run ramz -- keys <words>

  new > key_ring.json
      writes a key ring with a new key for each purpose to stdout; RAMZ_KEY_RING names the file (npm run --silent)
  status [--json]
      every key: who uses it, what names it, whether it may be removed
  rotate [<purpose> …] [--wait 30] [--print]
      adds a key for each purpose, or for these, and makes it current once every running process has it;
      run again, it goes on where it stopped
  remove <key id> [--wait 30] [--print]
      takes a key out of the ring that nothing names and no process uses any more
  remove <key id> --lost
      gives up a key that no ring has any more: what it protected is lost, and stops no start

  --wait    seconds for which running processes are waited for
  --print   writes the changed ring to stdout and not where it is kept (npm run --silent): for a secret store

docs/service-keys.md says what each purpose is for, and what its loss means.`;

export interface KeysOptions {
  env: NodeJS.ProcessEnv;
  /** A line for the person who runs it. */
  say(line: string): void;
  /** To stdout: a ring, and nothing else. */
  write(text: string): void;
  /** See `RotationOptions`. */
  settledMs?: number;
}

/** Resolves with the exit code: 0 done, 1 refused or not finished, 2 not understood. */
export async function keys(args: readonly string[], options: KeysOptions): Promise<number> {
  const { say, write } = options;
  return exitCodeOf({ args, usage, say }, async () => {
    const words = read(args);
    if (words.verb === 'new') {
      write(newKeyRing((size) => randomBytes(size)));
      return 0;
    }
    try {
      return await onFleet(words, options);
    } catch (error) {
      if (!isOutage(error)) throw error;
      throw new Refusal(`${error}: nothing is known of keys without every database`, 1);
    }
  });
}

interface Words {
  verb: string;
  rest: readonly string[];
  json: boolean;
  print: boolean;
  lost: boolean;
  waitMs: number;
}

/** The fewest and the most words after each verb. */
const counts: Readonly<Record<string, readonly [number, number]>> = {
  new: [0, 0],
  status: [0, 0],
  rotate: [0, keyPurposes.length],
  remove: [1, 1],
};

/** @throws Refusal */
function read(args: readonly string[]): Words {
  const flag = { type: 'boolean' } as const;
  const options = { json: flag, print: flag, lost: flag, wait: { type: 'string' } } as const;
  const { values, words } = readWords({ args, usage }, options, 1, 1 + keyPurposes.length);
  const [verb = '', ...rest] = words;
  const [least, most] = counts[verb] ?? [1, 0];
  const { wait = '30', json = false, print = false, lost = false } = values;
  if (rest.length < least || rest.length > most || !/^\d{1,5}$/.test(wait)) throw new Refusal(usage, 2);
  return { verb, rest, json, print, lost, waitMs: Number(wait) * 1_000 };
}

async function onFleet(words: Words, { env, say, write, settledMs }: KeysOptions): Promise<number> {
  let exitCode = 0;
  await withDatabase(env, 'ramz keys', async ({ database, cells }) => {
    const databases = { home: inside(database.db), cells: cells.map(({ db }) => inside(db)) };
    const db = withSchema(database.db);
    const rotation = new Rotation({
      db,
      databases,
      actor: cliActor(),
      ...(settledMs === undefined ? {} : { settledMs }),
    });
    const kept = readRing(besideSandbox(env));
    const print = words.print ? write : null;
    // Lines would be taken for the ring.
    const tell = print ? (line: string) => process.stderr.write(`${line}\n`) : say;
    const context: Context = { rotation, kept, print, say: tell, waitMs: words.waitMs };
    if (words.verb === 'status') {
      const look = await rotation.look(kept.ring);
      say(words.json ? statusJson(look) : statusLines(look).join('\n'));
    } else if (words.verb === 'rotate') exitCode = await rotate(context, purposesOf(words.rest, kept));
    else if (words.lost) await giveUp(context, words.rest[0] ?? '');
    else exitCode = await remove(context, words.rest[0] ?? '');
  });
  return exitCode;
}

interface Context {
  rotation: Rotation;
  kept: KeptRing;
  /** Null: the ring is written where it is kept. */
  print: ((text: string) => void) | null;
  say(line: string): void;
  waitMs: number;
}

/** @throws Refusal */
function purposesOf(names: readonly string[], { ring }: KeptRing): KeyPurpose[] {
  const there = keyPurposes.filter((purpose) => ring.has(purpose));
  for (const name of names)
    if (!there.some((purpose) => purpose === name))
      throw new Refusal(`the key ring has no purpose "${name}": it has ${there.join(', ')}`, 2);
  return there.filter((purpose) => names.length === 0 || names.includes(purpose));
}

/** Two phases: the new keys are everywhere, and only then one process after another makes things with them. */
async function rotate(
  { rotation, kept, print, say, waitMs }: Context,
  purposes: readonly KeyPurpose[],
): Promise<number> {
  if (purposes.every((purpose) => !kept.ring.next(purpose))) {
    const before = await rotation.untilCurrent(keysNamed(kept.json, purposes, 'current'), waitMs);
    if (before.length > 0)
      return unfinished(
        say,
        before,
        'The rotation before is not finished: give these processes the ring as it is, and run the same again.',
      );
  }
  const added = purposes.reduce(
    (json, purpose) => withNextKey(json, purpose, (size) => randomBytes(size)).json,
    kept.json,
  );
  const coming = keysNamed(added, purposes, 'next');
  if (print && added !== kept.json) {
    print(added);
    say('1 of 2: put this ring where it is kept, for every process, and run the same again');
    return 0;
  }
  if (added !== kept.json) writeRing(kept, added);
  say(`1 of 2: ${coming.map(({ id }) => id).join(', ')} added, not in use yet`);
  const lacking = await rotation.untilHeld(coming, waitMs);
  if (lacking.length > 0)
    return unfinished(
      say,
      lacking,
      'Copy the ring to these processes (SIGHUP reads it at once), and run the same again.',
    );
  const late = await rotation.announce(coming);
  if (late.length > 0)
    return unfinished(
      say,
      late,
      'A process has started with the old ring: copy the new one to it, and run the same again.',
    );

  const turned = purposes.reduce(withNextAsCurrent, added);
  if (print) {
    print(turned);
    say('2 of 2: put this ring where it is kept, for every process; `keys status` says when all use it');
    return 0;
  }
  writeRing({ ...kept, json: added }, turned);
  say(`2 of 2: ${coming.map(({ id }) => id).join(', ')} current`);
  const behind = await rotation.untilCurrent(coming, waitMs);
  if (behind.length > 0)
    return unfinished(say, behind, 'Copy the ring to these processes, too. Until then nothing is refused.');
  say('every process makes new things with these keys; `keys status` says when the old ones may be removed');
  return 0;
}

async function remove({ rotation, kept, print, say, waitMs }: Context, id: string): Promise<number> {
  const removed = withoutKey(kept.json, id);
  const key = await known(rotation, kept, id);
  unlessKept(id, await rotation.remove(kept.ring, key));
  if (removed.kind === 'removed') {
    if (print) print(removed.json);
    else writeRing(kept, removed.json);
  }
  if (print) return 0;
  say(`${id} is removed`);
  const holding = await rotation.untilDropped(key, waitMs);
  return holding.length > 0
    ? unfinished(say, holding, 'Copy the ring to these processes, too. Nothing needs the key.')
    : 0;
}

async function giveUp({ rotation, kept, say }: Context, id: string): Promise<void> {
  unlessKept(id, await rotation.giveUp(await known(rotation, kept, id)));
  say(`${id} is given up: what was made with it can't be read again`);
}

/** @throws Refusal */
async function known(rotation: Rotation, { ring }: KeptRing, id: string): Promise<KeyState> {
  const key = await rotation.find(ring, id);
  if (!key) throw new Refusal(`no key ${id} is in the ring, or named by anything`, 1);
  return key;
}

/** @throws Refusal */
function unlessKept(id: string, keptBy: readonly string[]): void {
  if (keptBy.length > 0) throw new Refusal([`${id} must stay:`, ...keptBy.map((why) => `  ${why}`)].join('\n'), 1);
}

function keysNamed(json: string, purposes: readonly KeyPurpose[], role: 'current' | 'next') {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
  const { ring } = parsed;
  return knownKeys(
    ring,
    purposes.flatMap((purpose) => ring[role](purpose)?.id ?? []),
  );
}

function unfinished(say: (line: string) => void, lines: readonly string[], advice: string): number {
  for (const line of lines) say(`  ${line}`);
  say(advice);
  return 1;
}
