// `npm run account -- …`: administration of accounts, keys and sender names, straight on the database, because it must work without a
// running service. Exit code and the choice of the words are here; each group of words is in account/.

import { randomBytes } from 'node:crypto';
import { idSource } from '../core/ids.ts';
import type { KeyRing } from '../core/secrets/key-ring.ts';
import { rulesOf } from '../core/verify/rules.ts';
import { withSchema } from '../db/schema.ts';
import { type Databases, requiredKeys } from '../db/secrets/required-keys.ts';
import { Accounts } from '../engine/accounts/accounts.ts';
import type { AccountsContext } from '../engine/accounts/context.ts';
import { AccountExport } from '../engine/erasure/export.ts';
import { Stops } from '../engine/limits/stops.ts';
import { create, createOneKey, listKeys, revokeAllKeys, revokeKey } from './account/api-keys.ts';
import {
  decideAutofillValue,
  decideSender,
  decideWordingValue,
  listAutofillValues,
  listSenders,
  listWordingValues,
} from './account/approvals.ts';
import { close, exportAll, reopen } from './account/closing.ts';
import { approve, resume, show, showSuspended, showWaiting, suspend, unlock } from './account/control.ts';
import { limitOptions, limits } from './account/limits.ts';
import { addToPlatform, listPlatform, removeFromPlatform } from './account/platform-lists.ts';
import { liftStop, listStops } from './account/stops.ts';
import type { AccountTools } from './account/tools.ts';
import { cliActor } from './actor.ts';
import { exitCodeOf, Refusal, readWords } from './command.ts';
import { withDatabase } from './database.ts';

export interface AccountOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export async function account(args: readonly string[], { env, say }: AccountOptions): Promise<number> {
  return exitCodeOf({ args, usage, say }, async () => {
    if (args.length === 0) throw new Refusal(usage, 2);
    await onDatabase(env, args, say);
  });
}

async function onDatabase(env: NodeJS.ProcessEnv, args: readonly string[], say: (line: string) => void) {
  await withDatabase(env, 'ramz account', async ({ config, database, cells }) => {
    const ring = config.server.keyRing;
    if (hashes(args)) await requireRing({ home: database.lanes, cells: cells.map(({ lanes }) => lanes) }, ring);
    const context: AccountsContext = {
      db: withSchema(database.db),
      ring,
      now: Date.now,
      ids: idSource({ now: Date.now, randomBytes }),
      prefixes: { livePrefix: config.server.liveKeyPrefix, testPrefix: config.server.testKeyPrefix },
      settings: {
        operators: config.operators.map(({ id }) => id),
        closedAccountDays: config.service.closedAccountDays,
      },
    };
    const inCells = cells.map(({ db }) => withSchema(db));
    await runAccount(args, {
      ...context,
      cells: inCells,
      accounts: new Accounts(context),
      stops: new Stops(context),
      exports: new AccountExport({ home: database.plain, cells: cells.map(({ plain }) => plain) }, Date.now, {
        ring,
        settings: { rules: rulesOf(config.verify, 0) },
      }),
      actor: cliActor(),
      say,
    });
  });
}

/** With another ring a new key would be refused by every running process, and a number on a list would not be found. */
const hashes = ([noun, verb]: readonly string[]): boolean =>
  noun === 'create' ||
  (noun === 'key' && verb === 'create') ||
  (noun === 'platform' && (verb === 'block' || verb === 'allow'));

async function requireRing(databases: Databases, ring: KeyRing): Promise<void> {
  const keys = await requiredKeys(databases, ring);
  if (keys.kind === 'missing') throw new Refusal(keys.reason, 1);
}

const usage = `usage: npm run account -- <words>

  create <name> [--language ar|fr|en]
      makes an account; prints its id, its live and its test key
  key create <account id> [--mode live|test] [--name …] [--person …] [--scopes verify,read,manage,numbers,custom_code]
      [--expires 2027-01-31] [--budget sends_per_hour=N|sends_per_day=N|spend_per_hour:DZD=N|spend_per_day:DZD=N]…
      --person: who uses it, where it is not a program; the audit log names them
  key list <account id> [--revoked]
  key revoke <key id> [--force]
      --force: the last live key with the scope manage, too
  key revoke --all <account id>
      every key of the account, in both modes
  show <account id>
      its name, approval, suspension and limits
  approve <account id>
      lets the live keys work of an account that was made by open registration
  waiting
      accounts that wait for approval
  suspend <account id> [--reason …]
      refuses its keys everywhere within a second, sends nothing more, holds its webhooks
  resume <account id>
  close <account id> [--reason …]
      as suspend; and once it was closed for long enough (service.closed_account_days), everything of it is deleted
  reopen <account id>
      as it was before, until then
  export <account id>
      everything stored about it, as lines of JSON without secrets
  unlock <account id> <+number> [--mode live|test]
      lets checks of a number be answered again that too many wrong codes have locked
  suspended
      accounts that are suspended
  limits <account id> [--sends-per-second N] [--sends-per-number-per-hour N] [--sends-per-number-per-day N]
      [--client-ip-sends-per-hour N] [--client-ip-sends-per-day N] [--client-device-sends-per-hour N]
      [--client-device-sends-per-day N] [--client-user-agent-sends-per-hour N] [--client-user-agent-sends-per-day N]
      [--unlimited-numbers true|false] [--rule <rule>=off|monitor|enforce]…
      [--budget none|sends_per_hour=N|sends_per_day=N|spend_per_hour:DZD=N|spend_per_day:DZD=N]… [--reset]
      a budget of "unlimited" is none, also for all currencies: spend_per_day=unlimited
      limits of this account instead of the platform's; "default" or --reset: the platform's again; prints what holds
  stop list [<account id>] [--active]
      prefixes that are or were closed for an hour because what was sent there looks like SMS pumping, of all accounts or one
  stop lift <stop id>
      ends a stop at once
  platform list
      numbers and prefixes on the lists that hold for all accounts
  platform block|allow <+number or +prefix*> [--note …]
  platform remove <entry id>
  sender list
      sender names that wait for an operator, of all accounts
  sender approve|reject|revoke <sender id> <operator>… [--reason …]
      records what operators decided
  autofill list [<account id>]
      sites and apps that wait for your approval, of all accounts; or all of one account
  autofill approve|revoke <account id> <web origin, app hash or package name>
      lets live sends of the account name them for autofill, or no longer
  wording list [<account id>]
      brands and SMS texts that wait for your approval, of all accounts; or all of one account
  wording approve|reject <account id> brand|ar|fr|en <brand or text> [--reason …]
      lets SMS of the account have the brand, or the text in that language, or no longer`;

const read = <Options extends Parameters<typeof readWords>[1]>(
  args: readonly string[],
  options: Options,
  least: number,
  most = least,
) => readWords({ args, usage }, options, least, most);

/** Words that stand alone; all others are two. */
const single = [
  'create',
  'show',
  'unlock',
  'approve',
  'waiting',
  'suspend',
  'resume',
  'close',
  'reopen',
  'export',
  'suspended',
  'limits',
];

/** Runs the words of one command line; reads no environment. @throws Refusal with what is wrong, for the terminal. */
export async function runAccount(args: readonly string[], tools: AccountTools): Promise<void> {
  const [noun, verb, ...rest] = args;
  switch (single.includes(noun ?? '') ? noun : `${noun} ${verb ?? ''}`) {
    case 'create': {
      const { values, words } = read(args.slice(1), { language: { type: 'string' } }, 1);
      return create(tools, { name: words[0] ?? '', language: values.language });
    }
    case 'unlock': {
      const { values, words } = read(args.slice(1), { mode: { type: 'string' } }, 2);
      return unlock(tools, { accountId: words[0] ?? '', number: words[1] ?? '', ...values });
    }
    case 'key create': {
      const text = { type: 'string' } as const;
      const budget = { type: 'string', multiple: true } as const;
      const own = { mode: text, name: text, person: text, scopes: text, expires: text, budget };
      const { values, words } = read(rest, own, 1);
      return createOneKey(tools, { accountId: words[0] ?? '', ...values });
    }
    case 'key list': {
      const { values, words } = read(rest, { revoked: { type: 'boolean' } }, 1);
      return listKeys(tools, { accountId: words[0] ?? '', revoked: values.revoked ?? false });
    }
    case 'key revoke': {
      const { values, words } = read(rest, { force: { type: 'boolean' }, all: { type: 'boolean' } }, 1);
      if (values.all) return revokeAllKeys(tools, words[0] ?? '');
      return revokeKey(tools, words[0] ?? '', values.force ?? false);
    }
    case 'show':
      return show(tools, read(args.slice(1), {}, 1).words[0] ?? '');
    case 'approve':
      return approve(tools, read(args.slice(1), {}, 1).words[0] ?? '');
    case 'waiting':
      read(args.slice(1), {}, 0);
      return showWaiting(tools);
    case 'suspend': {
      const { values, words } = read(args.slice(1), { reason: { type: 'string' } }, 1);
      return suspend(tools, words[0] ?? '', values.reason);
    }
    case 'resume':
      return resume(tools, read(args.slice(1), {}, 1).words[0] ?? '');
    case 'close': {
      const { values, words } = read(args.slice(1), { reason: { type: 'string' } }, 1);
      return close(tools, words[0] ?? '', values.reason);
    }
    case 'reopen':
      return reopen(tools, read(args.slice(1), {}, 1).words[0] ?? '');
    case 'export':
      return exportAll(tools, read(args.slice(1), {}, 1).words[0] ?? '');
    case 'platform list':
      read(rest, {}, 0);
      return listPlatform(tools);
    case 'platform block':
    case 'platform allow': {
      const { values, words } = read(rest, { note: { type: 'string' } }, 1);
      const list = verb === 'block' ? 'block' : 'allow';
      return addToPlatform(tools, list, { value: words[0] ?? '', note: values.note });
    }
    case 'platform remove':
      return removeFromPlatform(tools, read(rest, {}, 1).words[0] ?? '');
    case 'suspended':
      read(args.slice(1), {}, 0);
      return showSuspended(tools);
    case 'limits': {
      const { values, words } = read(args.slice(1), limitOptions, 1);
      return limits(tools, words[0] ?? '', values);
    }
    case 'stop list': {
      const { values, words } = read(rest, { active: { type: 'boolean' } }, 0, 1);
      return listStops(tools, words[0] ?? null, values.active ?? false);
    }
    case 'stop lift':
      return liftStop(tools, read(rest, {}, 1).words[0] ?? '');
    case 'sender list':
      read(rest, {}, 0);
      return listSenders(tools);
    case 'sender approve':
    case 'sender reject':
    case 'sender revoke': {
      const { values, words } = read(rest, { reason: { type: 'string' } }, 2, Number.POSITIVE_INFINITY);
      const [senderId = '', ...operators] = words;
      const decision = verb === 'approve' ? 'approved' : verb === 'reject' ? 'rejected' : 'revoked';
      return decideSender(tools, { senderId, operators, decision, reason: values.reason ?? '' });
    }
    case 'autofill list':
      return listAutofillValues(tools, read(rest, {}, 0, 1).words[0] ?? null);
    case 'autofill approve':
    case 'autofill revoke': {
      const [accountId = '', value = ''] = read(rest, {}, 2).words;
      return decideAutofillValue(tools, { accountId, value, approved: verb === 'approve' });
    }
    case 'wording list':
      return listWordingValues(tools, read(rest, {}, 0, 1).words[0] ?? null);
    case 'wording approve':
    case 'wording reject': {
      const { values, words } = read(rest, { reason: { type: 'string' } }, 3);
      const [accountId = '', kind = '', value = ''] = words;
      const status = verb === 'approve' ? 'approved' : 'rejected';
      return decideWordingValue(tools, { accountId, kind, value, status, reason: values.reason ?? null });
    }
    default:
      throw new Refusal(usage, 2);
  }
}
