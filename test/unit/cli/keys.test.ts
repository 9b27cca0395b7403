// `ramz keys new`: what it writes is a key ring the service starts with.
import { expect, test } from 'vitest';
import { keys } from '../../../src/cli/keys.ts';
import { parseKeyRing } from '../../../src/core/secrets/key-ring.ts';

function run(...args: string[]) {
  let text = '';
  const code = keys(args, {
    write: (more) => {
      text += more;
    },
  });
  return { code, text };
}

test('keys new writes a ring that can be read, another one each time, and nothing else', () => {
  const [first, second] = [run('new'), run('new')];
  expect(parseKeyRing(first.text)).toMatchObject({ kind: 'ok' });
  expect(first.code).toBe(0);
  expect(second.text).not.toBe(first.text);
});

test('anything else is told how', () => {
  expect(run()).toMatchObject({ code: 2, text: expect.stringContaining('usage') });
  expect(run('new', 'please').code).toBe(2);
  expect(run('help').code).toBe(0);
});
