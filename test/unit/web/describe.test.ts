// A mark of the picture in words: the carrier's code is among them, whether the sentence has it or not.
import { expect, it } from 'vitest';
import { inEnglish, noReason } from '../../../src/story/reasons.ts';
import { blankMark, type Mark } from '../../../src/story/shapes.ts';
import { describe } from '../../../web/session/timeline/describe.ts';

const linesOf = (mark: Partial<Mark>) => {
  const given = { startMs: 0, language: 'en', reason: inEnglish } as const;
  return describe({ ...blankMark, kind: 'refused', ...mark, atMs: 1_000 } as Mark, given).lines.slice(1);
};

it('the code is beside a sentence that is without it', () => {
  expect(linesOf({ detail: '486 busy', why: { ...noReason, code: 'call_busy' } })).toEqual([
    'the line is busy',
    '486 busy',
  ]);
});

it('the code is told once where the sentence has it', () => {
  const why = { ...noReason, code: 'submit_refused', carrier: 'the trunk', error: '403' } as const;
  expect(linesOf({ detail: '403', why })).toEqual(['the trunk refused it 403']);
});

it('a mark without a reason has its detail', () => {
  const mark = { kind: 'other', word: 'fraud_guard', detail: 'sequential_numbers: adjacent' } as const;
  expect(linesOf(mark)).toEqual(['sequential_numbers: adjacent']);
});
