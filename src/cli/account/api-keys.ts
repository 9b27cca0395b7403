// Commands that create accounts, and that create, list and revoke their keys. A key is shown once, when it is made: only its digest is
// stored.

import { apiKeyIdPrefix } from '../../core/accounts/api-key.ts';
import { isId } from '../../core/ids.ts';
import { limitsOf, linesOf, nameOf, sendsUnit } from '../../core/limits/budget.ts';
import { budgetAfter, readBudgetChange } from '../../core/limits/budget-change.ts';
import { inherited, type KeyRestrictions, unrestricted } from '../../core/limits/key-restrictions.ts';
import { formatFixed } from '../../core/money/money.ts';
import type { ApiKey } from '../../engine/accounts/accounts.ts';
import { madeByOperator } from '../../engine/accounts/api-keys.ts';
import { scopeValues } from '../../gen/values.ts';
import { expiryOf, flag, oneOf, pageSize, Refusal, readText, sayRows, someOf, text, texts } from '../command.ts';
import { command } from '../program.ts';
import { type AccountTools, modes } from './tools.ts';

const languages = ['ar', 'fr', 'en'];

export const keyCommands = [
  command({
    names: ['create'],
    usage: `
  create <name> [--language ar|fr|en]
      makes an account; prints its id, its live and its test key`,
    takes: ['<name>'],
    options: { language: text },
    run: (tools: AccountTools, { words: [name = ''], values }) => create(tools, { name, ...values }),
  }),
  command({
    names: ['key create'],
    usage: `
  key create <account id> [--mode live|test] [--name …] [--person …] [--scopes verify,read,manage,numbers,custom_code]
      [--expires 2027-01-31] [--budget sends_per_hour=N|sends_per_day=N|spend_per_hour:DZD=N|spend_per_day:DZD=N]…
      --person: who uses it, where it is not a program; the audit log names them`,
    takes: ['<account id>'],
    options: { mode: text, name: text, person: text, scopes: text, expires: text, budget: texts },
    run: (tools: AccountTools, { words: [accountId = ''], values }) => createOneKey(tools, { accountId, ...values }),
  }),
  command({
    names: ['key list'],
    usage: `
  key list <account id> [--revoked]`,
    takes: ['<account id>'],
    options: { revoked: flag },
    run: (tools: AccountTools, { words: [accountId = ''], values: { revoked = false } }) =>
      listKeys(tools, { accountId, revoked }),
  }),
  command({
    names: ['key revoke'],
    usage: `
  key revoke <key id> [--force]
      --force: the last live key with the scope manage, too
  key revoke --all <account id>
      every key of the account, in both modes`,
    takes: ['<key id>'],
    options: { force: flag, all: flag },
    run: (tools: AccountTools, { words: [id = ''], values: { force = false, all } }) =>
      all ? revokeAllKeys(tools, id) : revokeKey(tools, id, force),
  }),
];

async function create(tools: AccountTools, asked: { name: string; language?: string | undefined }) {
  const name = readText('<name>', asked.name, 'name');
  const language = oneOf('--language', asked.language ?? 'ar', languages);
  await tools.requireRing();
  const { id, liveKey, testKey } = await tools.accounts.create({ name, language, actor: tools.actor });
  tools.say(`account   ${id}`);
  tools.say(`live key  ${liveKey.key}`);
  tools.say(`test key  ${testKey.key}`);
  tools.say('The keys are not shown again.');
}

interface KeyWords {
  accountId: string;
  mode?: string | undefined;
  name?: string | undefined;
  person?: string | undefined;
  scopes?: string | undefined;
  expires?: string | undefined;
  /** Budgets in the form of `limits --budget`. */
  budget?: string[] | undefined;
}

async function createOneKey(tools: AccountTools, words: KeyWords): Promise<void> {
  const { accountId } = words;
  const name = readText('--name', words.name ?? '', 'name') || 'made by the operator';
  const mode = oneOf('--mode', words.mode ?? 'live', modes);
  const scopes = someOf('--scopes', words.scopes, scopeValues);
  const expiresAt = expiryOf(words.expires, tools.now());
  const person = readText('--person', words.person ?? '', 'name');
  const restrictions = words.budget ? withBudget(words.budget) : null;
  const created = { accountId, mode, name, person, scopes, expiresAt, restrictions };
  const request = { ...created, createdBy: madeByOperator, actor: tools.actor };
  await tools.requireRing();
  const made = await tools.accounts.keys.create(request);
  if (made.kind === 'account_not_found') throw new Refusal(`no account ${accountId}`, 1);
  if (made.kind === 'account_closed') throw new Refusal('the account is closed: reopen it first', 1);
  if (made.kind === 'account_suspended') throw new Refusal('the account is suspended: resume it first', 1);
  if (made.kind === 'maker_revoked') throw new Error('the operator of the service is no key that could be revoked');
  if (made.kind === 'too_many') throw new Refusal(`the account has ${made.most} working ${mode} keys already`, 1);
  tools.say(`key id  ${made.issued.apiKey.id}`);
  tools.say(`key     ${made.issued.key}`);
  tools.say('The key is not shown again.');
}

async function listKeys(tools: AccountTools, { accountId, revoked }: { accountId: string; revoked: boolean }) {
  const page = { limit: pageSize, includeRevoked: revoked };
  const read = (before: string | null) => tools.accounts.keys.list(accountId, modes, { ...page, before });
  const count = await sayRows(read, (row) => tools.say(describe(row)));
  if (count === 0) throw new Refusal(`no keys of an account ${accountId}`, 1);
}

/** The rule of the last live `manage` key holds for the operator too, unless `force` is given: a key that is stolen must end. */
async function revokeKey(tools: AccountTools, id: string, force: boolean): Promise<void> {
  const outcome = isId(apiKeyIdPrefix, id)
    ? await tools.accounts.keys.revoke({ accountId: null, id, modes, force, actor: tools.actor })
    : { kind: 'not_found' as const };
  if (outcome.kind === 'not_found') throw new Refusal(`no key ${id}: an id begins with ${apiKeyIdPrefix}`, 1);
  if (outcome.kind === 'last_manage_key') {
    const what = "it is the account's last live key with the scope manage";
    throw new Refusal(`${what}: make another one first, or revoke it with --force`, 1);
  }
  tools.say(describe(outcome.apiKey));
}

async function revokeAllKeys(tools: AccountTools, accountId: string): Promise<void> {
  const rows = await tools.accounts.keys.revokeAll(accountId, tools.actor);
  if (!rows) throw new Refusal(`no account ${accountId}`, 1);
  for (const row of rows) tools.say(describe(row));
  tools.say(`${rows.length} ${rows.length === 1 ? 'key' : 'keys'} revoked`);
}

function describe(row: ApiKey): string {
  const day = (at: Date | null, otherwise: string) => at?.toISOString() ?? otherwise;
  const state = row.revoked_at ? `revoked ${day(row.revoked_at, '')}` : `expires ${day(row.expires_at, 'never')}`;
  const used = `last used ${day(row.last_used_at, 'never')}`;
  const maker = row.created_by === null ? 'maker not known' : `made by ${row.created_by}`;
  const person = row.person === '' ? [] : [`used by ${row.person}`];
  return [row.id, row.hint, row.scopes.join(','), state, used, row.name, ...person, maker, ...budgetsOf(row)].join(
    '  ',
  );
}

/** The budgets of a key, in the form of `--budget`. */
function budgetsOf({ restrictions }: ApiKey): string[] {
  const lines = linesOf({ accountId: '', limits: restrictions?.budget ?? {}, keys: [] });
  return lines.map((line) => {
    const currency = line.unit === sendsUnit ? '' : `:${line.unit}`;
    return `budget ${nameOf(line)}${currency}=${formatFixed(line.limit)}`;
  });
}

/** Nothing of a key's budget is the deployment's, and what is not limited is left out. */
function withBudget(words: readonly string[]): KeyRestrictions | null {
  const changes = words.map((text) => {
    const change = readBudgetChange(text);
    if (change && typeof change === 'object' && Number(change.value) > 0) return change;
    const budgets = 'sends_per_hour=N, sends_per_day=N, spend_per_hour:DZD=N or spend_per_day:DZD=N';
    throw new Refusal(`--budget must be ${budgets}, N more than 0`, 2);
  });
  const after = budgetAfter(null, changes); // none of them says unlimited, so they never conflict
  const own = after.kind === 'changed' ? after.budget : null;
  const asked = { ...unrestricted, budget: limitsOf({}, own ?? {}) };
  const made = inherited({ keyId: madeByOperator, restrictions: unrestricted }, asked);
  return made.kind === 'ok' ? made.restrictions : null;
}
