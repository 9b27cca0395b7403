// `ramz keys new`: what it writes is a key ring the service starts with.
import { expect, test } from 'vitest';
import { keys } from '../../../src/cli/keys.ts';
import { parseKeyRing } from '../../../src/core/secrets/key-ring.ts';

async function run(...args: string[]) {
  let text = '';
  const add = (more: string) => {
    text += more;
  };
  const code = await keys(args, { env: {}, say: add, write: add });
  return { code, text };
}

test('keys new writes a ring that can be read, another one each time, and nothing else', async () => {
  const [first, second] = await Promise.all([run('new'), run('new')]);
  expect(parseKeyRing(first.text)).toMatchObject({ kind: 'ok' });
  expect(first.code).toBe(0);
  expect(second.text).not.toBe(first.text);
});

test.each([
  [[]],
  [['new', 'please']],
  [['status', 'all']],
  [['remove']],
  [['rotate', '--wait', 'long']],
  [['rotate', '--now']],
])('%j is answered with how', async (args) => {
  expect(await run(...args)).toMatchObject({ code: 2, text: expect.stringContaining('usage') });
});

test('help is no mistake', async () => {
  expect((await run('help')).code).toBe(0);
  expect((await run('--help')).code).toBe(0);
});
