// API keys after a rotation of the ring: their hash moves to the current key when they are next used, with the date of that use and no
// statement more.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { HeldAdministrators } from '../../../src/api/auth/administrators.ts';
import { createAuthenticator } from '../../../src/api/auth/authenticator.ts';
import { defaultKeyPrefixes, hashSecret } from '../../../src/core/accounts/api-key.ts';
import { type KeyRing, newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { withNextAsCurrent, withNextKey, withoutKey } from '../../../src/core/secrets/ring-text.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { Accounts } from '../../../src/engine/accounts/accounts.ts';
import { LiveRing } from '../../../src/engine/secrets/live-ring.ts';
import { Wakeup } from '../../../src/time/on-demand.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';

const { db } = await testDatabase<Schema>();
const ringOf = (json: string): KeyRing => {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
};
const first = newKeyRing(randomBytes);
const { json: announced, id: nextId } = withNextKey(first, 'api_key', randomBytes);
const turned = withNextAsCurrent(announced, 'api_key');
const oldId = ringOf(first).current('api_key').id;
const withoutOld = withoutKey(turned, oldId);

let time = Date.now();
const now = () => time;
const context = { db, ids, prefixes: defaultKeyPrefixes, now };
const { liveKey, testKey } = await new Accounts({
  ...context,
  ring: ringOf(first),
  settings: { operators: [] },
}).create({ name: 'Shop', language: 'fr', actor: tester });

const processWith = (json: string) => {
  const ring = new LiveRing(ringOf(json));
  return {
    ring,
    authenticator: createAuthenticator({ db, ring, prefixes: defaultKeyPrefixes, now, adminTokenHash: null }),
  };
};
const stored = async (id: string) => {
  const { rows } = await sql<{ hmac_key_id: string; secret_hash: Buffer; last_used_at: Date }>`
    select hmac_key_id, secret_hash, last_used_at from api_key where id = ${id}`.execute(db);
  return rows[0];
};
const use = async ({ authenticator }: ReturnType<typeof processWith>, key: string) => {
  const outcome = await authenticator.authenticate(key);
  await authenticator.flush();
  return outcome.kind;
};

test('a key moves to the current key of the ring when it is used, and is good throughout', async () => {
  const [one, other] = [processWith(announced), processWith(announced)];
  expect(await use(one, liveKey.key)).toBe('ok');
  expect(await use(other, liveKey.key)).toBe('ok');
  expect((await stored(liveKey.apiKey.id))?.hmac_key_id).toBe(oldId);
  // Noted a moment ago: the rotation is not made to wait for the next minute.
  time += 1_000;
  one.ring.replace(ringOf(turned));
  expect(await use(one, liveKey.key)).toBe('ok');
  const moved = await stored(liveKey.apiKey.id);
  expect(moved?.hmac_key_id).toBe(nextId);
  expect(moved?.last_used_at.getTime()).toBe(time);
  // The other process holds the row as it was, and its ring is behind: neither takes the hash back.
  time += 120_000;
  expect(await use(other, liveKey.key)).toBe('ok');
  other.authenticator.clear();
  time += 120_000;
  expect(await use(other, liveKey.key)).toBe('ok');
  expect((await stored(liveKey.apiKey.id))?.hmac_key_id).toBe(nextId);
  // Without the old key it still is.
  const last = processWith(withoutOld.kind === 'removed' ? withoutOld.json : '');
  expect(await use(last, liveKey.key)).toBe('ok');
  // A key that was not used is known by its hash under the old key alone.
  expect(await use(last, testKey.key)).toBe('unknown');
  expect((await stored(testKey.apiKey.id))?.hmac_key_id).toBe(oldId);
});

test('a wrong secret moves nothing, and a use that could not be stored is stored later with its hash', async () => {
  const one = processWith(turned);
  const forged = processWith(turned);
  const other = await new Accounts({ ...context, ring: ringOf(first), settings: { operators: [] } }).create({
    name: 'Other',
    language: 'fr',
    actor: tester,
  });
  const [secretOfOther] = other.testKey.key.match(/_[^_]+_[^_]+$/) ?? [];
  expect(await use(forged, testKey.key.replace(/_[^_]+_[^_]+$/, String(secretOfOther)))).not.toBe('ok');
  expect((await stored(testKey.apiKey.id))?.hmac_key_id).toBe(oldId);

  expect((await one.authenticator.authenticate(testKey.key)).kind).toBe('ok');
  await sql`alter table api_key rename to api_key_away`.execute(db);
  await expect(one.authenticator.flush()).rejects.toThrow();
  await sql`alter table api_key_away rename to api_key`.execute(db);
  await one.authenticator.flush();
  expect((await stored(testKey.apiKey.id))?.hmac_key_id).toBe(nextId);
});

test('a second rotation before the first was stored: the hash moves with a later use', async () => {
  const one = processWith(announced);
  const { liveKey: fresh } = await new Accounts({
    ...context,
    ring: ringOf(first),
    settings: { operators: [] },
  }).create({
    name: 'Third',
    language: 'fr',
    actor: tester,
  });
  one.ring.replace(ringOf(turned));
  expect((await one.authenticator.authenticate(fresh.key)).kind).toBe('ok');
  const { json, id } = withNextKey(turned, 'api_key', randomBytes);
  one.ring.replace(ringOf(withNextAsCurrent(json, 'api_key')));
  one.authenticator.clear();
  expect(await use(one, fresh.key)).toBe('ok');
  expect((await stored(fresh.apiKey.id))?.hmac_key_id).toBe(id);
});

test('tokens of administrators move, too', async () => {
  const id = ids('adm_');
  const key = ringOf(first).current('api_key');
  const secret = 'a secret that is long and random enough';
  await sql`insert into administrator (id, name, secret_hash, hmac_key_id, scopes, created_at, created_by)
    values (${id}, 'Amel', ${hashSecret(key.key, secret)}, ${key.id}, '{}', now(), 'cli')`.execute(db);
  const hashedWith = async () =>
    (await sql<{ hmac_key_id: string }>`select hmac_key_id from administrator where id = ${id}`.execute(db)).rows[0]
      ?.hmac_key_id;
  const ring = new LiveRing(ringOf(announced));
  const held = new HeldAdministrators({ db, ring, wakeup: new Wakeup() });
  const use = async (given = secret) => {
    const outcome = await held.judge({ id, secret: given }, time);
    await held.flush();
    return outcome.kind;
  };
  expect(await use()).toBe('ok');
  expect(await hashedWith()).toBe(key.id);
  time += 1_000;
  ring.replace(ringOf(turned));
  expect(await use('another')).toBe('unknown');
  expect(await hashedWith()).toBe(key.id);
  expect(await use()).toBe('ok');
  expect(await hashedWith()).toBe(nextId);
  held.clear();
  ring.replace(ringOf(withoutOld.kind === 'removed' ? withoutOld.json : ''));
  expect(await use()).toBe('ok');
});
