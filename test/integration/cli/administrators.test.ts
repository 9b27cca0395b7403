// `ramz administrators` on a database without a running service: what it makes works at the API, and the audit log says who made it.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/api/auth/authenticator.ts';
import { administrators } from '../../../src/cli/administrators.ts';
import { defaultKeyPrefixes } from '../../../src/core/accounts/api-key.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const keyRing = newKeyRing((size) => randomBytes(size));
const env = { DATABASE_URL: database.url, RAMZ_DATA: '/nonexistent', RAMZ_KEYS: keyRing };

async function run(...args: string[]) {
  const lines: string[] = [];
  const exitCode = await administrators(args, { env, say: (line) => lines.push(line) });
  return { exitCode, text: lines.join('\n') };
}

function newAuthenticator() {
  const parsed = parseKeyRing(keyRing);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  const [db, now] = [withSchema(database.db), Date.now];
  return createAuthenticator({ db, ring: parsed.ring, prefixes: defaultKeyPrefixes, now, adminTokenHash: null });
}

test('makes an administrator whose token works, lists and revokes it', async () => {
  expect(await run('list')).toEqual({ exitCode: 0, text: 'there is no administrator' });
  const made = await run('create', 'Amina Haddad', '--scopes', 'audit,accounts', '--expires', '2099-01-01');
  const [, id = '', token = ''] = /^administrator +(adm_\S+)\ntoken +(ramz_admin_\S+)\n/.exec(made.text) ?? [];
  expect(await newAuthenticator().administrator(token)).toMatchObject({
    kind: 'ok',
    principal: { id, name: 'Amina Haddad', scopes: ['accounts', 'audit'], expiresAt: Date.parse('2099-01-01') },
  });
  const listed = await run('list');
  expect(listed.text).toContain(`${id}  ramz_admin_…${id.slice(-4)}  accounts,audit  expires 2099-01-01`);
  expect(listed.text).not.toContain(token);
  expect(await run('revoke', id)).toMatchObject({ exitCode: 0, text: expect.stringContaining('revoked 2') });
  expect(await newAuthenticator().administrator(token)).toEqual({ kind: 'unknown' });
  expect((await run('list')).text).toBe('there is no administrator');
  expect((await run('list', '--revoked')).text).toContain(id);
  const rows = await withSchema(database.db).selectFrom('audit_event').selectAll().orderBy('id').execute();
  const by = { actor_kind: 'administrator', actor_id: 'cli', address: hostname(), target: id };
  expect(rows).toMatchObject([
    { ...by, action: 'create_administrator' },
    { ...by, action: 'revoke_administrator' },
  ]);
});

test('keeps the last who can make others, while RAMZ_ADMIN_TOKEN is not set', async () => {
  const made = await run('create', 'Last');
  const [id = ''] = /adm_\S+/.exec(made.text) ?? [];
  expect(await run('revoke', id)).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining('create another one first'),
  });
});

test.each([
  [['create']],
  [['create', ' ']],
  [['create', 'x'.repeat(101)]],
  [['create', 'x', '--scopes', 'everything']],
  [['create', 'x', '--expires', '2020-01-01']],
  [['revoke']],
  [['list', 'x']],
  [['drop', 'x']],
  [['list', '--all']],
])('does not understand %j', async (args) => {
  expect((await run(...args)).exitCode).toBe(2);
});

test('knows nobody of an id that is not there', async () => {
  expect(await run('revoke', 'adm_x')).toMatchObject({ exitCode: 1 });
});

test('lists the first behind a thousand that have expired', async () => {
  const [id = ''] = /adm_\S+/.exec((await run('create', 'First')).text) ?? [];
  await sql`insert into administrator select (jsonb_populate_record(a, jsonb_build_object(
      'id', 'adm_zz' || n, 'expires_at', now() - interval '1 day'))).*
    from administrator a, generate_series(1, 1001) n where a.id = ${id}`.execute(database.db);
  const listed = (await run('list')).text.split('\n').map((line) => line.split('  ')[0]);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.length).toBeGreaterThan(1001);
  expect(listed).toContain(id);
});
