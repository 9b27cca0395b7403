// A line of the log is one line of JSON, whatever a caller has had written into it: nobody forges a second one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/telemetry/log.ts';

/** Line breaks of every kind, control characters, terminal escapes, quotes, halves of surrogate pairs. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'a\n{"level":"error"}',
    '\r\n',
    '\u2028\u2029\u0085',
    '\x1b[2J\x07\0',
    '","level":"fatal',
    '\\',
    '%s %o',
  ),
);

test('each is one line of JSON with a time in UTC, whatever is in it', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (message, field, cause) => {
      const written: string[] = [];
      const logger = createLogger('info', { write: (text: string) => written.push(text) });
      logger.warn({ field, nested: { field }, err: new Error(cause) }, message);
      const [line = '', ...others] = written;
      expect(others).toEqual([]);
      expect(line.split('').filter((unit) => unit < ' ')).toEqual(['\n']);
      expect(line.at(-1)).toBe('\n');
      const { time, level } = JSON.parse(line) as { time: string; level: string };
      expect(level).toBe('warn');
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }),
  );
});

function lineOf(err: Error): Record<string, unknown> {
  const written: string[] = [];
  createLogger('info', { write: (text: string) => written.push(text) }).error({ err }, 'failed');
  return JSON.parse(written[0] ?? '').err;
}

test('an error that stands for several says what each was, with numbers masked', () => {
  const failures = [new Error('disk of +213551234567'), Object.assign(new Error('lock'), { code: '55P03' })];
  const { message, errors } = lineOf(new AggregateError(failures, 'maintenance of the tables failed'));
  expect([message, errors]).toMatchObject([
    'maintenance of the tables failed',
    [{ message: 'disk of +2135*****67' }, { message: 'lock', code: '55P03' }],
  ]);
});

test('an error that stands for thousands, or for itself, has a line of bounded length', () => {
  const many = new AggregateError(Array.from({ length: 5_000 }, (_, nth) => new Error(String(nth))));
  expect(lineOf(many).errors).toHaveLength(10);
  const itself = new AggregateError([], 'itself');
  itself.errors.push(...Array.from({ length: 10 }, () => itself));
  expect(JSON.stringify(lineOf(itself)).length).toBeLessThan(50_000);
});
