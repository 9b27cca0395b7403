import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { fail, faultOf, toApiError, toStatus } from '../../../../src/api/waist/errors.ts';
import { RequestInfoSchema, RetryInfoSchema } from '../../../../src/gen/google/rpc/error_details_pb.ts';
import { type ErrorCode, errorCodes } from '../../../../src/gen/values.ts';

describe('fail', () => {
  test.each(Object.entries(errorCodes))('%s has its statuses', (name, { httpStatus, grpcCode }) => {
    const error = fail(name as ErrorCode, 'words');
    expect(faultOf(error)).toMatchObject({ code: name, httpStatus, message: 'words' });
    expect(Code[error.code].toUpperCase()).toBe(grpcCode.replace('CANCELLED', 'CANCELED').replaceAll('_', ''));
  });

  test("a caller's text that was cut within a character is well formed", () => {
    const cut = '😀'.slice(0, 1);
    const error = fail('unknown_field', `no field ${cut}`, { field: cut, metadata: { name: cut } });
    expect(faultOf(error)).toMatchObject({ message: 'no field \ufffd', field: '\ufffd', metadata: { name: '\ufffd' } });
  });

  test('seconds to wait are whole, and at least one', () => {
    expect(fail('rate_limited', 'x', { retryAfterSeconds: 0 }).metadata.get('retry-after')).toBe('1');
    const error = fail('rate_limited', 'x', { retryAfterSeconds: 2.1 });
    expect(error.metadata.get('retry-after')).toBe('3');
    expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds).toBe(3n);
  });
});

const origin = { door: 'grpc', requestId: 'req_1' } as const;

describe('toApiError', () => {
  test('a bug tells nothing of itself', () => {
    const error = toApiError(new Error('select * from secrets'), origin);
    expect(faultOf(error)).toMatchObject({ code: 'internal', message: 'internal error' });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(toStatus(error).details.map(({ value }) => Buffer.from(value).toString()))).not.toContain(
      'secrets',
    );
  });

  test.each(['55P03', '40P01'])(
    'a lock that others hold for too long (%s) is no bug: the caller tries again',
    (code) => {
      const error = toApiError(Object.assign(new Error('canceling statement due to lock timeout'), { code }), origin);
      expect(faultOf(error)).toMatchObject({ code: 'unavailable', httpStatus: 503 });
      expect(error.metadata.get('retry-after')).toBe('2');
    },
  );

  test("Connect's own errors get a code of ours by their status", () => {
    const error = toApiError(new ConnectError('too big', Code.ResourceExhausted), origin);
    expect(faultOf(error).code).toBe('request_too_large');
  });

  test('details are added once, however often an error passes', () => {
    const error = toApiError(toApiError(fail('no_route', 'x'), origin), { ...origin, requestId: 'req_2' });
    expect(error.findDetails(RequestInfoSchema).map(({ requestId }) => requestId)).toEqual(['req_1']);
  });
});
