// Which errors mean that the database is away.
import { expect, test } from 'vitest';
import { afterStoring, beforeStoring, isOutage, mayBeStored } from '../../../src/db/outage.ts';

const coded = (code: string, message = '') => Object.assign(new Error(message), { code });

test.each([
  coded('ECONNREFUSED'),
  coded('57P01', 'terminating connection due to administrator command'),
  coded('57014', 'canceling statement due to statement timeout'),
  coded('53100', 'could not extend file: No space left on device'),
  coded('25006', 'cannot execute INSERT in a read-only transaction'),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], ''),
])('an outage: %s', (error) => expect(isOutage(error)).toBe(true));

test.each([
  coded('23505', 'duplicate key'),
  coded('42P01'),
  new Error('no account acct_1'),
  new TypeError('x'),
  'text',
  null,
])('none: %s', (error) => expect(isOutage(error)).toBe(false));

test('an outage before storing is one, and nothing is stored; other errors stay as they are', async () => {
  const away = coded('ECONNRESET', 'read ECONNRESET');
  const early: unknown = await beforeStoring(Promise.reject(away)).catch((error: unknown) => error);
  expect([isOutage(early), mayBeStored(early), mayBeStored(away)]).toEqual([true, false, true]);
  expect(early).toMatchObject({ message: 'read ECONNRESET', code: 'ECONNRESET', cause: away });
  await expect(beforeStoring(Promise.reject(early))).rejects.toBe(early);
  await expect(afterStoring(Promise.reject(early))).rejects.toBe(away);
  const wrong = new TypeError('x');
  await expect(beforeStoring(Promise.reject(wrong))).rejects.toBe(wrong);
});
