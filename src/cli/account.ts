// `npm run account -- …`: administration of accounts, keys and sender names, straight on the database, because it must work without a
// running service. Each group of commands is in account/, with its usage.

import { randomBytes } from 'node:crypto';
import { ofCell } from '../core/fleet/cells.ts';
import { idSource } from '../core/ids.ts';
import { rulesOf } from '../core/verify/rules.ts';
import { withSchema } from '../db/schema.ts';
import { Accounts } from '../engine/accounts/accounts.ts';
import type { AccountsContext } from '../engine/accounts/context.ts';
import { AccountExport } from '../engine/erasure/export.ts';
import { platformLimit } from '../engine/limits/number-limits.ts';
import { Stops } from '../engine/limits/stops.ts';
import { keyCommands } from './account/api-keys.ts';
import { autofillCommands } from './account/autofill.ts';
import { closingCommands } from './account/closing.ts';
import { controlCommands } from './account/control.ts';
import { limitCommand } from './account/limits.ts';
import { platformCommands } from './account/platform-lists.ts';
import { senderCommands } from './account/senders.ts';
import { stopCommands } from './account/stops.ts';
import type { AccountTools } from './account/tools.ts';
import { wordingCommands } from './account/wording.ts';
import { cliActor } from './actor.ts';
import { lineByLine, type VerbOptions } from './command.ts';
import { type Opened, requireOthers, requireRing, withDatabase } from './database.ts';
import { commandOf, type Program, runProgram } from './program.ts';

const program: Program<AccountTools> = {
  call: 'npm run account --',
  commands: [
    ...keyCommands,
    ...controlCommands,
    ...closingCommands,
    limitCommand,
    ...stopCommands,
    ...platformCommands,
    ...senderCommands,
    ...autofillCommands,
    ...wordingCommands,
  ],
};

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export const account = (args: readonly string[], options: VerbOptions): Promise<number> =>
  runProgram(program, { args, ...options }, (run) =>
    withDatabase(options, 'ramz account', async (opened) => run(toolsOn(opened, options.say))),
  );

/** Runs the command that the words name; reads no environment. @throws Refusal with what is wrong, for the terminal. */
export async function runAccount(args: readonly string[], tools: AccountTools): Promise<void> {
  await commandOf(program, args)({ ...tools, say: lineByLine(tools.say) });
}

function toolsOn(opened: Opened, say: (line: string) => void): AccountTools {
  const { config, database, cells, named, map } = opened;
  const { keyRing: ring, liveKeyPrefix: livePrefix, testKeyPrefix: testPrefix } = config.server;
  const context: AccountsContext = {
    db: withSchema(database.db),
    ring,
    now: Date.now,
    ids: idSource({ now: Date.now, randomBytes }),
    prefixes: { livePrefix, testPrefix },
    settings: {
      operators: config.operators.map(({ id }) => id),
      closedAccountDays: config.service.closedAccountDays,
    },
  };
  const { limits } = config;
  const dbs = { home: database.plain, cells: cells.map(({ plain }) => plain) };
  return {
    ...context,
    cells: { map, of: (name) => withSchema(ofCell(named, name).db) },
    accounts: new Accounts(context),
    stops: new Stops(context),
    exports: new AccountExport(dbs, Date.now, {
      ring,
      settings: { rules: rulesOf(config.verify, { appDeliverySeconds: 0, ringSeconds: 0 }) },
    }),
    sendLimits: {
      platformPerNumberPerHour: platformLimit(limits.platformSendsPerNumberPerHour, limits.sendsPerNumberPerHour),
      platformPerNumberPerDay: platformLimit(limits.platformSendsPerNumberPerDay, limits.sendsPerNumberPerDay),
    },
    actor: cliActor(),
    requireRing: () => requireRing(opened),
    requireOthers: () => requireOthers(named),
    say: lineByLine(say),
  };
}
