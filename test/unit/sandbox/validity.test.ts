import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readValidity } from '../../../src/sandbox/smsc/validity.ts';

const both = ['relative', 'absolute'] as const;
const now = Date.UTC(2026, 6, 14, 12);

test.each([
  { raw: '', expected: { kind: 'none' } },
  { raw: '000000001000000R', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '000001000000000R', expected: { kind: 'until', at: now + 86_400_000 } },
  { raw: '260714121000000+', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '260714131000004+', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '260714111000004-', expected: { kind: 'until', at: now + 600_000 } },
  { raw: '000000000000000R', expected: { kind: 'invalid' } },
  { raw: '260714115900000+', expected: { kind: 'invalid' } },
  { raw: '261314121000000+', expected: { kind: 'invalid' } },
  { raw: '300', expected: { kind: 'invalid' } },
  { raw: '000000001000', expected: { kind: 'invalid' } },
  { raw: '000000001000000', expected: { kind: 'invalid' } },
])('$raw → $expected', ({ raw, expected }) => {
  expect(readValidity(raw, both, now)).toEqual(expected);
});

test('refuses a form the SMSC does not take', () => {
  expect(readValidity('000000001000000R', ['absolute'], now)).toEqual({ kind: 'invalid' });
  expect(readValidity('260714121000000+', ['relative'], now)).toEqual({ kind: 'invalid' });
});

test('whatever it is given, the answer is one of three, and never in the past', () => {
  const raws = fc.oneof(fc.string({ maxLength: 17 }), fc.stringMatching(/^\d{15}[R+-]$/));
  fc.assert(
    fc.property(raws, (raw) => {
      const validity = readValidity(raw, both, now);
      if (validity.kind === 'until') expect(validity.at).toBeGreaterThan(now);
      else expect(['none', 'invalid']).toContain(validity.kind);
    }),
  );
});
