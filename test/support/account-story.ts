// An account with rows in every table that has rows of accounts, made by what processes do and, for what only other parts write, by statements.
import { sql } from 'kysely';
import { shardForAccount, shardForNumber } from '../../src/core/ids.ts';
import type { UntypedDb } from '../../src/db/schema.ts';
import { isCelled } from './cells.ts';
import type { TestDatabase } from './database.ts';
import { carrierReceipt, ids, ScriptedChannel, sendRequest, testEngine } from './engine.ts';
import { until } from './wait.ts';

/** In no export. */
export const secrets = ['s3cr3t-hash', 's3cr3t-endpoint', 's3cr3t-token', 's3cr3t-number'];

/** Home first. */
export const cellsOf = (database: TestDatabase<unknown>): [UntypedDb, ...UntypedDb[]] =>
  (isCelled(database) ? database.cells.map((cell) => cell.database.plain) : [database.plain]) as [UntypedDb];

export interface Story {
  accountId: string;
  sessions: string[];
  engine: Awaited<ReturnType<typeof testEngine>>;
}

/** Live sessions that are over, each sent twice, received, and checked with a wrong code. `hears`: whether its process hears the notices of others. */
export async function accountStory(database: TestDatabase<unknown>, { hears = true } = {}): Promise<Story> {
  const [home] = cellsOf(database);
  const accountId = ids('acct_');
  const shard = shardForAccount(accountId);
  const [keyId, senderId, endpointId] = [ids('key_', shard), ids('snd_', shard), ids('we_', shard)];
  await sql`insert into account (id, name, created_at) values (${accountId}, 'Shop', now())`.execute(home);
  const owned = [
    sql`insert into account_setting (account_id, mode, language) values (${accountId}, 'live', 'fr'), (${accountId}, 'test', 'fr')`,
    sql`insert into account_autofill (account_id, mode, value, position, approved, created_at)
      values (${accountId}, 'live', 'https://shop.example', 0, true, now())`,
    sql`insert into account_wording (account_id, mode, kind, value, status, wanted, created_at)
      values (${accountId}, 'live', 'brand', 'Shop', 'approved', true, now())`,
    sql`insert into api_key (id, account_id, mode, name, person, secret_hash, hmac_key_id, scopes, created_at)
      values (${keyId}, ${accountId}, 'live', 'desk', 'Amina', 's3cr3t-hash', 'k1', '{read}', now())`,
    sql`insert into sender_id (id, account_id, mode, name, created_at, due_at)
      values (${senderId}, ${accountId}, 'live', 'Shop', now(), now())`,
    sql`insert into sender_decision (sender_id, operator, status, submitted_at) values (${senderId}, 'atlas', 'submitted', now())`,
    sql`insert into webhook_endpoint (id, account_id, mode, url, description, event_types, secret, created_at, updated_at)
      values (${endpointId}, ${accountId}, 'live', 'https://shop.example', '', '{}', 's3cr3t-endpoint', now(), now())`,
    sql`insert into limit_entry (id, account_id, mode, list, number_hash, number_masked, hmac_key_id, created_at, created_by)
      values (${ids('lst_', shard)}, ${accountId}, 'live', 'block', 's3cr3t-number', '+2135*****01', 'k1', now(), ${keyId})`,
    sql`insert into waba (account_id, version, status, waba_id, phone_number_id, token, created_at, updated_at)
      values (${accountId}, 1, 'connected', '104', ${accountId}, 's3cr3t-token', now(), now())`,
    sql`insert into waba_signup (state_hash, account_id, created_at, expires_at) values (${accountId}::bytea, ${accountId}, now(), now())`,
    sql`insert into stop (id, account_id, rule, reason, prefix, sent, verified, enforced, started_at, ends_at)
      values (${ids('stop_', shard)}, ${accountId}, 'prefix_conversion', 'r', '+21355', 9, 0, true, now(), now())`,
    sql`insert into budget (account_id, key_id, period, unit, time_window, used, most, warned)
      values (${accountId}, '', 'day', 'sends', 1, 2, 3, 0)`,
    sql`insert into rate_bucket (key, tokens, updated_at) values (${`key:${keyId}`}, 1, now()), (${`account:${accountId}:live`}, 1, now())`,
  ];
  for (const each of owned) await each.execute(home);

  const sms = new ScriptedChannel();
  const heard = hears ? { url: database.url } : {};
  const engine = await testEngine(database, { sms, rules: { resendIntervalMs: 0 }, ...heard });
  const sessions: string[] = [];
  for (const purpose of ['a', 'b', 'c']) {
    const idempotency = { route: 'send', key: `key-${purpose}`, request: 'x' };
    const request = sendRequest({ accountId, purpose, idempotency });
    const sent = await engine.engine.starter.sendSettled(request);
    if (sent.kind !== 'sent') throw new Error(sent.kind);
    sessions.push(sent.session.id);
    await until(() => sms.sent.length === 1, { what: 'the SMS' });
    const operation = ids('vrf_', shardForNumber(request.to));
    await engine.engine.starter.sendSettled({ ...request, idempotency: null, operation });
    await engine.engine.dispatcher.idle();
    const [message] = sms.sent.splice(0);
    if (message) await engine.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
    await engine.engine.check({
      accountId,
      mode: 'live',
      target: { id: sent.session.id },
      code: '000000',
      idempotency: null,
    } as never);
    await engine.engine.cancel({ accountId, mode: 'live', id: sent.session.id });
  }
  return { accountId, sessions, engine };
}
