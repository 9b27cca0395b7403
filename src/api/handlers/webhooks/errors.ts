// Errors that several operations on webhook endpoints share.

import type { HostFull } from '../../../engine/webhooks/webhooks.ts';
import { fail } from '../../waist/errors.ts';

export const endpointIdPrefix = 'whe_';

export const endpointNotFound = () =>
  fail('webhook_endpoint_not_found', 'no such webhook endpoint in this account and mode');

/** Both modes of an account share what it has at one host. */
export const hostFull = ({ host, most }: HostFull) =>
  fail(
    'too_many_resources',
    `url is the account's endpoint number ${most + 1} at ${host}: it has at most ${most} there`,
    {
      field: 'url',
    },
  );

/** `reason` is a clause: "must be …". */
export const invalidUrl = (reason: string) => fail('invalid_webhook_url', `url ${reason}`, { field: 'url' });
