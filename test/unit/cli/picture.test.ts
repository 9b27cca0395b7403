// The picture of a session in the terminal: those of recorded sessions as a reader sees them, and what holds for all at any width.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Paint } from '../../../src/cli/send/marks.ts';
import { drawStory } from '../../../src/cli/send/picture.ts';
import { type StorySession, storyOf } from '../../../src/story/story.ts';

const folder = join(import.meta.dirname, '../../support/stories');
const names = readdirSync(folder).map((file) => file.replace('.json', ''));
const plain: Paint = (_, text) => text;

/** As it was so long after its beginning. */
function drawn(name: string, { columns = 80, afterMs = 2_000, paint = plain } = {}): string[] {
  const session = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as StorySession;
  return drawStory(storyOf(session, Date.parse(session.created_at ?? '') + afterMs), { columns, paint });
}

test.each(names)('%s, as it is read', async (name) => {
  await expect(`${drawn(name).join('\n')}\n`).toMatchFileSnapshot(`pictures/${name}.txt`);
});

test.each([60, 61, 80, 97, 140])('at %d columns every line fits, and every word is there', (columns) => {
  for (const name of names) {
    const lines = drawn(name, { columns });
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    const words = (text: string) => text.match(/[A-Za-z_]{3,}/g)?.sort();
    expect(words(lines.join(' '))).toEqual(words(drawn(name, { columns: 120 }).join(' ')));
  }
});

test('a terminal below 60 columns gets the picture for 60, and none gets more than 140', () => {
  expect(drawn('sms_late', { columns: 20 })).toEqual(drawn('sms_late', { columns: 60 }));
  expect(drawn('sms_late', { columns: 900 })).toEqual(drawn('sms_late', { columns: 140 }));
});

test('a leg under way grows with time, up to its timeout', () => {
  const bars = [1_000, 3_000, 5_000].map((afterMs) => drawn('under_way', { afterMs })[2] ?? '');
  const lengths = bars.map((bar) => bar.split('━').length);
  expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
  expect(new Set(lengths).size).toBe(3);
  expect(bars.map((bar) => bar.includes('┄'))).toEqual([true, true, false]);
});

test('what is good, bad or beside the point has its colour, and the words stay the same', () => {
  const marked: Paint = (tone, text) => (tone === 'neutral' ? text : `<${tone}>${text}</>`);
  const lines = drawn('sms_undelivered', { paint: marked });
  expect(lines.find((line) => line.includes('<bad>failed</>'))).toContain('<bad>━');
  expect(lines.join('\n')).toContain('<bad>✗</> 72 ms UNDELIV');
  expect(lines.join('\n')).toMatch(/<good>✓<\/> \d+ ms delivered/);
  const stripped = lines.map((line) => line.replace(/<\/?\w*>/g, '').trimEnd());
  expect(stripped).toEqual(drawn('sms_undelivered'));
});
