// Verbs where DATABASE_URL is not set, on the embedded database of a data directory: each says which database it is, apart from what was asked for.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { account } from '../../../src/cli/account.ts';
import { administrators } from '../../../src/cli/administrators.ts';
import { cells } from '../../../src/cli/cells.ts';
import type { VerbOptions } from '../../../src/cli/command.ts';
import { erase } from '../../../src/cli/erase.ts';
import { keys } from '../../../src/cli/keys.ts';
import { migrateDatabase } from '../../../src/cli/migrate.ts';
import { operators } from '../../../src/cli/operators.ts';
import { report } from '../../../src/cli/report.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { type Embedded, startEmbedded } from '../../../src/db/embedded.ts';
import { testFolder } from '../../support/folder.ts';
import { bind, operator } from '../../unit/config/sources.ts';

const folder = testFolder('embedded-cli');
const env = { DATABASE_URL: '', RAMZ_DATA: folder, RAMZ_KEYS: newKeyRing((size) => randomBytes(size)) };
const place = `the embedded database in ${folder}`;
let server: Embedded;

beforeAll(async () => {
  server = await startEmbedded({ dataDir: join(folder, 'postgres') });
  expect(await migrateDatabase({ env, say: () => {} })).toBe(0);
});
afterAll(() => server.destroy());

type Verb = (words: readonly string[], options: VerbOptions & { write(output: string): void }) => Promise<number>;

async function run(verb: Verb, words: string, given: NodeJS.ProcessEnv = env) {
  const said: string[] = [];
  const complained: string[] = [];
  const say = (line: string) => void said.push(line);
  const complain = (line: string) => void complained.push(line);
  const code = await verb(words.split(' '), { env: given, say, complain, write: say });
  return { code, said: said.join('\n'), complained };
}

test.each<[string, Verb, string]>([
  ['erase', erase, '+213550123456'],
  ['erase', erase, '+213550123456 --json'],
  ['account', account, 'platform block +213550123456'],
  ['account', account, 'create Shop'],
  ['administrators', administrators, 'create Amina'],
  ['keys', keys, 'status --json'],
  ['operators', operators, 'list --json'],
  ['cells', cells, 'list --json'],
  ['report', report, '--json'],
])(
  '%s names it on standard error, and says nothing there once DATABASE_URL leads to it: %#',
  async (_, verb, words) => {
    const { code, said, complained } = await run(verb, words);
    expect({ code, complained }).toEqual({ code: 0, complained: [`DATABASE_URL is not set: this is ${place}`] });
    if (words.endsWith('--json')) JSON.parse(said);
    expect(await run(verb, words, { ...env, DATABASE_URL: server.url })).toMatchObject({ code: 0, complained: [] });
  },
);

test("a database of one's own has no operators of the sandbox: what is asked about operators names RAMZ_CONFIG", async () => {
  const config = join(folder, 'sandbox.config.json');
  writeFileSync(config, JSON.stringify({ operators: [operator({ binds: [bind({ password: 'secret' })] })] }));
  onTestFinished(() => rmSync(config));
  const own = { ...env, DATABASE_URL: server.url };
  expect(await run(operators, 'list')).toMatchObject({ code: 0, said: expect.stringMatching(/^alpha /) });
  expect(await run(account, 'sender list')).toMatchObject({ said: 'no sender name waits for an operator' });
  const none = 'no operator is configured: RAMZ_CONFIG has to name the file that the service has';
  for (const [verb, words, code] of [
    [operators, 'list', 0],
    [operators, 'pause alpha', 1],
    [operators, 'match alpha', 1],
    [operators, 'doctor', 1],
    [operators, 'doctor alpha', 1],
    [account, 'sender list', 0],
  ] as const)
    expect(await run(verb, words, own), words).toMatchObject(
      code === 0 ? { code, said: none } : { code, complained: [none] },
    );
});

test('an erasure there confirms nothing of another database', async () => {
  const last = ({ said }: { said: string }) => said.split('\n').at(-1);
  expect(last(await run(erase, '+213550123457'))).toBe(`nothing of the number is left in ${place}`);
  const named = await run(erase, '+213550123457', { ...env, DATABASE_URL: server.url });
  expect(last(named)).toBe('nothing of the number is left');
});
