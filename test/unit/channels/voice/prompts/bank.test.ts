// The banks that come with Ramz are whole and as loud as they must be; what is wrong with another folder is named.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clipNames } from '../../../../../src/channels/voice/clip.ts';
import {
  type BankChoice,
  loadBank,
  ownBanks,
  placeholderWarning,
} from '../../../../../src/channels/voice/prompts/bank.ts';
import { clipTexts } from '../../../../../src/channels/voice/prompts/source.ts';
import { promptLanguages } from '../../../../../src/channels/voice/prompts/texts.ts';

const load = (choice: BankChoice) => {
  const loaded = loadBank(choice);
  if (loaded.kind === 'refused') throw new Error(loaded.problems.join('\n'));
  return loaded.bank;
};

describe.each(promptLanguages)('the bank of %s', (language) => {
  const bank = load({ language, folder: null, recorded: {} });

  test('has all clips, and each is its file', () => {
    expect([...bank.clips.keys()]).toEqual([...clipNames]);
    for (const [name, clip] of bank.clips)
      expect(clip).toEqual(new Uint8Array(readFileSync(join(bank.folder, `${name}.al`))));
  });

  test('is one piece of memory that threads can share', () => {
    const buffers = new Set([...bank.clips.values()].map(({ buffer }) => buffer));
    expect([...buffers]).toEqual([expect.any(SharedArrayBuffer)]);
  });

  test('says that it is a placeholder, in a line for the log that names the cure', () => {
    expect(bank.placeholders).toEqual(clipNames);
    expect(placeholderWarning(bank)).toMatch(/^placeholder prompts: .*RECORDING\.md.*voice\.prompts\./);
  });

  test('says the words it should', () => {
    expect(bank.source).toMatchObject({ language, licence: 'CC0-1.0', clips: clipTexts(language) });
  });
});

test('the banks together are small', () => {
  const files = readdirSync(ownBanks, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.al'));
  expect(files).toHaveLength(clipNames.length * promptLanguages.length);
  expect(files.reduce((sum, name) => sum + statSync(join(ownBanks, name)).size, 0)).toBeLessThan(400_000);
});

test('a folder that is none of ours is refused, file by file', () => {
  const loaded = loadBank({ language: 'ar', folder: '/nowhere' });
  expect(loaded.kind === 'refused' && loaded.problems).toEqual([
    '/nowhere/SOURCE is missing: `ramz prompts import` writes it',
    '/nowhere/LICENSE is missing',
    ...clipNames.map((name) => `/nowhere/${name}.al is missing`),
  ]);
});

test('the bank of another language is refused', () => {
  const loaded = loadBank({ language: 'ar', folder: join(ownBanks, 'fr') });
  expect(loaded).toMatchObject({
    problems: [expect.stringMatching(/fr\/SOURCE says "fr", and the bank is for "ar"$/)],
  });
});

test('a folder of digits without the digits is passed over', () => {
  const digits = { folder: '/nowhere', package: 'none', attribution: 'none' };
  expect(load({ language: 'fr', folder: null, recorded: { fr: digits } }).recorded).toBeNull();
});
