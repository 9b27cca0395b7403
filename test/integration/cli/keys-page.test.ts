// Every command of docs/service-keys.md that is about the ring, in the order of the page: each does what the page says of it.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { keys } from '../../../src/cli/keys.ts';
import { keyPurposes, newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { inside } from '../../../src/db/queryable.ts';
import { requiredKeys } from '../../../src/db/secrets/required-keys.ts';
import { testDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';

const { db, url } = await testDatabase();
const page = readFileSync(join(import.meta.dirname, '../../../docs/service-keys.md'), 'utf8');
const path = join(testFolder('page'), 'key_ring.json');
const ring = () => ringOf(readFileSync(path, 'utf8'));
function ringOf(json: string) {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}

/** Without comments and what the shell does before it and with the output. */
const commands = [...page.matchAll(/^```sh[^\n]*\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  [...block.matchAll(/^(?:\[ .+; )?npm run (?:--silent )?ramz -- keys ([^#>\n]+?)\s*(?:[#>].*)?$/gm)].map(
    ([, words = '']) => words,
  ),
);

async function run(words: string) {
  let output = '';
  const add = (text: string) => {
    output += text;
  };
  const env = { DATABASE_URL: url, RAMZ_KEY_RING: path };
  const code = await keys(words.split(/\s+/), { env, say: (line) => add(`${line}\n`), write: add, settledMs: 0 });
  return { code, output };
}

test('the commands are these', () => {
  expect(commands).toEqual([
    'new',
    'status',
    'rotate code',
    'rotate',
    'rotate --print webhook_secret',
    'status --json',
    'remove code-1f6a2b3c',
    'remove api_key-77aa00bb --lost',
  ]);
});

test('the page has every purpose', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, purpose]) => purpose);
  expect(rows).toEqual([...keyPurposes]);
});

test('a ring is made, rotated, printed, and rid of its old keys', async () => {
  const [make = '', ...others] = commands;
  writeFileSync(path, (await run(make)).output, { mode: 0o600 });
  const first = ring();
  const oldCode = first.current('code').id;
  for (const words of others.slice(0, 5)) {
    const { code, output } = await run(words);
    expect([words, code]).toEqual([words, 0]);
    if (words === 'rotate code') expect(ring().current('code').id).not.toBe(oldCode);
    if (words === 'rotate') for (const purpose of keyPurposes) expect(ring().all(purpose).length).toBeGreaterThan(1);
    if (words.includes('--print')) expect(ringOf(output).next('webhook_secret')).toBeDefined();
    if (words.includes('--json'))
      expect(JSON.parse(output).keys.find(({ id }: { id: string }) => id === oldCode)).toMatchObject({
        safe_to_remove: true,
      });
  }
  expect((await run(String(others[5]).replace('code-1f6a2b3c', oldCode))).output).toBe(`${oldCode} is removed\n`);
  expect(ring().byId(oldCode)).toBeUndefined();
});

test('a lost key is given up, and then stops no start; one that is there is not lost', async () => {
  const lost = ring().current('api_key').id;
  await sql`insert into account (id, name, created_at) values ('acct_1', 'Shop', now())`.execute(db);
  await sql`insert into api_key (id, account_id, mode, name, secret_hash, hmac_key_id, scopes, created_at)
    values ('key_1', 'acct_1', 'live', '', '', ${lost}, '{}', now())`.execute(db);
  const databases = { home: inside(db), cells: [inside(db)] };
  const giveUp = String(commands.at(-1)).replace('api_key-77aa00bb', lost);
  expect(await run(giveUp)).toEqual({ code: 1, output: `${lost} must stay:\n  it is in this ring: it is not lost\n` });
  writeFileSync(path, newKeyRing(randomBytes));
  expect(await requiredKeys(databases, ring())).toMatchObject({
    kind: 'missing',
    reason: expect.stringContaining(lost),
  });
  expect(await run(giveUp.replace(' --lost', ''))).toMatchObject({
    code: 1,
    output: expect.stringContaining('1 API keys name it'),
  });
  expect(await run(giveUp)).toMatchObject({ code: 0, output: expect.stringContaining('is given up') });
  expect(await requiredKeys(databases, ring())).toEqual({ kind: 'complete' });
  const { rows } = await sql<{ before: object }>`
    select before from audit_event where action = 'remove_key' and target = 'api_key'`.execute(db);
  expect(rows).toEqual([{ before: { key: lost, lost: true, named_by: ['1 API keys'] } }]);
});

test('a key that nothing knows is neither removed nor given up: it may be mistyped', async () => {
  const refused = { code: 1, output: 'no key api_key-77aa00bb is in the ring, or named by anything\n' };
  const giveUp = String(commands.at(-1));
  expect(await run(giveUp)).toEqual(refused);
  expect(await run(giveUp.replace(' --lost', ''))).toEqual(refused);
  const { rows } = await sql`select from announced_key where id = 'api_key-77aa00bb'`.execute(db);
  expect(rows).toEqual([]);
});
