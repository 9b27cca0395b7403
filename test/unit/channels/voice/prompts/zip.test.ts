// ZIP archives: what tools make is read; what an attacker makes, or a broken download, is refused and never thrown.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readZip } from '../../../../../src/channels/voice/prompts/zip.ts';
import { type Packed, zipOf } from './sounds.ts';

const data = Buffer.from('the sound of a digit, the sound of a digit, the sound of a digit');
const all = () => true;
const refused = (reason: RegExp) => ({ kind: 'refused', reason: expect.stringMatching(reason) });

test('stored and deflated files are read, with a comment behind them', () => {
  const zip = zipOf(
    [
      { name: 'ar/0.wav', data },
      { name: '1.wav', data, stored: true },
      { name: 'ar/', data: Buffer.alloc(0) },
    ],
    'made by hand',
  );
  expect(readZip(zip, (name) => name.endsWith('.wav'))).toEqual({
    kind: 'ok',
    files: new Map([
      ['ar/0.wav', data],
      ['1.wav', data],
    ]),
  });
});

test('what is not wanted is not unpacked', () => {
  const zip = zipOf([
    { name: 'a.txt', data, says: { method: 99 } },
    { name: '0.wav', data },
  ]);
  expect(readZip(zip, (name) => name.endsWith('.wav'))).toMatchObject({ kind: 'ok' });
});

const bomb = Buffer.alloc(33 * 2 ** 20);

test.each<[string, readonly Packed[], RegExp]>([
  ['a bomb that says so', [{ name: 'b', data: bomb }], /too much in it: b/],
  ['a bomb that says it is small', [{ name: 'b', data: bomb, says: { length: 1_000 } }], /^is damaged$/],
  [
    'many bombs',
    Array.from({ length: 5 }, (_, i) => ({ name: `${i}`, data: bomb.subarray(0, 30 * 2 ** 20) })),
    /too much/,
  ],
  ['a password', [{ name: 'b', data, says: { flags: 1 } }], /^has b under a password$/],
  ['an unknown method', [{ name: 'b', data, says: { method: 12 } }], /a method that is not read \(12\)/],
  ['another checksum', [{ name: 'b', data, says: { crc: 1 } }], /^is damaged: b is not what it was$/],
  ['another length', [{ name: 'b', data, stored: true, says: { length: 3 } }], /^is damaged: b/],
  [
    'one name twice',
    [
      { name: 'b', data },
      { name: 'b', data },
    ],
    /^has two files b$/,
  ],
  ['too many files', Array.from({ length: 1_001 }, (_, i) => ({ name: `${i}`, data })), /more than 1000 files/],
])('refused: %s', (_, files, reason) => {
  expect(readZip(zipOf(files), all)).toEqual(refused(reason));
});

test('what is no archive is refused', () => {
  expect(readZip(Buffer.alloc(0), all)).toEqual(refused(/no ZIP/));
  expect(readZip(Buffer.alloc(100_000), all)).toEqual(refused(/no ZIP/));
});

test('ZIP64 is refused by its name', () => {
  const zip = zipOf([{ name: 'b', data }]);
  zip.writeUInt16LE(0xffff, zip.length - 12);
  expect(readZip(zip, all)).toEqual(refused(/ZIP64/));
});

test('an archive that is cut off anywhere is refused', () => {
  const zip = zipOf([
    { name: '0.wav', data },
    { name: '1.wav', data, stored: true },
  ]);
  for (let length = 0; length < zip.length; length += 1)
    expect(readZip(zip.subarray(0, length), all).kind).toBe('refused');
});

test('no bytes make it throw, and none come out that are not in it', () => {
  const good = zipOf([
    { name: '0.wav', data },
    { name: '1.wav', data, stored: true },
  ]);
  const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = Buffer.from(good);
      for (const [at, octet] of changes) bytes[at] = octet;
      const read = readZip(bytes, all);
      if (read.kind === 'ok') for (const file of read.files.values()) expect(Buffer.from(file)).toEqual(data);
    }),
    { numRuns: 5_000 },
  );
});
