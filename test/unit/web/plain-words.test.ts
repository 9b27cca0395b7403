// Values of the contract that the pane of a session shows have words in each language.
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, it } from 'vitest';
import { ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { deliveryStatusValues, sessionStatusValues, statusReasonValues } from '../../../src/gen/values.ts';
import { plainError, wordIn } from '../../../web/session/plain-words.ts';

it.each([...statusReasonValues, ...sessionStatusValues, ...deliveryStatusValues])('%s', (word) => {
  for (const language of ['en', 'fr', 'ar'] as const) {
    const told = wordIn(language, 'status', word);
    expect(told).not.toContain('_');
    if (language !== 'en') expect(told).not.toBe(word);
  }
});

it('of a lock that only the operator ends is not told to wait', () => {
  const locked = (metadata: Record<string, string>) => {
    const details = [{ desc: ErrorInfoSchema, value: { reason: 'number_locked', metadata } }];
    return plainError('en', new ConnectError('', Code.ResourceExhausted, undefined, details));
  };
  expect(locked({})).toBe('Too many wrong codes for this number; wait a while.');
  expect(locked({ needs_unlock: 'true' })).toContain('the operator of the service has to unlock this number');
});
