// The log line of a call says why it could not be served: the caller is told only that the service is unavailable.
import { ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { fail, toApiError } from '../../../../src/api/waist/errors.ts';
import { reportCall } from '../../../../src/api/waist/interceptors/observe.ts';

const origin = { door: 'rest', peer: '192.0.2.1', requestId: 'req_1', timeoutMs: undefined } as never;

function lineOf(reason: unknown) {
  const lines: object[] = [];
  const at = (level: string) => (fields: object) => void lines.push({ level, ...fields });
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const error = toApiError(reason, { door: 'rest', requestId: 'req_1' });
  reportCall({ logger, observer: () => {}, origin, method: 'Send', startedAt: performance.now(), error });
  expect(lines).toHaveLength(1);
  return lines[0];
}

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

test.each([
  [
    'a full disk',
    withCode('could not extend file "base/1": No space left on device', '53100'),
    /^53100 could not extend/,
  ],
  ['a lock', withCode('canceling statement due to lock timeout', '55P03'), /^55P03 canceling statement/],
  ['a pool', new Error('timeout exceeded when trying to connect'), /^Error timeout exceeded/],
  [
    'every address of a name',
    Object.assign(new AggregateError([withCode('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED'), new Error('x')]), {
      code: 'ECONNREFUSED',
    }),
    /^ECONNREFUSED connect ECONNREFUSED ::1:5432; Error x$/,
  ],
  [
    'a key that was not found out',
    fail('unavailable', 'x', { cause: withCode('the database does not answer', 'ETIMEDOUT') }),
    /^ETIMEDOUT the/,
  ],
])('%s behind a 503 is in the line of the call', (_, reason, why) => {
  expect(lineOf(reason)).toMatchObject({ level: 'warn', request_id: 'req_1', why: expect.stringMatching(why) });
});

test('what a caller sent is in none, and neither is a stop that was asked for', () => {
  const sent = fail('invalid_argument', 'x', { cause: new Error('code 123456') });
  expect(JSON.stringify(lineOf(sent))).not.toContain('123456');
  expect(lineOf(fail('unavailable', 'this process is being stopped'))).toMatchObject({ level: 'info' });
  expect(lineOf(new ConnectError('x'))).not.toHaveProperty('why');
});
