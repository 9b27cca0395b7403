// `npm run account -- …` on a real database: what it prints opens the API.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runAccount } from '../../../src/cli/account.ts';
import { Refusal } from '../../../src/cli/command.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { insertStop } from '../../../src/db/limits/stops.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const database = await testDatabase();
const api = await startProcess(database);
const { getAccount } = AccountService.method;

async function run(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  await runAccount(args, { ...api.tools, say: (line) => lines.push(line) });
  return lines;
}

async function refusal(...args: string[]): Promise<Refusal> {
  const error = await run(...args).catch((reason: unknown) => reason);
  if (error instanceof Refusal) return error;
  throw new Error(`not refused: ${error}`);
}

const word = (line: string | undefined) => line?.split(/ {2,}/).at(-1) ?? '';

test('an account, its keys, another key, and its end', async () => {
  const [id, live, testKey] = (await run('create', 'My Shop', '--language', 'fr')).map(word);
  const { account } = await api.call(live ?? '', getAccount);
  expect(account).toMatchObject({ id, name: 'My Shop', language: 'fr' });
  expect((await api.call(testKey ?? '', getAccount)).account?.id).toBe(id);

  const words = ['--mode', 'live', '--scopes', 'read,verify', '--name', 'report', '--expires', '2999-01-31'];
  const [keyId, key] = (await run('key', 'create', id ?? '', ...words)).map(word);
  expect(await api.refused(key ?? '', AccountService.method.updateAccount)).toMatchObject({ code: 'missing_scope' });
  const listed = await run('key', 'list', id ?? '');
  expect(listed).toHaveLength(3);
  expect(listed.join('\n')).not.toContain(key?.split('_')[3]);
  expect(listed[0]).toMatch(/verify,read {2}expires 2999-01-31T00:00:00.000Z {2}last used never {2}report/);
  expect((await run('key', 'revoke', keyId ?? ''))[0]).toContain('revoked');
  await api.authenticator.refresh();
  expect(await api.refused(key ?? '', getAccount)).toMatchObject({ code: 'revoked_api_key' });
  expect(await run('key', 'list', id ?? '')).toHaveLength(2);
  expect(await run('key', 'list', id ?? '', '--revoked')).toHaveLength(3);
  const last = listed.find((line) => line.includes('ramz_live_') && line.includes('manage'))?.split(' ')[0] ?? '';
  expect(await refusal('key', 'revoke', last)).toMatchObject({ exitCode: 1 });
});

test('nothing of an account that there is not is no list without entries', async () => {
  const { id } = await api.newAccount('Without');
  for (const words of [
    ['stop', 'list'],
    ['autofill', 'list'],
    ['wording', 'list'],
  ]) {
    expect((await refusal(...words, 'acct_x')).message).toBe('no account acct_x');
    expect((await run(...words, id)).join()).toMatch(/^no stops|nothing is registered on|has no wording of its own/);
  }
});

test('an account is closed, looked at and reopened', async () => {
  const { id, live } = await api.newAccount('Ended');
  expect((await run('close', id, '--reason', 'contract ended'))[0]).toMatch(
    / closed since [^ ]+; everything of it is deleted from /,
  );
  await api.authenticator.refresh();
  expect(await api.refused(live, getAccount)).toMatchObject({ code: 'account_closed' });
  for (const words of [['key', 'create'], ['suspend'], ['resume']])
    expect((await refusal(...words, id)).message).toBe('the account is closed: reopen it first');
  expect((await run('show', id)).join('\n')).toMatch(/closed {5}since [^\n]*\nreason {5}contract ended/);
  expect((await run('suspended')).join()).not.toContain(id);
  expect(await run('reopen', id)).toEqual([`${id}  reopened; it is active`]);
  await api.authenticator.refresh();
  expect((await api.call(live, getAccount)).account?.id).toBe(id);
  expect((await refusal('reopen', id)).message).toContain('not closed');
  expect((await refusal('close', 'acct_x')).message).toContain('no account');
});

test('a key of a person', async () => {
  const { id } = await api.newAccount();
  await run('key', 'create', id, '--name', 'desk', '--person', 'Amina Haddad', '--scopes', 'read');
  expect((await run('key', 'list', id))[0]).toMatch(/ {2}desk {2}used by Amina Haddad {2}made by operator$/);
  expect(await refusal('key', 'create', id, '--person', 'x'.repeat(101))).toMatchObject({ exitCode: 2 });
});

test('the first key is listed behind a thousand that have expired', async () => {
  const { id, liveId, testId } = await api.newAccount();
  await sql`insert into api_key select (jsonb_populate_record(k, jsonb_build_object(
      'id', 'key_zz' || n, 'expires_at', now() - interval '1 day'))).*
    from api_key k, generate_series(1, 1001) n where k.id = ${liveId}`.execute(database.db);
  const listed = (await run('key', 'list', id)).map((line) => line.split('  ')[0]);
  expect(new Set(listed).size).toBe(1003);
  expect(listed.slice(-2).sort()).toEqual([liveId, testId].sort());
});

async function waitingAccount(name: string) {
  const registered = await api.tools.accounts.register({ name, actor: tester });
  if (registered.kind !== 'created') throw new Error(registered.kind);
  return registered.created;
}

const hostile = '\u001b[2J\u009b31mShop\r\nacct_x\u202e';

test('what others have written begins no line of its own, and sends the terminal nothing', async () => {
  const { id } = await waitingAccount(hostile);
  // As before the contract and the commands wanted one line.
  const made = { mode: 'live', scopes: ['read'], expiresAt: null, restrictions: null, createdBy: 'operator' } as const;
  await api.tools.accounts.keys.create({ accountId: id, ...made, name: hostile, person: hostile, actor: tester });
  const shown = '\\u001b[2J\\u009b31mShop\\u000d\\u000aacct_x\\u202e';
  expect((await run('waiting')).find((line) => line.startsWith(id))?.endsWith(shown)).toBe(true);
  expect(await run('show', id)).toContain(`name       ${shown}`);
  expect((await run('key', 'list', id))[0]).toContain(`  ${shown}  used by ${shown}  `);
  const exported = (await run('export', id)).map((line) => JSON.parse(line));
  expect(exported.find(({ kind }) => kind === 'account').data.name).toBe(hostile);
});

test('accounts are listed by name, id and status, over pages in which few match', async () => {
  const marked = `Listed ${Date.now()}`;
  const { id: waiting } = await waitingAccount(`${marked} one`);
  const { id: suspended } = await waitingAccount(`${marked} two`);
  await run('suspend', suspended);
  // More than one page looks at.
  await sql`insert into account (id, name, created_at, approved_at)
    select 'acct_zz' || n, 'Other', now(), now() from generate_series(1, 1100) n`.execute(database.db);
  const line = (id: string, status: string, name: string) =>
    expect.stringMatching(new RegExp(`^${id} +${status} +\\d{4}-\\S+Z +${marked} ${name}$`));
  expect(await run('list', '--search', marked.toLowerCase())).toEqual([
    line(suspended, 'suspended', 'two'),
    line(waiting, 'waiting', 'one'),
  ]);
  expect(await run('list', '--search', marked, '--status', 'waiting')).toEqual([line(waiting, 'waiting', 'one')]);
  expect(await run('list', '--search', suspended)).toEqual([line(suspended, 'suspended', 'two')]);
  expect(await run('list', '--search', marked, '--status', 'closed')).toEqual(['no account matches']);
  expect((await run('list', '--status', 'active')).length).toBeGreaterThan(1100);
  expect(await refusal('list', '--status', 'open')).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('--status must be one of'),
  });
});

test('names and notes are one line, over the API and in a command', async () => {
  const name = { name: hostile };
  const { live } = await api.newAccount('متجر\u200cي');
  const inField = (field: string) => ({ code: 'invalid_argument', field });
  expect(await api.refused(adminToken, AccountService.method.createAccount, name)).toEqual(inField('name'));
  expect(await api.refused(live, ApiKeyService.method.createApiKey, name)).toEqual(inField('name'));
  const key = { name: 'desk', person: hostile };
  expect(await api.refused(live, ApiKeyService.method.createApiKey, key)).toEqual(inField('person'));
  expect(await refusal('key', 'create', 'acct_nobody', '--person', hostile)).toMatchObject({ exitCode: 2 });
});

test('an account that anyone made is approved; its live key follows at once', async () => {
  const { id, liveKey } = await waitingAccount('Anyone');
  expect(await api.refused(liveKey.key, getAccount)).toMatchObject({ code: 'account_not_approved' });
  expect((await run('waiting')).find((line) => line.startsWith(id))).toContain('Anyone');
  expect((await run('show', id)).join('\n')).toMatch(/approved {3}no\n/);
  expect((await run('approve', id))[0]).toMatch(/approved since \d{4}-/);
  await api.authenticator.refresh();
  expect((await api.call(liveKey.key, getAccount)).account?.id).toBe(id);
  expect((await run('waiting')).join()).not.toContain(id);
  expect((await refusal('approve', 'acct_x')).message).toContain('no account');
});

test('all that wait are listed, where more than a thousand may', async () => {
  const { id } = await waitingAccount('Last in the queue');
  try {
    await sql`insert into account (id, name, created_at, approved_at)
      select 'acct_zw' || n, 'Other', now() - interval '1 day', null from generate_series(1, 1001) n`.execute(
      database.db,
    );
    const listed = (await run('waiting')).map((line) => line.split('  ')[0]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((each) => each?.startsWith('acct_zw'))).toHaveLength(1001);
    expect(listed.at(-1)).toBe(id);
  } finally {
    await sql`delete from account where id like 'acct_zw%'`.execute(database.db);
  }
});

/** What each list says of more rows than one page has, all of one moment: `insert` has the columns, and the values of row n. */
test.each([
  {
    table: 'account',
    insert: `(id, name, created_at, approved_at, suspended_at) select 'acct_zs' || n, 'Other', now(), now(), now()`,
    where: `id like 'acct_zs%'`,
    lists: [['suspended']],
  },
  {
    table: 'stop',
    insert: `(id, account_id, rule, reason, prefix, sent, verified, enforced, started_at, ends_at)
      select 'stop_zz' || n, $1, 'sequential_numbers', '', '+2135512', 9, 0, true, now(), now() + interval '1 hour'`,
    lists: [
      ['stop', 'list'],
      ['stop', 'list', '--active'],
      ['stop', 'list', '$1'],
    ],
  },
  {
    table: 'sender_id',
    insert: `(id, account_id, mode, name, created_at, due_at) select 'snd_zz' || n, $1, 'live', 'N' || n, now(), now()`,
    lists: [['sender', 'list']],
  },
  {
    table: 'account_autofill',
    insert: `(account_id, mode, value, position, approved, created_at)
      select $1, 'live', 'https://s' || n || '.example', n % 2, false, now()`,
    lists: [
      ['autofill', 'list'],
      ['autofill', 'list', '$1'],
    ],
  },
  {
    table: 'account_wording',
    insert: `(account_id, mode, kind, value, status, wanted, created_at)
      select $1, 'live', 'brand', 'Shop ' || n, 'pending', true, now()`,
    lists: [
      ['wording', 'list'],
      ['wording', 'list', '$1'],
    ],
  },
])('$table: every row is listed, where there are more than a thousand', async ({ table, insert, where, lists }) => {
  const { id } = await api.newAccount();
  const named = (text: string) => text.replaceAll('$1', id);
  const rows = 1_001;
  try {
    await sql
      .raw(`insert into ${table} ${insert.replaceAll('$1', `'${id}'`)} from generate_series(1, ${rows}) n`)
      .execute(database.db);
    for (const words of lists) {
      const listed = (await run(...words.map(named))).filter((line) => line.includes(where ? 'acct_zs' : id));
      expect([words, listed.length, new Set(listed).size]).toEqual([words, rows, rows]);
    }
    if (table === 'account_wording')
      for (const value of ['Shop 1', `Shop ${rows}`])
        expect(await run('wording', 'approve', id, 'brand', value)).toEqual([
          expect.stringContaining(`"${value}"  approved`),
        ]);
  } finally {
    await sql.raw(`delete from ${table} where ${where ?? `account_id = '${id}'`}`).execute(database.db);
  }
});

test('of an account that is approved while it is stopped nothing is said to work', async () => {
  const { id } = await waitingAccount('Stopped');
  await run('suspend', id);
  expect(await run('approve', id)).toEqual([
    expect.stringContaining('approved since'),
    'It is suspended, so its keys are refused all the same.',
  ]);
});

test('an account is suspended, looked at and resumed; its keys follow at once', async () => {
  const { id, live, test: testKey, liveId } = await api.newAccount('Stopped');
  const { createApiKey } = ApiKeyService.method;
  expect((await run('suspend', id, '--reason', 'key on a paste site'))[0]).toMatch(/suspended since \d{4}-/);
  await api.authenticator.refresh();
  for (const key of [live, testKey]) {
    expect(await api.refused(key, getAccount)).toMatchObject({ code: 'account_suspended' });
    expect(await api.refused(key, createApiKey, { name: 'x' })).toMatchObject({ code: 'account_suspended' });
  }
  expect((await refusal('key', 'create', id)).message).toContain('suspended');
  expect((await run('show', id)).join('\n')).toMatch(/suspended {2}since [^\n]*\nreason {5}key on a paste site/);
  expect((await run('suspended')).find((line) => line.startsWith(id))).toContain('Stopped  key on a paste site');
  // Once more: since when stays, and the reason where none is given.
  const [since] = await run('suspend', id);
  expect((await run('show', id)).join()).toContain(since?.split(' since ')[1]);
  expect((await run('show', id)).join()).toContain('paste site');
  expect((await run('key', 'list', id)).join()).toContain(liveId);

  expect((await run('resume', id))[0]).toContain('resumed');
  await api.authenticator.refresh();
  expect((await api.call(live, getAccount)).account?.id).toBe(id);
  expect((await run('show', id)).join()).not.toContain('paste site');
  expect((await run('suspended')).join()).not.toContain(id);
  expect(await refusal('resume', id)).toMatchObject({ exitCode: 1 });
});

test('a stolen key ends, the last one too; and all of them at once', async () => {
  const { id, live, test: testKey, liveId } = await api.newAccount();
  const child = (await api.call(live, ApiKeyService.method.createApiKey, { name: 'backdoor', scopes: ['verify'] }))
    .apiKey;
  expect((await refusal('key', 'revoke', liveId)).message).toContain('--force');
  expect((await run('key', 'revoke', liveId, '--force'))[0]).toContain('revoked');
  await api.authenticator.refresh();
  expect(await api.refused(live, getAccount)).toMatchObject({ code: 'revoked_api_key' });
  expect((await run('key', 'list', id)).find((line) => line.includes(child?.id ?? '?'))).toContain(`made by ${liveId}`);
  expect((await run('key', 'revoke', '--all', id)).at(-1)).toBe('2 keys revoked');
  await api.authenticator.refresh();
  for (const key of [child?.key ?? '', testKey]) {
    expect(await api.refused(key, getAccount)).toMatchObject({ code: 'revoked_api_key' });
  }
  expect((await run('key', 'revoke', '--all', id)).at(-1)).toBe('0 keys revoked');
  const [, made = ''] = (await run('key', 'create', id)).map(word);
  expect((await api.call(made, getAccount)).account?.id).toBe(id);
});

test('limits of one account: said, changed, taken back, and heard of by running processes', async () => {
  const { id } = await api.newAccount();
  const clients = ['ip', 'device', 'user-agent'].flatMap((signal) =>
    ['hour', 'day'].map((window) => `client-${signal}-sends-per-${window}`),
  );
  const numbers = ['sends-per-second', 'sends-per-number-per-hour', 'sends-per-number-per-day'];
  const none = [...numbers, ...clients, 'unlimited-numbers'];
  const platforms = none.map((name) => `${name}  default`);
  const before = await readChanges(api.db);
  expect(await run('limits', id)).toEqual(platforms);
  expect(await readChanges(api.db)).toBe(before);
  const set = ['--sends-per-second', '5', '--sends-per-number-per-hour', '3', '--unlimited-numbers', 'false'];
  const rest = platforms.slice(2, -1);
  const wanted = ['sends-per-second  5', 'sends-per-number-per-hour  3', ...rest, 'unlimited-numbers  false'];
  expect(await run('limits', id, ...set)).toEqual(wanted);
  expect(await readChanges(api.db)).toBeGreaterThan(before);
  const stored = await api.db.selectFrom('account').select('limits').where('id', '=', id).executeTakeFirstOrThrow();
  expect(stored.limits).toEqual({ sends_per_second: 5, sends_per_number_per_hour: 3, unlimited_numbers: false });
  expect((await run('limits', id, '--sends-per-second', 'default', '--sends-per-number-per-day', '9')).join()).toBe(
    [platforms[0], wanted[1], 'sends-per-number-per-day  9', ...rest.slice(1), wanted.at(-1)].join(),
  );
  expect(await run('limits', id, '--reset', '--sends-per-second', '7')).toEqual([
    'sends-per-second  7',
    ...platforms.slice(1),
  ]);
  expect(await run('limits', id, '--reset')).toEqual(platforms);
});

test('limits per number that all accounts together do not have are said to be capped, and by what', async () => {
  const { id } = await api.newAccount();
  const capped = async (...words: string[]) =>
    (await run('limits', id, ...words)).filter((line) => line.includes('in effect'));
  const most = ['--sends-per-number-per-hour', '30', '--sends-per-number-per-day', '90'];
  expect(await capped(...most)).toEqual([]);
  const lines = ['hour', 'day'].map(
    (period) =>
      `sends-per-number-per-${period} is ${period === 'hour' ? 30 : 90} in effect, as for all accounts together by this configuration: ` +
      `raise limits.platform_sends_per_number_per_${period}, or set --unlimited-numbers true`,
  );
  expect(await capped('--sends-per-number-per-hour', '31')).toEqual(lines.slice(0, 1));
  expect(await capped('--sends-per-number-per-day', '1000')).toEqual(lines);
  expect(await capped('--unlimited-numbers', 'true')).toEqual([]);
});

test('lists of the platform: added to, shown with numbers masked, taken from, and heard of by running processes', async () => {
  const before = await readChanges(api.db);
  const [first = ''] = await run('platform', 'block', '+213551234567', '--note', 'pumping');
  const [id = ''] = first.split('  ');
  expect(first).toBe(`${id}  block  +2135*****67`);
  await run('platform', 'allow', '+213779*');
  expect(await readChanges(api.db)).toBeGreaterThan(before);
  const listed = await run('platform', 'list');
  expect(listed.map((line) => line.split('  ').slice(1, 3))).toEqual([
    ['allow', '+213779*'],
    ['block', '+2135*****67'],
  ]);
  expect(listed[1]).toMatch(/ {2}pumping$/);
  expect(await run('platform', 'remove', id)).toEqual([`${id}  removed: block +2135*****67`]);
  expect(await run('platform', 'list')).toHaveLength(1);
});

test('modes of the rules against abuse of one account: set and taken back one by one', async () => {
  const { id } = await api.newAccount();
  const rules = async (...words: string[]) =>
    (await run('limits', id, ...words)).filter((line) => line.startsWith('rule '));
  expect(await rules('--rule', 'budget=monitor', '--rule', 'allowed_prefixes=off')).toEqual([
    'rule allowed_prefixes  off',
    'rule budget  monitor',
  ]);
  expect(await rules('--sends-per-second', '5')).toHaveLength(2);
  expect(await rules('--rule', 'budget=default')).toEqual(['rule allowed_prefixes  off']);
  expect(await run('show', id)).toContain('rule allowed_prefixes  off');
  const stored = await api.db.selectFrom('account').select('limits').where('id', '=', id).executeTakeFirstOrThrow();
  expect(stored.limits).toEqual({ sends_per_second: 5, rules: { allowed_prefixes: 'off' } });
  expect(await rules('--reset')).toEqual([]);
});

test('budgets of one account: set one by one, taken away and given back', async () => {
  const { id } = await api.newAccount();
  const budgets = async (...words: string[]) =>
    (await run('limits', id, ...words)).filter((line) => line.startsWith('budget'));
  expect(await budgets()).toEqual([]);
  const first = ['--budget', 'sends_per_day=500', '--budget', 'spend_per_hour:DZD=2500.50'];
  expect(await budgets(...first)).toEqual(['budget  sends_per_day=500', 'budget  spend_per_hour:DZD=2500.50']);
  const more = ['--budget', 'spend_per_hour:USD=unlimited', '--budget', 'sends_per_day=default'];
  expect(await budgets(...more)).toEqual([
    'budget  spend_per_hour:DZD=2500.50',
    'budget  spend_per_hour:USD=unlimited',
  ]);
  expect(await budgets('--sends-per-second', '5')).toHaveLength(2);
  const all = ['--budget', 'spend_per_hour=unlimited', '--budget', 'spend_per_day:USD=7'];
  expect(await budgets(...all)).toEqual(['budget  spend_per_hour=unlimited', 'budget  spend_per_day:USD=7']);
  const one = run('limits', id, '--sends-per-second', '9', '--budget', 'spend_per_hour:DZD=100');
  await expect(one).rejects.toThrow('--budget spend_per_hour=default --budget spend_per_hour:DZD=N');
  expect(await budgets()).toEqual(['budget  spend_per_day:USD=7', 'budget  spend_per_hour=unlimited']);
  expect(await budgets('--budget', 'none')).toEqual(['budget  none']);
  const stored = await api.db.selectFrom('account').select('limits').where('id', '=', id).executeTakeFirstOrThrow();
  expect(stored.limits).toEqual({ sends_per_second: 5, budget: 'none' });
  expect(await budgets('--budget', 'sends_per_day=7')).toEqual([
    'budget  sends_per_hour=unlimited',
    'budget  spend_per_hour=unlimited',
    'budget  spend_per_day=unlimited',
    'budget  sends_per_day=7',
  ]);
  expect(await budgets('--budget', 'default')).toEqual([]);
  for (const wrong of ['sends_per_day=-1', 'sends_per_week=3', 'spend_per_day=3', 'spend_per_day:DZD=1e3', 'all'])
    await expect(run('limits', id, '--budget', wrong), wrong).rejects.toThrow('--budget must be');
});

test('a key with a budget, and the stops of accounts', async () => {
  const { id } = await api.newAccount();
  const made = await run('key', 'create', id, '--budget', 'sends_per_day=9', '--budget', 'spend_per_day:DZD=25.50');
  expect(made[0]).toMatch(/^key id {2}key_/);
  const listed = await run('key', 'list', id);
  expect(listed[0]).toMatch(/ {2}budget sends_per_day=9 {2}budget spend_per_day:DZD=25\.5$/);
  for (const wrong of ['none', 'sends_per_day=0', 'sends_per_day=default', 'spend_per_day=unlimited'])
    await expect(run('key', 'create', id, '--budget', wrong), wrong).rejects.toThrow('--budget must be');

  const stop = { id: api.ids('stop_', 7), accountId: id, prefix: '+2135512', now: Date.now() };
  const found = { rule: 'sequential_numbers', reason: 'adjacent', sent: 40, verified: 0, enforced: true } as const;
  await api.db.transaction().execute((tx) => insertStop(tx, { ...stop, ...found }, []));
  expect(await run('stop', 'list', id, '--active')).toEqual([expect.stringMatching(/\+2135512\* .* holds until /)]);
  expect(await run('stop', 'lift', stop.id)).toEqual([expect.stringMatching(/ {2}lifted .* by /)]);
  expect(await run('stop', 'list', id, '--active')).toEqual(['no stops']);
  expect(await run('stop', 'list')).toHaveLength(1);
  await expect(run('stop', 'lift', id)).rejects.toThrow('no stop');
});

test('sender names that wait, and decisions about them', async () => {
  const { live } = await api.newAccount();
  const { senderId } = await api.call(live, SenderIdService.method.createSenderId, { name: 'MyShop' });
  const id = senderId?.id ?? '';
  expect((await run('sender', 'list')).join()).toContain(`${id}  MyShop`);
  expect(await run('sender', 'approve', id, 'atlas', 'borealis', '--reason', 'ok')).toHaveLength(2);
  const stored = await api.call(live, SenderIdService.method.getSenderId, { id });
  expect(stored.senderId?.decisions.map(({ status, reason }) => [status, reason])).toEqual([
    ['approved', 'ok'],
    ['approved', 'ok'],
  ]);
  expect((await run('sender', 'list')).join()).not.toContain(id);
  expect(await run('sender', 'approve', id, 'atlas')).toEqual(['at atlas it is approved already']);
  expect((await refusal('sender', 'reject', id, 'atlas')).message).toContain('approved');
  expect((await run('sender', 'revoke', id, 'atlas'))[0]).toContain('atlas: revoked');
  expect((await refusal('sender', 'approve', id, 'nobody')).message).toContain('atlas, borealis');
  expect(await refusal('sender', 'approve', api.ids('snd_'), 'atlas')).toMatchObject({ exitCode: 1 });
});

test('a number that wrong codes locked is unlocked, in both modes or in one', async () => {
  const [id = ''] = (await run('create', 'My Shop')).map(word);
  const number = '+213551234567';
  const lock = (mode: string) =>
    sql`insert into number_failure (account_id, mode, number, failures, failures_in_row, needs_unlock, window_ends_at)
      values (${id}, ${mode}, ${number}, 10, 100, true, now())`.execute(database.db);
  const modes = async () => {
    const { rows } = await sql<{ mode: string }>`
      select mode from number_failure where account_id = ${id} order by mode`.execute(database.db);
    return rows.map(({ mode }) => mode);
  };
  await lock('live');
  await lock('test');
  expect(await run('unlock', id, number, '--mode', 'test')).toEqual([
    'unlocked (test): 100 wrong codes in a row are forgotten',
  ]);
  expect(await modes()).toEqual(['live']);
  await lock('test');
  expect(await run('unlock', id, '+213 551 23 45 67')).toHaveLength(2);
  expect(await modes()).toEqual([]);
  expect(await run('unlock', id, number)).toEqual(['no wrong codes are counted for this number']);
});

test.each([
  [['unlock', 'acct_nobody'], 2],
  [['unlock', 'acct_nobody', '+213551234567'], 1],
  [['unlock', 'acct_nobody', '0551234567'], 2],
  [['unlock', 'acct_nobody', '+213551234567', '--mode', 'real'], 2],
  [['create'], 2],
  [['create', ' '], 2],
  [['create', 'x', '--language', 'de'], 2],
  [['create', 'x', '--colour', 'red'], 2],
  [['create', 'x'.repeat(101)], 2],
  [['key'], 2],
  [['key', 'create', 'acct_nobody', '--name', 'x'.repeat(101)], 2],
  [['key', 'create', 'acct_nobody'], 1],
  [['key', 'create', 'acct_nobody', '--mode', 'real'], 2],
  [['key', 'create', 'acct_nobody', '--scopes', 'read,root'], 2],
  [['key', 'create', 'acct_nobody', '--expires', '2001-01-01'], 2],
  [['key', 'create', 'acct_nobody', '--expires', 'soon'], 2],
  [['key', 'list', 'acct_nobody'], 1],
  [['key', 'revoke', 'acct_nobody'], 1],
  [['key', 'revoke', '--all', 'acct_nobody'], 1],
  [['show', 'acct_nobody'], 1],
  [['suspend', 'acct_nobody'], 1],
  [['suspend'], 2],
  [['suspend', 'acct_nobody', '--reason', 'x'.repeat(201)], 2],
  [['close', 'acct_nobody', '--reason', 'x'.repeat(201)], 2],
  [['resume', 'acct_nobody'], 1],
  [['limits', 'acct_nobody'], 1],
  [['limits', 'acct_nobody', '--sends-per-second', '0'], 2],
  [['limits', 'acct_nobody', '--sends-per-second', '1e3'], 2],
  [['limits', 'acct_nobody', '--unlimited-numbers', 'yes'], 2],
  [['limits', 'acct_nobody', '--colour', 'red'], 2],
  [['limits', 'acct_nobody', '--rule', 'luck=off'], 2],
  [['platform', 'block', '+12'], 2],
  [['platform', 'block'], 2],
  [['platform', 'block', '+213550000001', '--note', 'x'.repeat(201)], 2],
  [['platform', 'remove', 'lst_nobody'], 1],
  [['limits', 'acct_nobody', '--rule', 'budget=on'], 2],
  [['limits', 'acct_nobody', '--rule', 'budget=off=off'], 2],
  [['sender', 'approve', 'snd_1', 'atlas'], 1],
  [['sender', 'approve', 'snd_1'], 2],
  [['sender', 'approve', 'snd_1', 'atlas', '--reason', 'x'.repeat(501)], 2],
  [['wording', 'reject', 'acct_nobody', 'brand', 'Shop', '--reason', 'x'.repeat(501)], 2],
  [['nonsense'], 2],
])('%j is refused', async (args, exitCode) => {
  const refused = await refusal(...args);
  expect(refused).toMatchObject({ exitCode });
  // What was not understood is named: an option, an argument as the usage has it, or the word itself.
  if (exitCode === 2) expect(refused.message).toMatch(/--\w|<.+>|"/);
});
