// Which errors mean that the database is away.
import { expect, test } from 'vitest';
import { afterStoring, beforeStoring, isOutage, mayBeStored } from '../../../src/db/outage.ts';

const coded = (code: string, message = '') => Object.assign(new Error(message), { code });
/** As Node throws it. */
const failing = (code: string, syscall: string) => Object.assign(coded(code, `${syscall} ${code}`), { syscall });

test.each([
  coded('ECONNREFUSED'),
  coded('57P01', 'terminating connection due to administrator command'),
  coded('57014', 'canceling statement due to statement timeout'),
  coded('53100', 'could not extend file: No space left on device'),
  coded('25P04', 'terminating connection due to transaction timeout'),
  coded('25006', 'cannot execute INSERT in a read-only transaction'),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], ''),
  failing('ENOENT', 'connect'), // a Unix socket, whose file Postgres removes when it ends
  failing('EAGAIN', 'connect'), // a Unix socket whose queue is full
  failing('EMFILE', 'connect'),
  failing('ENFILE', 'connect'),
  failing('EADDRNOTAVAIL', 'connect'),
  failing('EMFILE', 'getaddrinfo'),
  failing('EAI_FAIL', 'getaddrinfo'),
])('an outage: %s', (error) => expect(isOutage(error)).toBe(true));

test.each([
  coded('23505', 'duplicate key'),
  coded('42P01'),
  failing('ENOENT', 'open'), // a file of the configuration or the key ring
  failing('EMFILE', 'open'),
  failing('EACCES', 'connect'), // a Unix socket that this user may not use
  coded('ENOENT'),
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

const answered = (code: string, severity: string) => Object.assign(coded(code, 'refused'), { severity });

test.each([
  ['53100', 'ERROR', false],
  ['25006', 'ERROR', false],
  // The log of the server could not be written: a commit may have been.
  ['53100', 'PANIC', true],
  ['57014', 'ERROR', true],
  ['57P01', 'FATAL', true],
])('after %s of severity %s it may be stored: %s', async (code, severity, isUnknown) => {
  const error = answered(code, severity);
  expect([isOutage(error), mayBeStored(error)]).toEqual([true, isUnknown]);
  for (const thrown of [error, await beforeStoring(Promise.reject(error)).catch((early: unknown) => early)]) {
    const late: unknown = await afterStoring(Promise.reject(thrown)).catch((each: unknown) => each);
    expect([isOutage(late), mayBeStored(late)]).toEqual([true, true]);
    expect(late).toMatchObject({ message: 'refused', code });
  }
});
