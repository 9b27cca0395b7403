// Secrets that are sealed under an older key are sealed under the current one, in small transactions and by one process at a time: both
// secrets of an endpoint whose secret rotates, and what is sealed of links.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type KeyRing, newKeyRing, open, parseKeyRing, seal } from '../../../src/core/secrets/key-ring.ts';
import { withNextAsCurrent, withNextKey } from '../../../src/core/secrets/ring-text.ts';
import { inTransaction } from '../../../src/db/changes.ts';
import { inside } from '../../../src/db/queryable.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { keyUses } from '../../../src/db/secrets/key-uses.ts';
import { lockResealing } from '../../../src/db/secrets/resealing.ts';
import { Resealing, type SealedRows } from '../../../src/engine/secrets/resealing.ts';
import { sealedLinks } from '../../../src/engine/waba/stored-link.ts';
import { sealedEndpoints } from '../../../src/engine/webhooks/endpoints.ts';
import { homeOf } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase<Schema>();
const { db } = homeOf(database);
const ringOf = (json: string): KeyRing => {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
};
const first = newKeyRing(randomBytes);
const announced = ['webhook_secret', 'waba_secret'].reduce(
  (json, purpose) => withNextKey(json, purpose as 'waba_secret', randomBytes).json,
  first,
);
const turned = ['webhook_secret', 'waba_secret'].reduce(
  (json, purpose) => withNextAsCurrent(json, purpose as 'waba_secret'),
  announced,
);
const old = ringOf(first);
const now = ringOf(turned);
const iv = () => randomBytes(12);

const accounts = Array.from({ length: 7 }, () => ids('acct_')).toSorted();
const endpoints = accounts.map(() => ids('whe_')).toSorted();
for (const [n, account] of accounts.entries()) {
  const endpoint = endpoints[n] ?? '';
  await sql`insert into account (id, name, created_at) values (${account}, 'Shop', now())`.execute(db);
  const secret = seal(old, 'webhook_secret', `whsec_${n}`, endpoint, iv());
  // The second rotates; the secret before the third's has ended.
  const previous = n === 1 || n === 2 ? seal(old, 'webhook_secret', `previous_${n}`, endpoint, iv()) : null;
  const ends = new Date(Date.now() + (n === 1 ? 3_600_000 : -1_000));
  await sql`insert into webhook_endpoint (id, account_id, mode, url, description, event_types, secret, previous_secret,
    previous_secret_expires_at, created_at, updated_at)
    values (${endpoint}, ${account}, 'live', 'https://shop.example', '', '{}', ${secret}, ${previous},
    ${previous && ends}, now(), now())`.execute(db);
  const sealed = (kind: string) => seal(old, 'waba_secret', `${kind} ${n}`, `waba/${account}/${kind}`, iv());
  await sql`insert into waba (account_id, version, status, waba_id, phone_number_id, token, pin, created_at, updated_at)
    values (${account}, 3, 'connected', ${`w${n}`}, ${`p${n}`}, ${sealed('token')}, ${n === 0 ? null : sealed('pin')}, now(), now())`.execute(
    db,
  );
}
const resealing = (ring: KeyRing) =>
  new Resealing({ db, ring, sources: [sealedEndpoints(ring), sealedLinks(ring)], batch: 3 });

async function endpointsNow() {
  const { rows } = await sql<{ id: string; secret: string; previous_secret: string | null; updated_at: Date }>`
    select id, secret, previous_secret, updated_at from webhook_endpoint order by id`.execute(db);
  return rows;
}
const named = async () => {
  const uses = await keyUses({ home: inside(db), cells: [inside(db)] });
  return Object.fromEntries(uses.map(({ id, what, rows }) => [`${what}: ${id}`, rows]));
};

test('a ring that is not turned has nothing to do; the next key is nobody’s yet', async () => {
  for (const ring of [old, ringOf(announced)]) {
    const outcome = await resealing(ring).run();
    expect(outcome.kind === 'done' && [...outcome.rows.values()].map(({ resealed }) => resealed)).toEqual([0, 0]);
  }
});

test('one process at a time', async () => {
  await inTransaction(db, async (tx) => {
    expect(await lockResealing(tx)).toBe(true);
    expect(await resealing(now).run()).toMatchObject({ kind: 'busy' });
  });
});

test('what was done before another process came is told', async () => {
  let done = () => {};
  const whole = new Promise<void>((resolve) => {
    done = resolve;
  });
  const lock = sql`select pg_advisory_xact_lock(${sql.lit(0x72616d7e)})`;
  const waiting = sql`select from pg_locks where locktype = 'advisory' and not granted and objid = ${sql.lit(0x72616d7e)}`;
  let other = Promise.resolve();
  const first: SealedRows = {
    purpose: 'webhook_secret',
    async reseal() {
      other = inTransaction(db, async (tx) => {
        await lock.execute(tx);
        await whole;
      });
      await until(async () => (await waiting.execute(db)).rows.length === 1, { what: 'the other process to come' });
      return { last: null, resealed: 3, unreadable: ['whe_lost'] };
    },
  };
  const { kind, rows } = await new Resealing({ db, ring: now, sources: [first, sealedLinks(now)] }).run();
  done();
  await other;
  expect(kind).toBe('busy');
  expect(rows.get('webhook_secret')).toEqual({ resealed: 3, unreadable: ['whe_lost'] });
});

test('a row that is being changed is left to its change, and is taken with the next run', async () => {
  const locked = endpoints[4] ?? '';
  await inTransaction(db, async (tx) => {
    await sql`select from webhook_endpoint where id = ${locked} for update`.execute(tx);
    const outcome = await resealing(now).run();
    expect(outcome.kind === 'done' && outcome.rows.get('webhook_secret')?.resealed).toBe(6);
  });
  const outcome = await resealing(now).run();
  expect(outcome.kind === 'done' && outcome.rows.get('webhook_secret')?.resealed).toBe(1);
});

test('then every secret opens under the current key alone, in its own row', async () => {
  const only = JSON.parse(turned);
  for (const purpose of ['webhook_secret', 'waba_secret'])
    only[purpose].keys = { [only[purpose].current]: only[purpose].keys[only[purpose].current] };
  const ring = ringOf(JSON.stringify(only));
  const rows = await endpointsNow();
  for (const [n, { id, secret, previous_secret }] of rows.entries()) {
    expect(open(ring, 'webhook_secret', secret, id)).toEqual({ kind: 'ok', plaintext: `whsec_${n}` });
    expect(open(ring, 'webhook_secret', secret, 'another').kind).toBe('unreadable');
    if (n === 1)
      expect(open(ring, 'webhook_secret', previous_secret ?? '', id)).toEqual({ kind: 'ok', plaintext: 'previous_1' });
  }
  const { rows: links } = await sql<{ account_id: string; token: string; pin: string | null; version: number }>`
    select account_id, token, pin, version from waba order by account_id`.execute(db);
  for (const [n, { account_id, token, pin, version }] of links.entries()) {
    expect(open(ring, 'waba_secret', token, `waba/${account_id}/token`)).toEqual({
      kind: 'ok',
      plaintext: `token ${n}`,
    });
    if (n > 0)
      expect(open(ring, 'waba_secret', pin ?? '', `waba/${account_id}/pin`)).toEqual({
        kind: 'ok',
        plaintext: `pin ${n}`,
      });
    // A step under way finds out that the row was changed.
    expect(version).toBe(4);
  }
  const uses = await named();
  expect(uses).toEqual({
    [`webhook secrets: ${now.current('webhook_secret').id}`]: 7,
    [`previous webhook secrets: ${now.current('webhook_secret').id}`]: 1,
    [`secrets of linked WhatsApp accounts: ${now.current('waba_secret').id}`]: 13,
  });
});

test('a process whose ring is behind takes nothing back', async () => {
  const before = await endpointsNow();
  await resealing(ringOf(announced)).run();
  expect(await endpointsNow()).toEqual(before);
});

test('what can not be opened is named, stays as it is, and keeps nothing else waiting', async () => {
  const broken = endpoints[3] ?? '';
  await sql`update webhook_endpoint set secret = 'webhook_secret-lost.AAAA' where id = ${broken}`.execute(db);
  const outcome = await resealing(now).run();
  expect(outcome).toEqual({
    kind: 'done',
    rows: new Map([
      ['webhook_secret', { resealed: 0, unreadable: [broken] }],
      ['waba_secret', { resealed: 0, unreadable: [] }],
    ]),
  });
  expect((await endpointsNow()).find(({ id }) => id === broken)?.secret).toBe('webhook_secret-lost.AAAA');
});
