// The pages about the prompts have the words that the clips have: who records reads them there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clipNames } from '../../../../../src/channels/voice/clip.ts';
import { ownBanks } from '../../../../../src/channels/voice/prompts/bank.ts';
import { CONSENT_TEXT } from '../../../../../src/channels/voice/prompts/source.ts';
import { promptLanguages, promptTexts } from '../../../../../src/channels/voice/prompts/texts.ts';

const kit = readFileSync(join(ownBanks, 'RECORDING.md'), 'utf8');
const page = readFileSync(join(ownBanks, '..', 'docs', 'voice-prompts.md'), 'utf8');

test.each(promptLanguages)('the kit has every line in %s', (language) => {
  const rows = clipNames.map((name) => {
    const { text, latin } = promptTexts[language][name];
    return [`\`${name}.wav\``, text, ...(latin ? [latin] : [])].join(' | ');
  });
  for (const row of rows) expect(kit).toContain(`| ${row} |\n`);
});

test.each(['intro', 'press', 'again', 'bye'] as const)('the page has the words of %s', (name) => {
  expect(page).toContain(`| ${promptTexts.fr[name].text} | ${promptTexts.ar[name].text} |`);
});

test('the kit has the words of the consent', () => {
  expect(kit.replace(/\n> ?/g, ' ').replace(/\s+/g, ' ')).toContain(CONSENT_TEXT.replace(/\s+/g, ' ').trim());
});
