import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dateWriter } from '../../../../src/sandbox/smsc/receipt.ts';

test('writes local time in each form', () => {
  const at = Date.UTC(2026, 0, 31, 23, 59, 7);
  expect(dateWriter('UTC', 'YYMMDDhhmm')(at)).toBe('2601312359');
  expect(dateWriter('Africa/Algiers', 'YYMMDDhhmmss')(at)).toBe('260201005907');
  expect(dateWriter('Africa/Algiers', 'YYYYMMDDhhmm')(at)).toBe('202602010059');
});

test('follows summer time, though it looks the offset up once an hour', () => {
  const write = dateWriter('Europe/Paris', 'YYMMDDhhmm');
  const change = Date.UTC(2026, 2, 29, 1); // 02:00 becomes 03:00.
  expect([change - 60_000, change, change - 60_000].map(write)).toEqual(['2603290159', '2603290300', '2603290159']);
});

test('agrees with Intl at any time, in any order', () => {
  const write = dateWriter('America/St_Johns', 'YYMMDDhhmmss');
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'America/St_Johns',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  // Summer time begins there at half past five in the morning, UTC.
  const changes = fc.integer({ min: Date.UTC(2026, 2, 8, 5), max: Date.UTC(2026, 2, 8, 6) });
  const times = fc.oneof(fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2060, 0) }), changes);
  fc.assert(
    fc.property(times, (at) => {
      expect(write(at)).toBe(format.format(at).replace(/\D/g, '').slice(2));
    }),
  );
});
