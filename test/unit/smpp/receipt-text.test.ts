// The short way to read a receipt's text finds what the long way finds.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseReceiptText, searchKeys } from '../../../src/smpp/receipt-text.ts';

const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
const usual = fc
  .record({
    id: fc.oneof(fc.stringMatching(/^[\w-]{1,64}$/), fc.constantFrom('stat', 'err', 'text', 'id', 'sub', '0')),
    count: digits(1, 3),
    submit: digits(10, 14),
    done: digits(10, 14),
    stat: fc.stringMatching(/^[A-Za-z]{1,10}$/),
    err: fc.oneof(fc.stringMatching(/^\w{1,8}$/), fc.constantFrom('text', 'stat')),
    echo: fc.oneof(fc.string({ maxLength: 30 }), fc.constant('id:1 stat:REJECTD err:1 text:')),
  })
  .map(
    ({ id, count, submit, done, stat, err, echo }) =>
      `id:${id} sub:${count} dlvrd:${count} submit date:${submit} done date:${done} stat:${stat} err:${err} text:${echo}`,
  );

function bothWays(text: string): void {
  expect(parseReceiptText(text)).toEqual(searchKeys(text));
}

test('texts as the specification has them', () => {
  fc.assert(fc.property(usual, bothWays), { numRuns: 2_000 });
});

test('nearly such texts', () => {
  const changed = fc
    .tuple(usual, fc.nat(140), fc.constantFrom(' ', ':', '', 'x', '\n', '\0', '_', 'stat:'))
    .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
  fc.assert(fc.property(changed, bothWays), { numRuns: 2_000 });
});
