// Sender names through the waist on a real database: asked for, decided, told, and known to the engine.
import { describe, expect, test } from 'vitest';
import { runAccount } from '../../../src/cli/account.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { WebhookEndpointService } from '../../../src/gen/ramz/v1/webhook_endpoint_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

const { createSenderId, getSenderId, listSenderIds, decideSenderId } = SenderIdService.method;
const { createWebhookEndpoint, listWebhookDeliveries } = WebhookEndpointService.method;
const database = await testDatabase();
const api = await startProcess(database, { mostNames: 4 });
const source = createAccountSource(api.db);

async function newName(token: string, name = 'MyShop') {
  const { senderId } = await api.call(token, createSenderId, { name });
  if (!senderId) throw new Error('no sender name');
  return senderId;
}
const decide = (id: string, operator: string, status: string, reason = '') =>
  api.call(adminToken, decideSenderId, { id, operator, status, reason });
const statuses = (sender?: { decisions: { operator: string; status: string }[] }) =>
  sender?.decisions.map(({ operator, status }) => `${operator} ${status}`);
const ms = (time?: { seconds: bigint; nanos: number }) => Number(time?.seconds) * 1000 + Number(time?.nanos) / 1e6;

describe('asking for a name', () => {
  test('asks every operator, due in 72 hours', async () => {
    const { live } = await api.newAccount();
    const made = await newName(live);
    expect(statuses(made)).toEqual(['atlas submitted', 'borealis submitted']);
    expect(ms(made.dueAt) - ms(made.createdAt)).toBe(72 * 3_600_000);
    expect(made.decisions.every(({ decidedAt }) => decidedAt === undefined)).toBe(true);
    expect((await api.call(live, getSenderId, { id: made.id })).senderId).toEqual(made);
  });

  test.each(['', ' Shop', 'Shop ', '1234', 'My  Shop', 'TwelveLetter', 'Shop@', 'متجر', 'a:b'])(
    'refuses what is no name: %j',
    async (name) => {
      const { live } = await api.newAccount();
      const refusal = { code: 'invalid_argument', field: 'name' };
      expect(await api.refused(live, createSenderId, { name })).toEqual(refusal);
    },
  );

  test('once a name and account, and only so many', async () => {
    const { live } = await api.newAccount();
    const twice = await Promise.allSettled([newName(live), newName(live)]);
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await api.refused(live, createSenderId, { name: 'MyShop' })).toMatchObject({ code: 'sender_id_exists' });
    const more = await Promise.allSettled(['A', 'B', 'C', 'D', 'E'].map((name) => newName(live, name)));
    expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await api.refused(live, createSenderId, { name: 'F' })).toMatchObject({ code: 'too_many_resources' });
    await newName((await api.newAccount()).live);
  });

  test('in test mode it is approved at once, and not seen from live mode', async () => {
    const { id: accountId, live, test: testKey } = await api.newAccount();
    const made = await newName(testKey);
    expect(statuses(made)).toEqual(['atlas approved', 'borealis approved']);
    expect(await api.refused(live, getSenderId, { id: made.id })).toMatchObject({ code: 'sender_id_not_found' });
    expect((await api.call(live, listSenderIds)).senderIds).toEqual([]);
    expect((await source.load(accountId, 'test')).approvedSenders.get('atlas')).toEqual(new Set(['MyShop']));
    expect((await source.load(accountId, 'live')).approvedSenders.size).toBe(0);
    const stranger = await api.newAccount();
    expect(await api.refused(stranger.test, getSenderId, { id: made.id })).toMatchObject({
      code: 'sender_id_not_found',
    });
  });

  test('lists newest first, page by page', async () => {
    const { live } = await api.newAccount();
    const ids = [];
    for (const name of ['A', 'B', 'C']) ids.unshift((await newName(live, name)).id);
    const first = await api.call(live, listSenderIds, { pageSize: 2 });
    const rest = await api.call(live, listSenderIds, { pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.senderIds, ...rest.senderIds].map(({ id }) => id)).toEqual([...ids].sort().reverse());
    expect(rest.nextPageToken).toBe('');
  });
});

describe('decisions', () => {
  test('are the admin’s alone', async () => {
    const { live } = await api.newAccount();
    const { id } = await newName(live);
    const request = { id, operator: 'atlas', status: 'approved' };
    expect(await api.refused(live, decideSenderId, request)).toMatchObject({ code: 'invalid_admin_token' });
    expect(await api.refused('', decideSenderId, request)).toMatchObject({ code: 'invalid_admin_token' });
  });

  test('hold per operator, with reason and time, and are told by webhook', async () => {
    const { id: accountId, live, test: testKey } = await api.newAccount();
    const url = 'https://shop.example/hooks';
    const { webhookEndpoint } = await api.call(live, createWebhookEndpoint, { url });
    await api.call(live, createWebhookEndpoint, { url, eventTypes: ['session.verified'] });
    await api.call(testKey, createWebhookEndpoint, { url });
    const { id } = await newName(live);
    const { senderId } = await decide(id, 'atlas', 'approved', 'register matches');
    expect(statuses(senderId)).toEqual(['atlas approved', 'borealis submitted']);
    expect(senderId?.decisions[0]).toMatchObject({ reason: 'register matches' });
    expect(ms(senderId?.decisions[0]?.decidedAt)).toBeGreaterThanOrEqual(ms(senderId?.createdAt));

    await decide(id, 'atlas', 'approved', 'again'); // changes nothing and tells nothing
    const { deliveries } = await api.call(live, listWebhookDeliveries, { id: webhookEndpoint?.id ?? '' });
    expect(deliveries.map(({ type, status }) => [type, status])).toEqual([['sender_id.decided', 'pending']]);
    const text =
      'select * from webhook_delivery join webhook_retry using (account_id, endpoint_id, event_id) where account_id = $1';
    const { rows } = await database.lanes.query(text, [accountId]);
    expect(rows).toHaveLength(1);
    expect(rows[0].next_at.getTime()).toBeLessThanOrEqual(api.now());
    expect(JSON.parse(rows[0].body)).toMatchObject({
      id: rows[0].event_id,
      type: 'sender_id.decided',
      test: false,
      account_id: accountId,
      session_sequence: 0,
      data: { id, name: 'MyShop', operator: 'atlas', status: 'approved', reason: 'register matches' },
    });
  });

  test('that do not follow are refused', async () => {
    const { live } = await api.newAccount();
    const { id } = await newName(live);
    const refused = (operator: string, status: string) =>
      api.refused(adminToken, decideSenderId, { id, operator, status });
    expect(await refused('atlas', 'revoked')).toEqual({ code: 'already_decided', field: 'status' });
    await decide(id, 'atlas', 'approved');
    expect(await refused('atlas', 'rejected')).toMatchObject({ code: 'already_decided' });
    expect(statuses((await decide(id, 'atlas', 'revoked', 'abuse')).senderId)?.[0]).toBe('atlas revoked');
    await decide(id, 'borealis', 'rejected');
    expect(statuses((await decide(id, 'borealis', 'approved')).senderId)?.[1]).toBe('borealis approved');
    expect(await refused('atlas', 'submitted')).toEqual({ code: 'invalid_argument', field: 'status' });
    expect(await refused('nobody', 'approved')).toEqual({ code: 'operator_not_found', field: 'operator' });
    for (const missing of [api.ids('snd_'), 'snd_1']) {
      const request = { id: missing, operator: 'atlas', status: 'approved' };
      expect(await api.refused(adminToken, decideSenderId, request)).toMatchObject({ code: 'sender_id_not_found' });
    }
  });

  test('of one moment are stored one after the other', async () => {
    const { live } = await api.newAccount();
    const other = await startProcess(database.connect());
    for (const name of ['A', 'B', 'C', 'D']) {
      const { id } = await newName(live, name);
      const request = { id, operator: 'atlas' };
      await Promise.allSettled([
        other.call(adminToken, decideSenderId, { ...request, status: 'rejected' }),
        api.call(adminToken, decideSenderId, { ...request, status: 'approved' }),
      ]);
      // Rejected and then approved, or approved and the rejection refused: never a rejection on top of an approval.
      expect(statuses((await api.call(live, getSenderId, { id })).senderId)?.[0]).toBe('atlas approved');
    }
  });

  describe('of an operator that was configured later', async () => {
    const operators = ['atlas', 'borealis', 'cirrus'];
    const later = await startProcess(database.connect(), { operators });
    const isListed = async ({ tools }: typeof api, id: string) => {
      const lines: string[] = [];
      await runAccount(['sender', 'list'], { ...tools, say: (line) => lines.push(line) });
      return lines.some((line) => line.startsWith(id));
    };

    test('are waited for, and shown, until they are made', async () => {
      const { live } = await api.newAccount();
      const { id } = await newName(live);
      for (const operator of ['atlas', 'borealis']) await decide(id, operator, 'approved');
      expect(await isListed(api, id)).toBe(false);
      expect(await isListed(later, id)).toBe(true);
      const shown = (await later.call(live, getSenderId, { id })).senderId;
      expect(statuses(shown)).toEqual(['atlas approved', 'borealis approved', 'cirrus submitted']);
      expect(shown?.decisions[2]?.submittedAt).toEqual(shown?.createdAt);
      expect((await later.call(live, listSenderIds)).senderIds).toEqual([shown]);
      const request = { id, operator: 'cirrus', status: 'rejected' };
      const { senderId } = await later.call(adminToken, decideSenderId, request);
      expect(senderId?.decisions[2]).toMatchObject({ status: 'rejected', submittedAt: shown?.createdAt });
      expect(await isListed(later, id)).toBe(false);
    });

    test('are there at once in test mode, and for its sends', async () => {
      const { id: accountId, test: testKey } = await api.newAccount();
      const { id } = await newName(testKey);
      const sends = createAccountSource(api.db, () => operators);
      const approved = async () => [...(await sends.load(accountId, 'test')).approvedSenders.keys()].sort();
      expect(statuses((await later.call(testKey, getSenderId, { id })).senderId)?.[2]).toBe('cirrus approved');
      expect(await isListed(later, id)).toBe(false);
      expect(await approved()).toEqual(operators);
      expect((await createAccountSource(api.db, () => operators).load(accountId, 'live')).approvedSenders.size).toBe(0);
      await later.call(adminToken, decideSenderId, { id, operator: 'cirrus', status: 'revoked' });
      expect(await approved()).toEqual(['atlas', 'borealis']);
    });

    test('let a name that no operator was asked for be the default of test mode', async () => {
      const { live, test: testKey } = await api.newAccount();
      const none = await startProcess(database.connect(), { operators: [] });
      for (const key of [live, testKey]) await none.call(key, createSenderId, { name: 'MyShop' });
      const chosen = { defaultSenderId: 'MyShop' };
      const { account } = await later.call(testKey, AccountService.method.updateAccount, chosen);
      expect(account).toMatchObject(chosen);
      expect(await later.refused(live, AccountService.method.updateAccount, chosen)).toMatchObject({
        field: 'default_sender_id',
      });
    });
  });

  test('of an operator that is no longer configured are not waited for', async () => {
    const { live } = await api.newAccount();
    const { id } = await newName(live);
    await decide(id, 'atlas', 'approved');
    const { tools } = await startProcess(database.connect(), { operators: ['atlas'] });
    const lines: string[] = [];
    await runAccount(['sender', 'list'], { ...tools, say: (line) => lines.push(line) });
    expect(lines.join()).not.toContain(id);
  });

  test('reach the engine of another process with its next look at the counter', async () => {
    const { id: accountId, live } = await api.newAccount();
    const { id } = await newName(live);
    const accounts = new AccountViews(createAccountSource(api.db));
    const look = async () => accounts.saw(await readChanges(api.db));
    await look();
    const approved = async () => [...(await accounts.view(accountId, 'live')).approvedSenders.keys()];
    expect(await approved()).toEqual([]);
    await decide(id, 'atlas', 'approved');
    expect(await look()).toBe(true);
    expect(await approved()).toEqual(['atlas']);
    await decide(id, 'atlas', 'revoked');
    await look();
    expect(await approved()).toEqual([]);
    expect(await look()).toBe(false);
  });
});
