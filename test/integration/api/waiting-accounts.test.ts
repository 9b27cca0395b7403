// Accounts made by open registration that wait for approval: how many there may be, and the end of those that nobody uses.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Db } from '../../../src/db/schema.ts';
import type { AccountsLog } from '../../../src/engine/accounts/context.ts';
import { WaitingAccounts } from '../../../src/engine/accounts/waiting.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { AdminService } from '../../../src/gen/ramz/v1/admin_pb.ts';
import { AuditService } from '../../../src/gen/ramz/v1/audit_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { createAccount, getAccount } = AccountService.method;
const {
  approveAccount,
  suspendAccount,
  resumeAccount,
  closeAccount,
  reopenAccount,
  findAccount,
  listAdminAuditEvents,
} = AdminService.method;
const dayMs = 86_400_000;

/** A process where anyone may register, and a database of its own. */
async function openProcess(mostWaiting: number) {
  const lines: { level: string; message: string }[] = [];
  const line = (level: string) => (_: object, message: string) => void lines.push({ level, message });
  const log: AccountsLog = { info: line('info'), error: line('error') };
  const api = await startProcess(await testDatabase(), { openRegistration: true, mostWaiting, log });
  const register = async () => {
    const made = await api.call('', createAccount, { name: 'Anyone' });
    return { id: made.account?.id ?? '', test: made.testKey?.key ?? '' };
  };
  const tryRegister = () =>
    register().then(
      () => 'created',
      ({ message }: Error) => message,
    );
  const status = async (id: string) => (await api.call(adminToken, findAccount, { id })).account?.status;
  return { api, register, tryRegister, status, lines };
}

const makeOlder = (db: Db, ids: readonly string[]) =>
  sql`update account set created_at = created_at - interval '31 days' where id = any(${[...ids]}::text[])`.execute(db);

const full = expect.stringContaining('too many accounts wait');

describe('accounts that wait for approval', () => {
  test('are no more than the setting, however many calls ask at once', async () => {
    const { api, tryRegister } = await openProcess(5);
    const outcomes = await Promise.all(Array.from({ length: 20 }, tryRegister));
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome !== 'created')).toEqual(Array(15).fill(full));
    expect(await api.refused('', createAccount, { name: 'x' })).toEqual({ code: 'rate_limited', field: undefined });
    // One who runs the service makes accounts that do not wait.
    expect((await api.call(adminToken, createAccount, { name: 'Own' })).account?.approvedAt).toBeDefined();
  });

  test('make room when they are approved, suspended or closed', async () => {
    const { api, register, tryRegister } = await openProcess(1);
    for (const decide of [approveAccount, suspendAccount, closeAccount]) {
      const { id } = await register();
      expect(await tryRegister()).toEqual(full);
      await api.call(adminToken, decide, { id });
    }
    expect(await tryRegister()).toBe('created');
  });

  test('are told in the log once when there is no room, and again after there was some', async () => {
    const { api, register, tryRegister, lines } = await openProcess(1);
    const { id } = await register();
    for (let each = 0; each < 3; each++) expect(await tryRegister()).toEqual(full);
    expect(lines).toEqual([{ level: 'error', message: expect.stringContaining('npm run account -- waiting') }]);
    await api.call(adminToken, approveAccount, { id });
    await register();
    await tryRegister();
    expect(lines).toHaveLength(2);
  });
});

describe('an account that waits', () => {
  test('is closed when none of its keys was used for 30 days', async () => {
    const { api, register, status, lines } = await openProcess(10);
    const [unused, used, approved, suspended] = [
      await register(),
      await register(),
      await register(),
      await register(),
    ];
    await api.call(adminToken, approveAccount, { id: approved.id });
    await api.call(adminToken, suspendAccount, { id: suspended.id });
    const younger = await register();
    await makeOlder(
      api.db,
      [unused, used, approved, suspended].map(({ id }) => id),
    );
    await api.call(used.test, getAccount);
    await api.authenticator.flush();

    expect(await api.accounts.waiting.closeUnused()).toBe(1);
    expect(await api.accounts.waiting.closeUnused()).toBe(0);
    const statuses = await Promise.all([unused, used, approved, suspended, younger].map(({ id }) => status(id)));
    expect(statuses).toEqual(['closed', 'waiting', 'active', 'suspended', 'waiting']);
    expect(lines.map(({ level }) => level)).toEqual(['info']);
    expect(await api.refused(unused.test, getAccount)).toMatchObject({ code: 'account_closed' });
    const { account } = await api.call(adminToken, findAccount, { id: unused.id });
    expect(account?.closedReason).toBe('waited for approval, unused for 30 days');
    const { auditEvents } = await api.call(adminToken, listAdminAuditEvents, { target: unused.id });
    expect(auditEvents[0]).toMatchObject({ action: 'close_account', actor: { kind: 'system' } });
  });

  test('stays open for as long again when an administrator has reopened or resumed it', async () => {
    const { api, register, status } = await openProcess(10);
    const [reopened, resumed] = [await register(), await register()];
    await makeOlder(api.db, [reopened.id, resumed.id]);
    await api.call(adminToken, suspendAccount, { id: resumed.id });
    expect(await api.accounts.waiting.closeUnused()).toBe(1);
    await api.call(adminToken, reopenAccount, { id: reopened.id });
    await api.call(adminToken, resumeAccount, { id: resumed.id });
    expect(await api.accounts.waiting.closeUnused()).toBe(0);
    expect([await status(reopened.id), await status(resumed.id)]).toEqual(['waiting', 'waiting']);
    // It sees that it was closed, and not why.
    const { auditEvents } = await api.call(reopened.test, AuditService.method.listAuditEvents, { target: reopened.id });
    expect(auditEvents.flatMap(({ changes }) => changes.map(({ field }) => field))).not.toContain('closed_reason');
  });

  test('is not closed by a process whose clock has jumped ahead', async () => {
    const { api, register, status } = await openProcess(10);
    const { id } = await register();
    const ahead = new WaitingAccounts({ ...api.context, now: () => Date.now() + 365 * dayMs });
    expect(await ahead.closeUnused()).toBe(0);
    expect(await status(id)).toBe('waiting');
  });
});
