// The verbs of the program itself: words that a verb does not take are refused, and nothing is done; the exit code is what the verb returns.
import { expect, test } from 'vitest';
import { parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { startScript } from '../../support/process.ts';

/** Nothing listens there: a verb that did its work would fail with 1. */
const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', RAMZ_DATA: '/nonexistent' };

test.each([
  [['migrate', '--help'], 0, 'usage: npm run ramz -- migrate', 'brings the database up to this version, then ends'],
  [['migrate', 'now'], 2, 'usage: npm run ramz -- migrate', '"now" is one word too many'],
  [['serve', '--port=80'], 2, 'usage: npm run ramz -- serve', "Unknown option '--port'"],
  [['sandbox', 'help'], 0, 'usage: npm run ramz -- sandbox', 'the sandbox alone'],
  [['start', '--help'], 0, 'usage: npm start', '--quiet'],
  [['start', '--silent'], 2, 'usage: npm start', '"--silent" is not understood'],
  [['help'], 0, 'usage: npm run ramz -- <verb>', 'migrate '],
  [['migrat'], 2, 'usage: npm run ramz -- <verb>', '"migrat" is no verb'],
])('%j', async (args, code, usage, said) => {
  const run = startScript('src/main.ts', { args, env });
  expect(await run.exit()).toMatchObject({ code });
  expect(run.output()).toContain(usage);
  expect(run.output()).toContain(said);
});

test('keys new writes a key ring and nothing else, and ends with 0', async () => {
  const run = startScript('src/main.ts', { args: ['keys', 'new'], env });
  expect(await run.exit()).toEqual({ code: 0, signal: null });
  expect(parseKeyRing(run.output())).toMatchObject({ kind: 'ok' });
});
