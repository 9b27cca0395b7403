// The signed request that carries an event (Standard Webhooks).

import { sign } from '../../core/webhooks/signature.ts';
import type { Post } from './poster.ts';

export interface Signing {
  url: string;
  eventId: string;
  body: string;
  secrets: readonly string[];
  /** Of this attempt, Unix ms: a receiver refuses what was signed long ago. */
  now: number;
}

export function signedPost({ url, eventId, body, secrets, now }: Signing): Post {
  const timestampSeconds = Math.floor(now / 1000);
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Ramz-Webhooks/1',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ id: eventId, timestampSeconds, body, secrets }),
    },
  };
}
