// The flows of docs/architecture.md stay short: a reader follows each through few files, and every word of the map has its file.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FACES } from '../house/rooms.ts';
import { ROOT, read } from './pages.ts';

const page = read('docs/architecture.md');
const sectionOf = (heading: string, level: string): string =>
  page
    .split(`\n${level} `)
    .find((text) => text.startsWith(`${heading}\n`))
    ?.split(/\n#+ /)[0] ?? '';

/** Of a flow, and of the two parts that all flows have in common. */
const most = { files: 9, folders: 4 };
const flows = ['1. Send', '2. Submit', '3. Receipt', '4. Deadline', '5. Check', '6. Webhook', '7. Call'];
const parts = [...flows, 'The way in', 'A change of a session'];

const namedIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/`([\w./-]+\.(?:ts|proto))`/g)].map(([, path = '']) => path)),
];

describe.each(parts)('%s', (heading) => {
  const files = namedIn(sectionOf(heading, '###'));

  test('names files that exist, by their whole path', () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test(`takes at most ${most.files} files in ${most.folders} folders`, () => {
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
    expect(new Set(files.map(dirname)).size).toBeLessThanOrEqual(most.folders);
  });
});

test('the page names every face of the engine, and no other file as one', () => {
  const [, face = ''] = /^- \*\*The face\.\*\* ([\s\S]*?)^- /m.exec(page) ?? [];
  expect(namedIn(face).toSorted()).toEqual(FACES.map((path) => `src/${path}`).toSorted());
});

test('the page has these flows and no other', () => {
  expect([...page.matchAll(/^### (\d.*)$/gm)].map(([, heading]) => heading)).toEqual(flows);
});

test('every word of the map has a file, once', () => {
  const rows = [...sectionOf('Words and files', '##').matchAll(/^\| (\*.+?) \| (.+) \| (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(([, , , files = '']) => namedIn(files).length === 0).map(([row]) => row)).toEqual([]);
  const words = rows.flatMap(([, word = '']) => [...word.matchAll(/\*([^*]+)\*/g)].map(([, each]) => each));
  expect(words.toSorted()).toEqual([...new Set(words)].toSorted());
  expect(words).toEqual(words.toSorted());
});
