// The pages of docs/security: each requirement once, each with an answer, and each test that they name exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './pages.ts';
import { type Proof, requirements, rowsOf, securityPages, securityRows } from './security.ts';

const rows = securityRows();

/** The title is written in the file, between quotation marks of any kind. */
function exists({ file, title }: Proof): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  const code = readFileSync(join(ROOT, file), 'utf8');
  const written = [title, title.replaceAll("'", "\\'"), title.replaceAll("'", '’')];
  return written.some((text) => ["'", '"', '`'].some((mark) => code.includes(mark + text + mark)));
}

test('every requirement of ASVS 5.0.0 stands in one line', () => {
  const named = rows.flatMap(({ ids }) => ids.filter((id) => id.startsWith('V')));
  expect(requirements.size).toBe(345);
  expect(named.toSorted()).toEqual([...requirements.keys()].toSorted());
});

test('levels are those of the standard', () => {
  const wrong = rows.filter(
    ({ ids, level }) =>
      level !== null && level !== [...new Set(ids.map((id) => requirements.get(id)))].toSorted().join(', '),
  );
  expect(wrong.map(({ line }) => line)).toEqual([]);
});

test('no table has a line that is not read', () => {
  for (const page of securityPages) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const lines = [...text.matchAll(/^\| (?:V?\d.*)\|$/gm)].map(([line]) => line);
    expect(rowsOf(page, text).map(({ line }) => line)).toEqual(lines);
  }
  expect(rows.length).toBeGreaterThan(250);
});

test('every line has a proof, a reason, or says what is missing', () => {
  expect(rows.filter(({ answer }) => answer === null).map(({ line }) => line)).toEqual([]);
  const silent = rows.filter(({ line }) => /\*(?:missing|not ours)\*(?:: ?)?\.? \|$/.test(line));
  expect(silent.map(({ line }) => line)).toEqual([]);
});

describe.each(securityPages)('%s', (page) => {
  test('names tests that exist, by their titles', () => {
    const named = rows.filter((row) => row.page === page).flatMap(({ proofs }) => proofs);
    expect(named.filter((proof) => !exists(proof))).toEqual([]);
  });
});

test('what is wrong is seen', () => {
  const [row, ...others] = rowsOf(
    'docs/security/a.md',
    '| V1.1.1 | 2 | a | [no such test](../../test/unit/docs/security.test.ts) |\n| V1.1.2, V1.2.1 | 1, 2 | b | nothing |\n| 3.1 | c | *application* |',
  );
  expect(row).toMatchObject({ ids: ['V1.1.1'], level: '2', answer: 'proved' });
  expect(row?.proofs.map(exists)).toEqual([false]);
  expect(others.map(({ ids, answer }) => [...ids, answer])).toEqual([
    ['V1.1.2', 'V1.2.1', null],
    ['3.1', 'not ours'],
  ]);
  // A page is no proof but where a page is what is asked for.
  const page = (id: string) => rowsOf('docs/security/a.md', `| ${id} | 1 | a | [limits](../limits.md) |`)[0]?.answer;
  expect([page('V2.1.1'), page('V2.2.1')]).toEqual(['proved', null]);
});
