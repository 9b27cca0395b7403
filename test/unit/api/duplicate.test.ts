// Members that are given twice: found wherever JSON.parse would drop one, and nowhere else.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duplicateMember, type JsonPath } from '../../../src/core/duplicate-member.ts';

test.each<[string, JsonPath | undefined]>([
  ['{}', undefined],
  ['"{\\"a\\":1,\\"a\\":2}"', undefined],
  ['{"to":"+1","to":"+2"}', ['to']],
  ['{"to":"+1","\\u0074o":"+2"}', ['to']],
  ['{"a\\"":1,"a\\u0022":2}', ['a"']],
  ['{"a\\\\":1,"a":2}', undefined],
  ['{"a":"\\\\","a":2}', ['a']],
  ['{"a":{"b":1},"b":{"a":1}}', undefined],
  ['{"a":{"b":1,"b":1}}', ['a', 'b']],
  ['{"a":[{"b":1},{"b":1}]}', undefined],
  ['{"a":[[0],{"b":[1,2],"b":"a"}]}', ['a', 1, 'b']],
  ['{"a":["b","b"],"c":"a"}', undefined],
  ['{"":1,"":2}', ['']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"to":1,"To":2}', undefined],
  ['[{"a":1},{"a":1,"a":1}]', [1, 'a']],
])('%s: %j', (json, path) => expect(duplicateMember(json)).toEqual(path));

test('as deep and as long as a body may be', () => {
  const depth = 32_000;
  expect(duplicateMember('['.repeat(depth) + ']'.repeat(depth))).toBeUndefined();
  expect(duplicateMember(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toBeUndefined();
  expect(duplicateMember(`{"a":"${'\\\\'.repeat(30_000)}","a":1}`)).toEqual(['a']);
});

describe('any JSON', () => {
  type Tree =
    | { kind: 'leaf'; value: unknown }
    | { kind: 'list'; items: Tree[] }
    | { kind: 'object'; members: Member[] };
  type Member = [name: string, value: Tree];

  // Few names, so that they meet; among them those with which a scanner goes wrong.
  const name = fc.constantFrom('a', 'b', 'to', '', '"', '\\', '\\"', '{', '},{', 'é', '\u2028', '😀', '__proto__');
  const leaf = fc.constantFrom<unknown>(null, true, 0, -1.5e300, '', 'a', '"', '\\', '{"a":1,"a":2}', ',"a":');
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf.map((value): Tree => ({ kind: 'leaf', value })),
      fc.array(tie('tree'), { maxLength: 4 }).map((items): Tree => ({ kind: 'list', items })),
      fc.array(fc.tuple(name, tie('tree')), { maxLength: 4 }).map((members): Tree => ({ kind: 'object', members })),
    ),
  }));

  /** Written with what JSON leaves free: white space, and escapes that need not be. */
  function write(node: Tree, free: () => number): string {
    const gap = () => ['', ' ', '\n\t', ''][free() % 4];
    const unit = (value: string, at: number) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`;
    const text = (value: string) =>
      free() % 2 === 0
        ? JSON.stringify(value)
        : `"${Array.from({ length: value.length }, (_, at) => unit(value, at)).join('')}"`;
    switch (node.kind) {
      case 'leaf':
        return typeof node.value === 'string' ? text(node.value) : JSON.stringify(node.value);
      case 'list':
        return `[${gap()}${node.items.map((item) => write(item, free)).join(`${gap()},${gap()}`)}${gap()}]`;
      case 'object': {
        const members = node.members.map(([key, value]) => `${text(key)}${gap()}:${gap()}${write(value, free)}`);
        return `{${gap()}${members.join(`${gap()},${gap()}`)}${gap()}}`;
      }
    }
  }

  /** The first in the order of the text. */
  function expected(node: Tree): JsonPath | undefined {
    if (node.kind === 'leaf') return undefined;
    const seen = new Set<string>();
    const inside: [string | number, Tree][] = node.kind === 'list' ? [...node.items.entries()] : node.members;
    for (const [at, value] of inside) {
      if (typeof at === 'string' && seen.has(at)) return [at];
      if (typeof at === 'string') seen.add(at);
      const further = expected(value);
      if (further) return [at, ...further];
    }
    return undefined;
  }

  test('the first member that comes twice is found, however it is written', () => {
    let found = 0;
    fc.assert(
      fc.property(tree, fc.array(fc.nat(), { minLength: 1, maxLength: 50 }), (node, choices) => {
        let turn = 0;
        const json = write(node, () => choices[turn++ % choices.length] ?? 0);
        JSON.parse(json);
        const path = expected(node);
        found += path ? 1 : 0;
        expect(duplicateMember(json)).toEqual(path);
      }),
      { numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(100);
  });

  test('what a program writes has none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateMember(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });
});
