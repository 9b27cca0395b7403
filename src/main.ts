// The command line: the choice of a verb. Verbs are imported when they are chosen, so that none waits for the code of another.

import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { collectSeldom } from './app/v8-flags.ts';

const usage = `usage: npm run ramz -- <verb>

  start      everything at once, with a sandbox of operators and phones (npm start)
  serve      the service alone; settings in docs/configuration.md
  migrate    brings the database up to this version, then ends
  sandbox    the sandbox alone: three operators, an inbox, a webhook endpoint
  account    accounts, keys and sender names, for the operator of the service
  administrators  the people who run it: list, create, revoke
  operators  how operators stand, what is parked; pause, resume, rebind
  messaging  check: the same as doctor messaging
  report     what was sent, delivered, verified and paid
  cells      which shards are in which database; moves some (docs/scale.md)
  erase      takes a phone number out of everything stored of it
  keys       the key ring: makes one, says how its keys stand, rotates and removes them
  destroy    removes a data directory and its embedded database, wherever that lies
  send       plays one verification against a running \`npm start\`
  prompts    the clips that calls are made of: list, play, import
  doctor     checks what a deployment is made of: doctor prompts, doctor operators, doctor messaging
`;

// Compiled code, without its types, is kept beside the packages: a start takes half as long. Where that can't be written,
// nothing is kept.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

// A terminal that went away must not end the process half-way through its shutdown (EPIPE, EIO).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const say = (line: string) => process.stdout.write(`${line}\n`);
const program = (verb: string) => [...process.execArgv, fileURLToPath(import.meta.url), verb];

async function run([verb, ...rest]: readonly string[]): Promise<number> {
  const { env } = process;
  switch (verb) {
    case 'start':
      return (await import('./launch/launch.ts')).launch({ args: rest, env, program, say });
    case 'serve':
      collectSeldom();
      return (await import('./serve.ts')).serve({ env, say });
    case 'migrate':
      return (await import('./cli/migrate.ts')).migrateDatabase({ env, say });
    case 'sandbox':
      return (await import('./cli/sandbox.ts')).sandbox({ env, say });
    case 'account':
      return (await import('./cli/account.ts')).account(rest, { env, say });
    case 'administrators':
      return (await import('./cli/administrators.ts')).administrators(rest, { env, say });
    case 'operators':
      return (await import('./cli/operators.ts')).operators(rest, { env, say });
    case 'report':
      return (await import('./cli/report.ts')).report(rest, { env, say });
    case 'cells':
      return (await import('./cli/cells.ts')).cells(rest, { env, say });
    case 'erase':
      return (await import('./cli/erase.ts')).erase(rest, { env, say });
    case 'keys':
      return (await import('./cli/keys.ts')).keys(rest, { env, say, write: (text) => process.stdout.write(text) });
    case 'destroy': {
      const { askInTerminal, destroy } = await import('./cli/destroy.ts');
      return destroy(rest, { env, say, ask: process.stdin.isTTY ? askInTerminal : null });
    }
    case 'send':
      return (await import('./cli/send.ts')).send(rest, { env, say });
    case 'prompts':
      return (await import('./cli/prompts.ts')).prompts(rest, {
        env,
        say,
        complain: (line) => process.stderr.write(`${line}\n`),
        write: (bytes) => process.stdout.write(bytes),
      });
    case 'messaging':
      if (rest.join(' ') === 'check') return run(['doctor', 'messaging']);
      say('usage: npm run ramz -- messaging check');
      return 2;
    case 'doctor':
      if (rest.join(' ') === 'prompts') return (await import('./cli/prompts.ts')).doctorPrompts({ env, say });
      if (rest[0] === 'operators' && rest.length <= 2)
        return (await import('./cli/operators.ts')).operators(['doctor', ...rest.slice(1)], { env, say });
      if (rest.join(' ') === 'messaging')
        return (await import('./cli/doctor-messaging.ts')).doctorMessaging({ env, say });
      say('usage: npm run ramz -- doctor prompts | operators [<operator>] | messaging');
      return 2;
    default:
      say(usage);
      return verb === undefined || verb === 'help' ? 0 : 2;
  }
}

/** The image leaves out what only `npm start` runs (Dockerfile), and so the files of some verbs. */
const isLeftOut = (error: Error): boolean =>
  'url' in error && String(error.url).startsWith(new URL('.', import.meta.url).href);

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (isLeftOut(error)) return 'this verb is not in the image: use it in a checkout of the repository';
  return error.stack ?? error.message;
};

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`ramz: ${describe(error)}\n`);
    process.exitCode = 1;
  },
);
