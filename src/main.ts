// The command line: the choice of a verb. Verbs are imported when they are chosen, so that none waits for the code of another.

import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { collectSeldom } from './app/v8-flags.ts';
import { Refused } from './core/refused.ts';

// Compiled code, without its types, is kept beside the packages: a start takes half as long. Where that can't be written,
// nothing is kept.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

/** An error of what was written: a key, a ring or an export may be lost, on a full disk for one. A script must not take that for done. */
let isUnwritten = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A terminal or a reader that went away must not end the process half-way through its shutdown.
    if (code === 'EPIPE' || (code === 'EIO' && stream.isTTY) || isUnwritten) return;
    isUnwritten = true;
    process.exitCode ||= 1;
    complain(`ramz: not all of the output could be written: ${message}`);
  });
}

// Nothing comes back: what a verb returns last is its exit code, and a stream returns a boolean.
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);
const write = (output: string | Uint8Array): void => void process.stdout.write(output);
const program = (verb: string) => [...process.execArgv, fileURLToPath(import.meta.url), verb];

interface Verb {
  name: string;
  about: string;
  /** Resolves with the exit code. @param words What follows the verb. */
  run(words: readonly string[]): Promise<number>;
}

/** A verb that takes no words: one that was meant for another is not passed over. */
const alone = (name: string, about: string, work: () => Promise<number>): Verb => ({
  name,
  about,
  run: async (words) => {
    if (words.length === 0) return work();
    const { exitCodeOf, readWords } = await import('./cli/command.ts');
    const usage = `usage: npm run ramz -- ${name}\n\n  ${about}`;
    return exitCodeOf({ args: words, usage, say, complain }, async () => {
      readWords(words, {}, []);
      return work();
    });
  },
});

const { env } = process;

const verbs: readonly Verb[] = [
  {
    name: 'start',
    about: 'everything at once, with a sandbox of operators and phones (npm start)',
    run: async (args) => (await import('./launch/launch.ts')).launch({ args, env, program, say }),
  },
  alone('serve', 'the service alone; settings in docs/configuration.md', async () => {
    collectSeldom();
    return (await import('./serve.ts')).serve({ env, say });
  }),
  alone('migrate', 'brings the database up to this version, then ends', async () =>
    (await import('./cli/migrate.ts')).migrateDatabase({ env, say }),
  ),
  alone('sandbox', 'the sandbox alone: three operators, an inbox, a webhook endpoint', async () =>
    (await import('./cli/sandbox.ts')).sandbox({ env, say }),
  ),
  {
    name: 'account',
    about: 'accounts, keys and sender names, for the operator of the service',
    run: async (words) => (await import('./cli/account.ts')).account(words, { env, say, complain }),
  },
  {
    name: 'administrators',
    about: 'the people who run it: list, create, revoke',
    run: async (words) => (await import('./cli/administrators.ts')).administrators(words, { env, say, complain }),
  },
  {
    name: 'operators',
    about: 'how operators stand, what is parked; pause, resume, rebind',
    run: async (words) => (await import('./cli/operators.ts')).operators(words, { env, say, complain }),
  },
  {
    name: 'messaging',
    about: 'check: the same as doctor messaging',
    run: async (words) => {
      if (words.join(' ') === 'check') return runVerb(['doctor', 'messaging']);
      say('usage: npm run ramz -- messaging check');
      return words[0] === 'help' || words.includes('--help') ? 0 : 2;
    },
  },
  {
    name: 'report',
    about: 'what was sent, delivered, verified and paid',
    run: async (words) => (await import('./cli/report.ts')).report(words, { env, say, complain }),
  },
  {
    name: 'cells',
    about: 'which shards are in which database; moves some (docs/scale.md)',
    run: async (words) => (await import('./cli/cells.ts')).cells(words, { env, say, complain }),
  },
  {
    name: 'erase',
    about: 'takes a phone number out of everything stored of it',
    run: async (words) => (await import('./cli/erase.ts')).erase(words, { env, say, complain }),
  },
  {
    name: 'keys',
    about: 'the key ring: makes one, says how its keys stand, rotates and removes them',
    run: async (words) => (await import('./cli/keys.ts')).keys(words, { env, say, complain, write }),
  },
  {
    name: 'destroy',
    about: 'removes a data directory and its embedded database, wherever that lies',
    run: async (words) => {
      const { askInTerminal, destroy } = await import('./cli/destroy.ts');
      return destroy(words, { env, say, ask: process.stdin.isTTY ? askInTerminal : null });
    },
  },
  {
    name: 'send',
    about: 'plays one verification against a running `npm start`',
    run: async (words) => (await import('./cli/send.ts')).send(words, { env, say, complain }),
  },
  {
    name: 'prompts',
    about: 'the clips that calls are made of: list, play, import',
    run: async (words) => (await import('./cli/prompts.ts')).prompts(words, { env, say, complain, write }),
  },
  {
    name: 'doctor',
    about: 'checks what a deployment is made of: doctor prompts, doctor operators, doctor messaging',
    run: async (words) => (await import('./cli/doctor.ts')).doctor(words, { env, say, complain }),
  },
];

async function runVerb([name, ...words]: readonly string[]): Promise<number> {
  const verb = verbs.find((each) => each.name === name);
  if (verb) return verb.run(words);
  const usage = `usage: npm run ramz -- <verb>\n\n${verbs.map((each) => `  ${each.name.padEnd(16)}${each.about}`).join('\n')}\n`;
  if (name === undefined || name === 'help' || name === '--help') {
    say(usage);
    return 0;
  }
  complain(`${usage}\n"${name}" is no verb`);
  return 2;
}

/** The image leaves out what only `npm start` runs (Dockerfile), and so the files of some verbs. In a checkout a file that is missing is a bug. */
const isLeftOut = (error: Error): boolean =>
  'url' in error &&
  String(error.url).startsWith(new URL('.', import.meta.url).href) &&
  !existsSync(new URL('launch', import.meta.url));

async function describe(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refused) return error.message;
  if (isLeftOut(error)) return 'this verb is not in the image: use it in a checkout of the repository';
  const { databaseProblem } = await import('./db/connections/problem.ts');
  return databaseProblem(error, env) ?? error.stack ?? error.message;
}

runVerb(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code || (isUnwritten ? 1 : 0);
  },
  async (error: unknown) => {
    process.exitCode = 1;
    complain(`ramz: ${await describe(error)}`);
  },
);
