// The part of the terminal that is drawn over, and what stays of it where there is no terminal.
import { expect, test } from 'vitest';
import { screenOn } from '../../../src/cli/send/screen.ts';

const ESC = '\u001b';

function output(of: { isTTY?: boolean; columns?: number; rows?: number } = {}) {
  const written: string[] = [];
  return { ...of, written, write: (text: string) => written.push(text) };
}

test('a terminal is drawn over in its place', () => {
  const terminal = output({ isTTY: true, columns: 90, rows: 40 });
  const screen = screenOn(terminal, {});
  screen.show(['one', 'two']);
  screen.show(['one', 'two', 'three']);
  screen.end();
  expect(terminal.written).toEqual([
    'one\ntwo\n',
    `${ESC}[2A${ESC}[Jone\ntwo\nthree\n`,
    `${ESC}[3A${ESC}[Jone\ntwo\nthree\n`,
  ]);
  expect(screen.columns).toBe(90);
});

test('of what is higher than the terminal its end is drawn, and all of it when it is over', () => {
  const terminal = output({ isTTY: true, rows: 3 });
  const screen = screenOn(terminal, {});
  screen.show(['1', '2', '3', '4']);
  screen.end();
  expect(terminal.written).toEqual(['3\n4\n', `${ESC}[2A${ESC}[J1\n2\n3\n4\n`]);
});

test('a line that is longer than the terminal is wide takes as many rows as it needs', () => {
  const terminal = output({ isTTY: true, columns: 10, rows: 5 });
  const screen = screenOn(terminal, {});
  const coloured = screen.paint('good', '1234567890');
  screen.show(['eleven char', coloured]);
  screen.show(['a', 'b', 'eleven char', coloured]);
  screen.show(['x'.repeat(50)]);
  screen.end();
  expect(terminal.written).toEqual([
    `eleven char\n${coloured}\n`,
    `${ESC}[3A${ESC}[Jb\neleven char\n${coloured}\n`,
    `${ESC}[4A${ESC}[J${'x'.repeat(50)}\n`,
    `${ESC}[5A${ESC}[J${'x'.repeat(50)}\n`,
  ]);
});

test.each([
  ['a file', {}, {}],
  ['a terminal that can not go back', { isTTY: true }, { TERM: 'dumb' }],
])('%s gets the last drawing, once, without colours', (_, of, env) => {
  const file = output(of);
  const screen = screenOn(file, env);
  screen.show(['early']);
  screen.show([screen.paint('good', 'late')]);
  expect(file.written).toEqual([]);
  screen.end();
  expect(file.written).toEqual(['late\n']);
  expect(screen.columns).toBe(80);
});

test('colours are for terminals, and can be declined', () => {
  const terminal = { isTTY: true, write: () => {} };
  expect(screenOn(terminal, {}).paint('bad', 'x')).toBe(`${ESC}[31mx${ESC}[39m`);
  expect(screenOn(terminal, {}).paint('neutral', 'x')).toBe('x');
  expect(screenOn(terminal, { NO_COLOR: '1' }).paint('bad', 'x')).toBe('x');
});
