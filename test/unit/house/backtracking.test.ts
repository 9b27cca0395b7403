// Regular expressions of the source in which a repetition holds another one, or a choice: only such can take a time that grows exponentially
// with the text. Those that are there stand in docs/security/inventory.md with the reason why they do not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SRC, sourceFiles } from './imports.ts';

const page = readFileSync(join(SRC, '..', 'docs/security/inventory.md'), 'utf8');
const section = page.split('\n## Regular expressions\n')[1]?.split('\n## ')[0] ?? '';

/** A literal behind what can come before an expression; a division comes behind an operand. */
const literal =
  /(?<=[=(,:[!&|?{;]\s*|\breturn\s|^\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/[dgimsuvy]*(?=[.,;)\]\s:}]|$)/gm;

/** More turns than these are as good as any number. */
const fewTurns = 20;

/** The quantifier at the beginning of a text: how long it is, and whether it repeats without a low bound. */
function quantifier(text: string): { length: number; repeats: boolean } {
  const [all = '', sign = '', most] = /^(?:([*+?])|\{\d+(?:,(\d*))?\})\??/.exec(text) ?? [];
  const bounded = sign === '' ? most === undefined || (most !== '' && Number(most) <= fewTurns) : sign === '?';
  return { length: all.length, repeats: all !== '' && !bounded };
}

/** Whether a group that repeats holds a repetition or a choice. */
function nests(pattern: string): boolean {
  const groups = [{ repeats: false, chooses: false }];
  const top = () => groups.at(-1) as { repeats: boolean; chooses: boolean };
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const [opening] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest) ?? [];
    if (opening !== undefined) {
      groups.push({ repeats: false, chooses: false });
      at += opening.length;
      continue;
    }
    if (rest[0] === '|') top().chooses = true;
    const atom = /^(?:\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|k<\w+>|.)|\[(?:\\.|[^\]\\])*\]|[\s\S])/.exec(rest)?.[0] ?? '';
    at += atom.length;
    const inner = atom === ')' && groups.length > 1 ? groups.pop() : undefined;
    const { length, repeats } = quantifier(pattern.slice(at));
    at += length;
    if (repeats && inner && (inner.repeats || inner.chooses)) return true;
    if (repeats || inner?.repeats) top().repeats = true;
  }
  return false;
}

const found = sourceFiles()
  .filter((path) => !/^(gen|sandbox)\//.test(path))
  .flatMap((path) => {
    const code = readFileSync(join(SRC, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    return [...code.matchAll(literal)].map(([, pattern = '']) => ({ path: `src/${path}`, pattern }));
  });

test('a repetition that holds another one, or a choice, stands where the page says', () => {
  expect(found.length).toBeGreaterThan(200);
  const listed = [...section.matchAll(/^\| `(src\/[^`]+)` \| .{10,} \|$/gm)].map(([, path]) => path);
  const nesting = [...new Set(found.filter(({ pattern }) => nests(pattern)).map(({ path }) => path))];
  expect(listed.toSorted()).toEqual(nesting.toSorted());
});

test.each(['(a+)+', '^(\\w|\\d)*$', '(?:a{2,})*b', '((a*)b)+', '(?<x>a|ab){1,}', '([)]+)*', '(?:x[*]y+){0,100}'])(
  'seen: %s',
  (pattern) => {
    expect(new RegExp(pattern)).toBeInstanceOf(RegExp);
    expect(nests(pattern)).toBe(true);
  },
);

test.each(['(?:a|b)c+', '(a+)?', '(?:ab)+', '[(a+)+]+', '\\(a+\\)+', '(?=a+)b*', '(?:a+b){2}', '(a|b){1,3}'])(
  'let through: %s',
  (pattern) => {
    expect(nests(pattern)).toBe(false);
  },
);
