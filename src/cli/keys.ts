// `ramz keys`: makes a key ring, says how its keys stand over all running processes, rotates them and removes what is old. The ring is text in
// a file; everything else goes through the database, so that any process may be on another host.

import { randomBytes } from 'node:crypto';
import { newKeyRing } from '../core/secrets/key-ring.ts';
import { databaseProblem } from '../db/connections/problem.ts';
import { alone } from '../db/lock-patience.ts';
import { isOutage } from '../db/outage.ts';
import { inside } from '../db/queryable.ts';
import { withSchema } from '../db/schema.ts';
import { Rotation } from '../engine/secrets/rotation.ts';
import { cliActor } from './actor.ts';
import { flag, Refusal, text } from './command.ts';
import { besideSandbox, requireOthers, withDatabase } from './database.ts';
import { type Fleet, giveUp, purposesOf, remove, rotate } from './keys/orders.ts';
import { readRing } from './keys/ring-file.ts';
import { statusJson, statusLines } from './keys/status.ts';
import { command, type Program, runProgram } from './program.ts';

export interface KeysOptions {
  env: NodeJS.ProcessEnv;
  /** A line for the person who runs it. */
  say(line: string): void;
  /** What went wrong: a ring may go where `say` does. By default `say`. */
  complain?(line: string): void;
  /** To stdout: a ring, and nothing else. */
  write(text: string): void;
  /** See `RotationOptions`. */
  settledMs?: number;
}

const waiting = { print: flag, wait: text };

const program: Program<KeysOptions> = {
  call: 'npm run ramz -- keys',
  commands: [
    command({
      names: ['new'],
      usage: `
  new > key_ring.json
      writes a key ring with a new key for each purpose to stdout; RAMZ_KEY_RING names the file (npm run --silent)`,
      run: async ({ write }: KeysOptions) => write(newKeyRing((size) => randomBytes(size))),
    }),
    command({
      names: ['status'],
      usage: `
  status [--json]
      every key: who uses it, what names it, whether it may be removed`,
      options: { json: flag },
      run: (options: KeysOptions, { values: { json = false } }) =>
        onFleet(options, {}, async ({ rotation, kept, say }) => {
          const look = await rotation.look(kept.ring);
          say(json ? statusJson(look) : statusLines(look).join('\n'));
          return 0;
        }),
    }),
    command({
      names: ['rotate'],
      usage: `
  rotate [<purpose> …] [--wait 30] [--print]
      adds a key for each purpose, or for these, and makes it current once every running process has it;
      run again, it goes on where it stopped`,
      takes: ['[<purpose> …]'],
      options: waiting,
      run: (options: KeysOptions, { words, values }) =>
        onFleet(options, { ...values, changes: true }, (fleet) => rotate(fleet, purposesOf(words, fleet.kept))),
    }),
    command({
      names: ['remove'],
      usage: `
  remove <key id> [--wait 30] [--print]
      takes a key out of the ring that nothing names and no process uses any more
  remove <key id> --lost
      gives up a key that no ring has any more: what it protected is lost, and stops no start`,
      takes: ['<key id>'],
      options: { ...waiting, lost: flag },
      run: (options: KeysOptions, { words: [id = ''], values: { lost = false, ...values } }) =>
        onFleet(options, { ...values, changes: true }, (fleet) => (lost ? giveUp(fleet, id) : remove(fleet, id))),
    }),
  ],
  notes: `

  --wait    seconds for which running processes are waited for
  --print   writes the changed ring to stdout and not where it is kept (npm run --silent): for a secret store

docs/service-keys.md says what each purpose is for, and what its loss means.`,
};

/** Resolves with the exit code: 0 done, 1 refused or not finished, 2 not understood. */
export const keys = (args: readonly string[], options: KeysOptions): Promise<number> =>
  runProgram(program, { args, ...options }, (run) => run(options));

const RING_LOCK = 0x72616d80; // Beside that of the purge.

interface FleetOptions {
  wait?: string | undefined;
  print?: boolean | undefined;
  /** One command at a time changes the ring, from where it reads it to where all processes have it. */
  changes?: boolean;
}

/** @throws Refusal */
async function onFleet(
  options: KeysOptions,
  { wait = '30', print = false, changes = false }: FleetOptions,
  work: (fleet: Fleet) => Promise<number>,
): Promise<number> {
  const { env, say, write, settledMs } = options;
  if (!/^\d{1,5}$/.test(wait)) throw new Refusal('--wait must be a whole number of seconds, 0 to 99999', 2);
  try {
    return await withDatabase(options, 'ramz keys', async ({ database, cells, named }) => {
      const others = await requireOthers(named);
      const databases = { home: inside(database.db), cells: cells.map(({ db }) => inside(db)) };
      const db = withSchema(database.db);
      const settled = settledMs === undefined ? {} : { settledMs };
      const rotation = new Rotation({ db, databases, actor: cliActor(), ...settled });
      const run = () =>
        work({
          rotation,
          databases,
          reached: { home: databases.home, cells: [database, ...others].map(({ db }) => inside(db)) },
          kept: readRing(besideSandbox(env)),
          print: print ? write : null,
          // Lines would be taken for the ring.
          say: print ? (line: string) => process.stderr.write(`${line}\n`) : say,
          waitMs: Number(wait) * 1_000,
        });
      if (!changes) return run();
      // At home, because another copy of the ring may be on another host.
      const done = await alone(database.db, RING_LOCK, { patienceMs: 0 }, run);
      if (done) return done.result;
      throw new Refusal(
        'another `ramz keys` command changes the ring of this service: run this again once it has ended',
        1,
      );
    });
  } catch (error) {
    if (!isOutage(error)) throw error;
    const why = databaseProblem(error, env) ?? String(error);
    throw new Refusal(`nothing is known of keys without every database: ${why}`, 1);
  }
}
