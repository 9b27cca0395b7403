import { expect, test } from 'vitest';
import { isOneLine, onOneLine } from '../../../src/core/one-line.ts';

test.each(['', 'My Shop', 'Épicerie “Zoé” 🛒', 'نان\u200cوایی', 'שלום\u200f!'])('%j is shown as it is', (text) => {
  expect(isOneLine(text)).toBe(true);
  expect(onOneLine(text)).toBe(text);
});

test.each(['\u001b[2J', 'a\nb', 'a\rb', '\t', '\u007f', '\u009b31m', '\u2028', '\u2029', '\u202e', '\u2066', '\0'])(
  '%j is shown as JSON writes it',
  (text) => {
    expect(isOneLine(text)).toBe(false);
    expect(isOneLine(onOneLine(text))).toBe(true);
    expect(JSON.parse(`"${onOneLine(text)}"`)).toBe(text);
  },
);

test('a line of JSON says the same', () => {
  const line = JSON.stringify({ name: 'a\u009b\u202e\n"b\\' });
  expect(JSON.parse(onOneLine(line))).toEqual(JSON.parse(line));
});
