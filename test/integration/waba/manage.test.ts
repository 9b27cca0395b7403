// Who may link what: signups and their states, numbers and their owners, and the ends of a link.
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { closeAccount, reopenAccount } from '../../../src/db/accounts/closing.ts';
import { resumeAccount, suspendAccount } from '../../../src/db/accounts/control.ts';
import type { AccountStop, LinkRequest } from '../../../src/engine/waba/waba.ts';
import { tester } from '../../support/actor.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses } from './support.ts';

const service = await linkingProcesses();
const { platform, identity, graph, start, account, signup, begin, settle, row, told, pass, db } = service;
const process = start();
const { manager, numbers } = process;

const byState = ({ code, wabaId, phoneNumberId }: Awaited<ReturnType<typeof signup>>, state: string): LinkRequest => ({
  wabaId,
  phoneNumberId,
  pin: null,
  actor: tester,
  by: { kind: 'code', code, state, redirectUri: null },
});
async function newState(accountId: string): Promise<string> {
  const made = await manager.createSignup(accountId, tester);
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.state;
}
const byHand = (token: string, wabaId: string, phoneNumberId: string, pin: string | null = null): LinkRequest => ({
  wabaId,
  phoneNumberId,
  pin,
  actor: tester,
  by: { kind: 'token', token },
});
async function connected(accountId: string, number?: string) {
  const ended = await signup(number);
  await begin(process, accountId, ended);
  expect(await settle(process, accountId)).toMatchObject({ status: 'connected' });
  return ended;
}

describe('the state of a signup', () => {
  test('is good once', async () => {
    const id = await account();
    const state = await newState(id);
    expect(await manager.begin(byState(await signup(), state))).toMatchObject({ kind: 'begun' });
    expect(await manager.begin(byState(await signup(), state))).toEqual({ kind: 'invalid_state' });
    await settle(process, id);
  });

  test('of sixteen who bring it at once, one begins', async () => {
    const id = await account();
    const state = await newState(id);
    const ended = await signup();
    const begun = await Promise.all(Array.from({ length: 16 }, () => manager.begin(byState(ended, state))));
    expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'invalid_state')).toHaveLength(15);
    await settle(process, id);
  });

  test('is bound to its account: another’s key can do nothing with it, and it stays good', async () => {
    const [mine, theirs] = [await account(), await account()];
    const state = await newState(mine);
    const ended = await signup();
    expect(await manager.begin(byState(ended, state), theirs)).toEqual({ kind: 'invalid_state' });
    expect(await manager.find(theirs)).toBeUndefined();
    expect(await manager.begin(byState(ended, state), mine)).toMatchObject({ kind: 'begun' });
    await settle(process, mine);
  });

  test('made before its account was suspended is nobody’s until the account is resumed', async () => {
    const id = await account();
    const state = await newState(id);
    const ended = await signup();
    await suspendAccount(db, { id, reason: null, now: new Date(), actor: tester });
    expect(await manager.signupState(state)).toEqual({ kind: 'unknown' });
    expect(await manager.begin(byState(ended, state))).toEqual({ kind: 'invalid_state' });
    expect(await manager.find(id)).toBeUndefined();
    await resumeAccount(db, { id, now: new Date(), actor: tester });
    expect(await manager.signupState(state)).toMatchObject({ kind: 'ok', isOpen: true });
    expect(await manager.begin(byState(ended, state))).toMatchObject({ kind: 'begun' });
    await settle(process, id);
  });

  test('made before its account was closed links nothing, and is good again where the account is reopened in time', async () => {
    const id = await account();
    const state = await newState(id);
    const ended = await signup();
    const decision = () => ({ id, reason: null, now: new Date(), actor: tester });
    await closeAccount(db, decision());
    expect(await manager.signupState(state)).toEqual({ kind: 'unknown' });
    // The browser learns nothing of the account.
    expect(await manager.begin(byState(ended, state))).toEqual({ kind: 'invalid_state' });
    expect(await manager.begin(byState(ended, state), id)).toEqual({ kind: 'account_closed' });
    expect(await manager.find(id)).toBeUndefined();
    await reopenAccount(db, decision());
    expect(await manager.begin(byState(ended, state))).toMatchObject({ kind: 'begun' });
    await settle(process, id);
  });

  test('ends after ten minutes', async () => {
    const id = await account();
    const state = await newState(id);
    expect(await manager.signupState(state)).toMatchObject({ kind: 'ok', isOpen: true, accountName: 'Example' });
    pass(10 * 60_000);
    expect(await manager.signupState(state)).toMatchObject({ kind: 'ok', isOpen: false });
    expect(await manager.begin(byState(await signup(), state))).toEqual({ kind: 'invalid_state' });
  });

  test('is one of twenty that are open at once, the latest', async () => {
    const [id, other] = [await account(), await account()];
    const kept = await newState(other);
    const states: string[] = [];
    for (let times = 0; times < 22; times += 1) {
      pass(1);
      states.push(await newState(id));
    }
    const open = await Promise.all(states.map(async (state) => (await manager.signupState(state)).kind === 'ok'));
    expect(open).toEqual(states.map((_, index) => index >= 2));
    expect(await manager.signupState(kept)).toMatchObject({ isOpen: true });
  });

  test('made up, it is nothing', async () => {
    expect(await manager.signupState('a'.repeat(43))).toEqual({ kind: 'unknown' });
    expect(await manager.begin(byState(await signup(), 'a'.repeat(43)))).toEqual({ kind: 'invalid_state' });
  });

  test('used, it shows the link it led to, and no later one', async () => {
    const id = await account();
    const state = await newState(id);
    await manager.begin(byState(await signup(), state));
    await settle(process, id);
    expect(await manager.signupState(state)).toMatchObject({ isOpen: false, waba: { status: 'connected' } });
    await manager.disconnect(id, tester);
    expect(await manager.signupState(state)).toMatchObject({ waba: { status: 'disconnected' } });
    pass(1_000);
    await begin(process, id, await signup());
    expect(await manager.signupState(state)).toMatchObject({ isOpen: false, waba: null });
    await settle(process, id);
  });

  test('is 256 random bits', async () => {
    const id = await account();
    const states = await Promise.all(Array.from({ length: 8 }, () => newState(id)));
    expect(new Set(states).size).toBe(8);
    for (const state of states) expect(Buffer.from(state, 'base64url')).toHaveLength(32);
  });

  test('is not stored, only its hash', async () => {
    const state = await newState(await account());
    const rows = await db.selectFrom('waba_signup').selectAll().execute();
    const stored = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)));
    expect(stored).toContain(createHash('sha256').update(state).digest().toString('latin1'));
    for (const form of [state, Buffer.from(state, 'base64url').toString('latin1')])
      expect(stored.filter((text) => text.includes(form))).toEqual([]);
  });

  describe('of a key', () => {
    const owner = async () => {
      const accountId = await account();
      const keyId = ids('key_');
      await sql`insert into api_key (id, account_id, mode, name, scopes, secret_hash, hmac_key_id, created_at)
        values (${keyId}, ${accountId}, 'live', 'backend', '{manage}', ${randomBytes(32)}, 'k1', now())`.execute(db);
      const made = await manager.createSignup(accountId, { ...tester, kind: 'key', id: keyId });
      if (made.kind !== 'created') throw new Error(made.kind);
      return { accountId, keyId, state: made.state };
    };
    const change = (id: string, to: { revoked_at?: Date; expires_at?: Date | null }) =>
      db.updateTable('api_key').set(to).where('id', '=', id).execute();

    test.each([
      ['was revoked', { revoked_at: new Date() }],
      ['has expired', { expires_at: new Date() }],
    ])('that %s links nothing, and says no more than one that is made up', async (_, to) => {
      const { accountId, keyId, state } = await owner();
      await change(keyId, to);
      expect(await manager.begin(byState(await signup(), state))).toEqual({ kind: 'invalid_state' });
      expect(await manager.begin(byState(await signup(), state), accountId)).toEqual({ kind: 'invalid_state' });
      expect(await manager.find(accountId)).toBeUndefined();
    });

    test('that works begins a link, of which the audit log names the key', async () => {
      const { accountId, keyId, state } = await owner();
      await change(keyId, { expires_at: new Date('2999-01-01') });
      expect(await manager.begin(byState(await signup(), state))).toMatchObject({ kind: 'begun' });
      const events = db.selectFrom('audit_event').select('after').where('account_id', '=', accountId);
      const begun = await events.where('action', '=', 'connect_waba').executeTakeFirstOrThrow();
      expect(begun.after).toMatchObject({ signup_created_by: keyId });
      await settle(process, accountId);
    });
  });

  test('stays unused where nothing was begun', async () => {
    const [first, second] = [await account(), await account()];
    const { number } = await connected(first);
    const state = await newState(second);
    expect(await manager.begin(byState(await signup(number), state))).toEqual({ kind: 'number_taken' });
    expect(await manager.begin(byState(await signup(), state))).toMatchObject({ kind: 'begun' });
    await settle(process, second);
  });
});

describe('a number', () => {
  test('belongs to one account', async () => {
    const [first, second] = [await account(), await account()];
    const { number, phoneNumberId } = await connected(first);
    expect(await begin(process, second, await signup(number))).toEqual({ kind: 'number_taken' });
    await manager.disconnect(first, tester);
    expect(numbers.ofNumber(phoneNumberId)).toBeNull();
    await begin(process, second, await signup(number));
    expect(await settle(process, second)).toMatchObject({ status: 'connected' });
    expect(numbers.ofNumber(phoneNumberId)?.accountId).toBe(second);
  });

  test('stays with a link that is broken, until that begins another', async () => {
    const [first, second] = [await account(), await account()];
    const { number, wabaId } = await connected(first);
    platform.revokeTokens(wabaId);
    pass(24 * 3_600_000);
    await process.run();
    expect(await row(first)).toMatchObject({ status: 'broken', owned: true });
    const { phoneNumberId } = await signup(number);
    const token = platform.accounts.issueToken(wabaId).token;
    expect(await manager.begin(byHand(token, wabaId, phoneNumberId), second)).toEqual({ kind: 'number_taken' });
    await connected(first);
    await begin(process, second, await signup(number));
    expect(await settle(process, second)).toMatchObject({ status: 'connected' });
  });

  test('two accounts that link it at once: the first to show that it is theirs has it', async () => {
    const [first, second] = [await account(), await account()];
    const ended = await signup();
    let go = () => {};
    const bothBegun = new Promise<void>((resolve) => {
      go = resolve;
    });
    const patient = start({
      asked: { ...graph, exchangeCode: (code) => bothBegun.then(() => graph.exchangeCode(code)) },
    });
    expect(await begin(patient, first, ended)).toMatchObject({ kind: 'begun' });
    expect(await begin(patient, second, await signup(ended.number))).toMatchObject({ kind: 'begun' });
    go();
    await patient.linker.idle();
    const links = [await settle(process, first), await settle(process, second)];
    expect(links.map(({ status }) => status).sort()).toEqual(['broken', 'connected']);
    expect(links.find(({ status }) => status === 'broken')).toMatchObject({
      reason: 'phone_number_taken',
      owned: false,
    });
  });

  test('is not kept from its business by somebody who only names it', async () => {
    const [thief, owner] = [await account(), await account()];
    const ended = await signup();
    await manager.begin(byHand('guessed', ended.wabaId, ended.phoneNumberId), thief);
    expect(await settle(process, thief)).toMatchObject({ status: 'broken', reason: 'token_refused' });
    await begin(process, owner, ended);
    expect(await settle(process, owner)).toMatchObject({ status: 'connected' });
  });

  test('the deployment’s own can be linked by nobody', async () => {
    const request = byHand(identity.systemToken, identity.wabaId, identity.phoneNumberId);
    expect(await manager.begin(request, await account())).toEqual({ kind: 'number_taken' });
  });
});

describe('by hand', () => {
  const tokenFor = (wabaId: string) => platform.accounts.issueToken(wabaId).token;

  test('with a token, and a PIN where the number has one', async () => {
    const id = await account();
    const ended = await signup();
    const phone = platform.accounts.phones.get(ended.phoneNumberId);
    if (phone) phone.pin = '482913';
    await manager.begin(byHand(tokenFor(ended.wabaId), ended.wabaId, ended.phoneNumberId), id);
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'pin_refused', step: 'register' });
    const right = byHand(tokenFor(ended.wabaId), ended.wabaId, ended.phoneNumberId, '482913');
    expect(await manager.begin(right, id)).toMatchObject({ kind: 'begun', waba: { step: 'check_number' } });
    expect(await settle(process, id)).toMatchObject({ status: 'connected' });
  });

  test('a number that is registered already is left as it is', async () => {
    const id = await account();
    const ended = await signup();
    const phone = platform.accounts.phones.get(ended.phoneNumberId);
    if (phone) Object.assign(phone, { status: 'CONNECTED', pin: '111111' });
    await manager.begin(byHand(tokenFor(ended.wabaId), ended.wabaId, ended.phoneNumberId), id);
    expect(await settle(process, id)).toMatchObject({ status: 'connected', pin: null });
    expect(phone?.registrations).toBe(0);
  });

  test('with a token for another app: what becomes of messages would be told there', async () => {
    const id = await account();
    const ended = await signup();
    const issued = platform.accounts.issueToken(ended.wabaId);
    issued.appId = '999999999';
    await manager.begin(byHand(issued.token, ended.wabaId, ended.phoneNumberId), id);
    expect(await settle(process, id)).toMatchObject({ status: 'broken', reason: 'token_of_other_app', owned: false });
  });

  test('over and over: of those that wait only the last is asked of the platform', async () => {
    const id = await account();
    const ended = await signup();
    let asked = 0;
    let go = () => {};
    const first = new Promise<void>((resolve) => {
      go = resolve;
    });
    const busy = start({
      asked: {
        ...graph,
        inspectToken: async (access) => {
          asked += 1;
          await first;
          return graph.inspectToken(access);
        },
      },
    });
    for (let times = 0; times < 20; times += 1) {
      await busy.manager.begin(byHand(`guess-${times}`, ended.wabaId, ended.phoneNumberId), id);
    }
    await busy.manager.begin(byHand(tokenFor(ended.wabaId), ended.wabaId, ended.phoneNumberId), id);
    go();
    await busy.linker.idle();
    expect(asked).toBe(2);
    expect(await settle(process, id)).toMatchObject({ status: 'connected' });
  });

  test('not for an account that is suspended or closed, nor with a closing that commits meanwhile', async () => {
    const id = await account();
    const decision = { id, reason: null, now: new Date(), actor: tester };
    const ended = await signup();
    const request = byHand(tokenFor(ended.wabaId), ended.wabaId, ended.phoneNumberId);
    await suspendAccount(db, decision);
    expect(await manager.begin(request, id)).toEqual({ kind: 'account_suspended' });
    expect(await manager.createSignup(id, tester)).toEqual({ kind: 'account_suspended' });
    await resumeAccount(db, decision);

    const begun = await db.transaction().execute(async (tx) => {
      const closedAt = new Date();
      const closing = tx.updateTable('account').set({ closed_at: closedAt, suspended_at: closedAt });
      await closing.where('id', '=', id).execute();
      const linking = manager.begin(request, id);
      const waits = async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return rows.length > 0;
      };
      await until(waits, { what: 'the link to wait for the closing' });
      return { linking };
    });
    expect(await begun.linking).toEqual({ kind: 'account_closed' });
    expect(await manager.createSignup(id, tester)).toEqual({ kind: 'account_closed' });
    expect(await manager.find(id)).toBeUndefined();
  });

  test('not while another is linked', async () => {
    const id = await account();
    await connected(id);
    const ended = await signup();
    const request = byHand(tokenFor(ended.wabaId), ended.wabaId, ended.phoneNumberId);
    expect(await manager.begin(request, id)).toEqual({ kind: 'already_connected' });
    expect(await manager.createSignup(id, tester)).toEqual({ kind: 'already_connected' });
  });
});

describe('the end of a link', () => {
  test('by a call: secrets are forgotten, the platform told, and once is enough', async () => {
    const id = await account();
    const { wabaId } = await connected(id);
    const ended = await manager.disconnect(id, tester);
    expect(ended).toMatchObject({ status: 'disconnected', reason: 'requested', token: null, pin: null, owned: false });
    expect(platform.accounts.wabas.get(wabaId)?.subscription).toBeNull();
    await manager.disconnect(id, tester);
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', 'requested'],
    ]);
    expect(await manager.disconnect(await account(), tester)).toBeUndefined();
  });

  test('another number of the same account keeps its callbacks', async () => {
    const [first, second] = [await account(), await account()];
    const { wabaId } = await connected(first);
    const phone = platform.accounts.addPhone(wabaId, '+213550006601', 'Second Shop');
    await manager.begin(byHand(platform.accounts.issueToken(wabaId).token, wabaId, phone.id), second);
    expect(await settle(process, second)).toMatchObject({ status: 'connected' });
    await manager.disconnect(first, tester);
    expect(platform.accounts.wabas.get(wabaId)?.subscription).not.toBeNull();
  });

  test('of a number beside the deployment’s own: that keeps its callbacks', async () => {
    const id = await account();
    const phone = platform.accounts.addPhone(identity.wabaId, '+213550006602', 'Hosted Shop');
    await manager.begin(byHand(identity.systemToken, identity.wabaId, phone.id), id);
    expect(await settle(process, id)).toMatchObject({ status: 'connected' });
    await manager.disconnect(id, tester);
    expect(platform.accounts.wabas.get(identity.wabaId)?.subscription).not.toBeNull();
  });

  test('while it is being linked: nothing of it comes back', async () => {
    const id = await account();
    platform.faults.reviewResult = null;
    await begin(process, id, await signup());
    await process.linker.idle();
    await manager.disconnect(id, tester);
    pass(60_000);
    await process.run();
    expect(await row(id)).toMatchObject({ status: 'disconnected', token: null, next_at: null });
  });

  test('by the business at the platform; a callback older than the link does not count', async () => {
    const id = await account();
    const { wabaId } = await connected(id);
    const linkedAt = (await row(id)).created_at.getTime();
    const uninstalled = (reportedAt: number): AccountStop => ({
      wabaId,
      reportedAt,
      stop: { kind: 'ended', reason: 'uninstalled' },
    });
    expect(await manager.accountStopped(uninstalled(linkedAt - 60_000))).toBe(0);
    expect(await row(id)).toMatchObject({ status: 'connected' });
    expect(await manager.accountStopped(uninstalled(linkedAt + 1_000))).toBe(1);
    expect(await manager.accountStopped(uninstalled(linkedAt + 1_000))).toBe(0);
    expect(await row(id)).toMatchObject({ status: 'disconnected', reason: 'uninstalled', token: null });
    expect(numbers.ofAccount(id)).toBeNull();
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', 'uninstalled'],
    ]);
  });

  test('a token refused at a send: not used from that moment on, broken a moment later, told once', async () => {
    const id = await account();
    const { phoneNumberId } = await connected(id);
    for (let times = 0; times < 3; times += 1) manager.tokenRefused(phoneNumberId, '190');
    expect(numbers.ofAccount(id)).toBeNull();
    await until(async () => (await row(id)).status === 'broken', { what: 'it to be stored' });
    expect(await row(id)).toMatchObject({ reason: 'token_revoked', error_code: '190', token: null, next_at: null });
    expect(await told(id)).toEqual([
      ['waba.connected', ''],
      ['waba.disconnected', 'token_revoked'],
    ]);
    // Statuses of what went out from it are still taken.
    expect(numbers.isKnown(phoneNumberId)).toBe(true);
  });
});

test('another process knows it within a refresh', async () => {
  const other = start();
  await other.numbers.refresh();
  const id = await account();
  const { phoneNumberId } = await connected(id);
  expect(other.numbers.ofAccount(id)).toBeNull();
  await other.numbers.refresh();
  expect(other.numbers.ofAccount(id)).toMatchObject({ phoneNumberId, displayName: 'Example Shop' });
  expect(other.changed).toContain(phoneNumberId);
});

test('a process that shows a link as connected sends from its number', async () => {
  const other = start();
  const id = await account();
  const { phoneNumberId } = await connected(id);
  expect(other.numbers.ofAccount(id)).toBeNull();
  expect(await other.manager.find(id)).toMatchObject({ status: 'connected' });
  expect(other.numbers.ofAccount(id)).toMatchObject({ phoneNumberId });
});
