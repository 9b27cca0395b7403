// A key ring in a folder with a file for each purpose: a purpose that older rings lack may be missing, and nothing else is passed over.

import { expect, test } from 'vitest';
import { loadKeyRing } from '../../../src/config.ts';
import { keyRing } from './sources.ts';

const failing = (code: string) => {
  throw Object.assign(new Error(code), { code });
};

/** Reads the ring from a folder; `failures`: files that can't be read, with the code of the error. */
function fromFolder(failures: Record<string, string>) {
  const sections = JSON.parse(keyRing) as Record<string, object>;
  const readFile = (path: string): string => {
    const [, purpose = ''] = /^\/ring\/(\w+)\.json$/.exec(path) ?? [];
    if (purpose === '') return failing('EISDIR');
    const code = failures[purpose];
    return code === undefined ? JSON.stringify(sections[purpose]) : failing(code);
  };
  return loadKeyRing({ env: { RAMZ_KEY_RING: '/ring' }, readFile });
}

test('a purpose without a file is missing, which is an error only where every ring has it', () => {
  const { value, errors } = fromFolder({ lists: 'ENOENT' });
  expect(errors).toEqual([]);
  expect([value?.has('lists'), value?.has('signals')]).toEqual([false, true]);
  expect(fromFolder({ code: 'ENOENT' }).errors).toMatchObject([{ message: expect.stringContaining('code') }]);
});

test('a file that can not be read is an error, whether the purpose may be missing or not', () => {
  expect(fromFolder({ lists: 'EACCES', code: 'EIO' })).toEqual({
    errors: [
      { path: 'RAMZ_KEY_RING', message: '/ring/code.json cannot be read (EIO)' },
      { path: 'RAMZ_KEY_RING', message: '/ring/lists.json cannot be read (EACCES)' },
    ],
  });
});

test('a folder without any of the files is no ring', () => {
  const none = Object.fromEntries(Object.keys(JSON.parse(keyRing)).map((purpose) => [purpose, 'ENOENT']));
  expect(fromFolder(none).errors).toEqual([{ path: 'RAMZ_KEY_RING', message: '/ring cannot be read or is empty' }]);
});

test('a key that is given twice is an error, where JSON would keep the last one in silence', () => {
  const section = JSON.stringify((JSON.parse(keyRing) as Record<string, object>).code);
  const twice = `${keyRing.trimEnd().slice(0, -1)}, "code": ${section}}`;
  const { value, errors } = loadKeyRing({ env: { RAMZ_KEYS: twice }, readFile: () => '' });
  expect([value, errors]).toEqual([undefined, [{ path: 'RAMZ_KEYS', message: 'key ring: code is given twice' }]]);
});
