// The convention for blocks of code in pages: what is executed, what is not, and what is an error.
import { expect, test } from 'vitest';
import { blocksOf, pageOf } from '../../sdks/snippets/blocks.ts';
import { difference, masked } from '../../sdks/snippets/mask.ts';

const page = (text: string) => pageOf(blocksOf('a.md', text.replaceAll("'''", '```')));

test('blocks are executed, data is not', () => {
  const { programs, notRun } = page("'''python\nprint(1)\n'''\n'''json\n{}\n'''\n'''text\nx\n'''\n");
  expect(programs).toEqual([{ name: 'a.md:1', page: 'a.md', language: 'python', text: 'print(1)\n' }]);
  expect(notRun).toEqual([]);
});

test('a block in a list loses its indent', () => {
  expect(page("1. x\n\n   '''sh\n   if true; then\n     ls\n   fi\n   '''\n").programs[0]?.text).toBe(
    'if true; then\n  ls\nfi\n',
  );
});

test('a block can continue another, be a file, or say why it is not run', () => {
  const { programs, files, notRun } = page(
    "'''php\n<?php\n$a = 1;\n'''\n'''php continues\n<?php\necho $a;\n'''\n'''python file=app.py\nx = 1\n'''\n'''sh not-run: needs Docker\ndocker ps\n'''\n",
  );
  expect(programs.map(({ text }) => text)).toEqual(['<?php\n$a = 1;\necho $a;\n']);
  expect(files).toEqual([{ name: 'app.py', text: 'x = 1\n' }]);
  expect(notRun).toEqual([{ name: 'a.md:12', language: 'sh', reason: 'needs Docker' }]);
});

test('output belongs to the block before it', () => {
  const { programs } = page("'''sh\nls\n'''\n'''json output\n{}\n'''\n'''output\nb\n'''\n");
  expect(programs[0]?.output).toBe('{}\nb\n');
  expect(() => page("'''output\nb\n'''\n")).toThrow(/output of nothing/);
});

test.each([
  ["'''\nx\n'''\n", /no language/],
  ["'''rust\nx\n'''\n", /rust/],
  ["'''python later\nx\n'''\n", /unknown mark later/],
  ["'''sh not-run:\nx\n'''\n", /needs a reason/],
  ["'''sh continues\nx\n'''\n", /continues nothing/],
  ["'''json\n{\n'''\n", /JSON/],
  ["'''sh\nx\n", /not closed/],
])('%j is refused', (text, why) => {
  expect(() => page(text)).toThrow(why);
});

test('ids, times, numbers and codes do not count, all else does', () => {
  const shown = 'vrf_01m7z1kmtxfgd9ehgx531kvan9 at 2026-11-21T12:34:27.805Z to +213551234567: 357017\nvalid\n';
  const printed = 'vrf_01m7z1kmtxfgd9ehgx531kvan1 at 2027-01-02T03:04:05Z to +213550000001: 000001\nvalid';
  expect(difference(shown, printed)).toBeUndefined();
  expect(difference(shown, printed.replace('valid', 'wrong'))).toMatch(/wrong/);
  expect(difference('a\n…\nz\n', 'a\nb\nc\nz\n')).toBeUndefined();
  expect(difference('a\n…\nz\n', 'a\nb\nc\n')).toBeDefined();
  expect(masked('took 12.5 ms')).toBe('took <duration>');
  expect(masked('id: 4-6\ndata: 4-6')).toBe('id: <event id>\ndata: 4-6');
});
