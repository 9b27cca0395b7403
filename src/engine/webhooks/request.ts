// The signed request that carries an event (Standard Webhooks), and the envelope of events that are about no session.

import type { Mode } from '../../core/verify/session.ts';
import { apiVersion } from '../../core/webhooks/event-body.ts';
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

export interface AccountEvent {
  id: string;
  type: string;
  accountId: string;
  mode: Mode;
  /** Unix ms. */
  at: number;
  /** As proto/ramz/v1/webhook.proto has it for the type. */
  data: object;
}

/** The body of an event that is about no session: its sequence is 0. */
export function accountEventBody({ id, type, accountId, mode, at, data }: AccountEvent): string {
  return JSON.stringify({
    id,
    type,
    api_version: apiVersion,
    account_id: accountId,
    test: mode === 'test',
    session_sequence: 0,
    timestamp: new Date(at).toISOString(),
    data,
  });
}
