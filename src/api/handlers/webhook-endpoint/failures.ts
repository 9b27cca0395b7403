// Errors that several operations on webhook endpoints share.

import { fail } from '../../errors.ts';

export const endpointIdPrefix = 'whe_';

export const endpointNotFound = () =>
  fail('webhook_endpoint_not_found', 'no such webhook endpoint in this account and mode');

/** `reason` is a clause: "must be …". */
export const invalidUrl = (reason: string) => fail('invalid_webhook_url', `url ${reason}`, { field: 'url' });
