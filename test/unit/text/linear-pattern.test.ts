import { describe, expect, test } from 'vitest';
import { compilePattern, type LinearPattern } from '../../../src/text/linear-pattern.ts';
import { cpuMs } from '../../support/cpu.ts';

function compiled(source: string): LinearPattern {
  const result = compilePattern(source);
  if (result.kind === 'refused') throw new Error(`${source} ${result.reason}`);
  return result.pattern;
}

/** What JavaScript's own engine finds. */
function expected(source: string, text: string): Record<string, string> | null {
  const found = new RegExp(source, 'i').exec(text);
  return found && Object.fromEntries(Object.entries(found.groups ?? {}).filter(([, value]) => value !== undefined));
}

describe('it finds what JavaScript finds', () => {
  const texts = [
    '',
    'a',
    'id=4A6F stat=DELIVRD',
    'Message for 213551234567, with identification 0501, has been delivered\r\n',
    '---',
    'aaab',
  ];
  test.each([
    '(?<id>a)|(?<stat>b)',
    'id=(?<id>[0-9a-f]+) +stat=(?<stat>\\w+)',
    'identification (?<id>\\d{1,20}),? has been (?<stat>[a-z ]+)',
    '^(?<all>.*)$',
    '(?<lazy>a+?)(?<rest>a*)b',
    '\\b(?<word>\\w+)\\W(?<second>[^\\s,]+)',
    '(?<x>a{2,3})',
    '(?:(?<x>a|-)){2}(?<y>.?)',
    '[\\]\\-a]+(?<x>b?)',
    '\\Bb|(?<x>\\.)',
    '(?<x>)',
  ])('%s', (source) => {
    const pattern = compiled(source);
    for (const text of texts)
      expect({ text, groups: pattern.exec(text) }).toEqual({ text, groups: expected(source, text) });
  });

  test('in thousands of patterns and texts made at random', () => {
    let seed = 1;
    const random = (n: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % n;
    };
    const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)]!;
    let names = 0;
    const atom = (depth: number): string => {
      if (depth > 2 || random(3) > 0)
        return pick(['a', 'b', 'B', '-', '.', '\\d', '\\w', '[ab]', '[^a]', '[0-9b-]', '\\.']);
      const inner = Array.from({ length: 1 + random(2) }, () => piece(depth + 1)).join(random(2) ? '|' : '');
      names += 1;
      return random(2)
        ? `(?:${inner})`
        : `(?<g${'abcdefghijklmnopqrstuvwxyz'[names % 26]}_${'_'.repeat(Math.floor(names / 26))}>${inner})`;
    };
    // Groups that may hold nothing stand once, and the others once at most: in JavaScript turns that take nothing do not count, and groups of
    // earlier turns are forgotten.
    const piece = (depth: number): string => {
      const one = atom(depth);
      return one.startsWith('(')
        ? one + (new RegExp(`^${one}$`).test('') ? '' : pick(['', '', '?']))
        : one + pick(['', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,2}?']);
    };
    const letters = ['a', 'b', 'A', '-', '1', '.', ' '];
    for (let n = 0; n < 3_000; n += 1) {
      names = 0;
      const source = Array.from({ length: 1 + random(4) }, () => piece(0)).join('');
      const text = Array.from({ length: random(12) }, () => pick(letters)).join('');
      const found = compiled(source).exec(text);
      expect({ source, text, groups: found }).toEqual({ source, text, groups: expected(source, text) });
    }
  });
});

test.each([
  ['(a+)+$', 'a'],
  ['(a|a)*(a|a)*(a|a)*b', 'a'],
  ['(?:(?:a?){20}){20}', 'a'],
  ['\\d*\\d*\\d*\\d*\\d*\\d*x', '1'],
])('%s ends soon on 100,000 of %s', (source, letter) => {
  const result = compilePattern(source);
  if (result.kind === 'refused') return expect(result.reason).toMatch('repeats too much');
  const tookMs = cpuMs(() => void result.pattern.exec(`${letter.repeat(100_000)}!`));
  // JavaScript's own engine needs longer than the universe has been there; this needs some milliseconds.
  expect(tookMs).toBeLessThan(2_000);
});

test('a text is read up to its 1,024th character', () => {
  expect(compiled('(?<x>b)').exec(`${'a'.repeat(1_023)}b`)).toEqual({ x: 'b' });
  expect(compiled('(?<x>b)').exec(`${'a'.repeat(1_024)}b`)).toBeNull();
});

test.each([
  ['(?=a)', 'looks ahead or behind'],
  ['(?<!a)b', 'looks ahead or behind'],
  ['(?i)a', 'looks ahead or behind'],
  ['(a)\\1', 'refers back'],
  ['(?<x>a)\\k<x>', 'refers back'],
  ['a**', 'repeats a repetition'],
  ['*a', 'has a * that repeats or ends nothing'],
  ['^*', 'takes no character'],
  ['a{3,2}', 'at least 3 and at most 2'],
  ['a{201}', 'more than 200 times'],
  ['(a{200}){3}', 'repeats too much'],
  ['(a', 'has a ( without a )'],
  ['a)', 'has a ) without a ('],
  ['[a', 'has a [ without a ]'],
  ['[b-a]', 'a range in [] that is none'],
  ['\\p{L}', '\\p, which is not supported'],
  ['\\', 'ends in a \\'],
  ['(?<x>a)(?<x>b)', 'two groups named x'],
  ['(?<X>a)', 'name is not of a-z'],
  ['('.repeat(30), 'more than 20 groups within each other'],
  ['a'.repeat(501), 'is longer than 500'],
])('%s is refused', (source, reason) => {
  expect(compilePattern(source)).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
});
