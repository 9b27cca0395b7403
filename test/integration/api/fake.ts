// An API with handlers that do nothing real, for tests of the doors. What a handler does is chosen by the number sent to.

import { setTimeout as pause } from 'node:timers/promises';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Api, type ApiOptions, startApi } from '../../../src/api/server.ts';
import { beginStream, idempotencyKeyOf, keyOf } from '../../../src/api/waist/context.ts';
import { fail } from '../../../src/api/waist/errors.ts';
import { type RegisteredService, service } from '../../../src/api/waist/invoke.ts';
import type { Authenticator, CallReport, KeyOutcome, Logger } from '../../../src/api/waist/ports.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { NumberService } from '../../../src/gen/ramz/v1/number_pb.ts';
import { SenderIdService } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { adminScopeValues, type Scope } from '../../../src/gen/values.ts';

const at = timestampFromMs(Date.UTC(2026, 2, 1, 10, 15, 30));

const keys: Record<string, KeyOutcome> = {
  all: okay(['verify', 'read', 'manage', 'numbers']),
  reader: okay(['read']),
  old: { kind: 'expired' },
  gone: { kind: 'revoked' },
  garbled: { kind: 'malformed' },
};

function okay(scopes: Scope[]): KeyOutcome {
  return {
    kind: 'ok',
    principal: { kind: 'key', accountId: 'acct_1', mode: 'live', keyId: 'key_1', name: 'one', scopes, expiresAt: null },
  };
}

const authenticator: Authenticator = {
  authenticate: (key) => keys[key] ?? { kind: 'unknown' },
  administrator: (token) =>
    token === 'admin'
      ? {
          kind: 'ok',
          principal: { kind: 'administrator', id: 'adm_1', name: 'Amina', scopes: adminScopeValues, expiresAt: null },
        }
      : { kind: 'unknown' },
};

/** What handlers were told, and what the API told others. */
export interface Seen {
  idempotencyKeys: (string | undefined)[];
  metadata: Record<string, string>[];
  aborted: number;
  watchesEnded: number;
  reports: CallReport[];
  errors: { fields: object; message: string }[];
  /** Log lines of calls. */
  lines: object[];
}

export function newSeen(): Seen {
  return { idempotencyKeys: [], metadata: [], aborted: 0, watchesEnded: 0, reports: [], errors: [], lines: [] };
}

function fakeServices(seen: Seen): RegisteredService[] {
  return [
    service(VerifyService, {
      async send({ to, channel, cascade, purpose, metadata }, context) {
        keyOf(context);
        seen.idempotencyKeys.push(idempotencyKeyOf(context));
        seen.metadata.push(metadata);
        switch (to) {
          case '+429':
            throw fail('resend_too_soon', 'wait', {
              retryAfterSeconds: 12.2,
              metadata: { session_id: 'vrf_1', resend_after: '2026-03-01T10:16:00Z' },
            });
          case '+500':
            throw new Error('password=hunter2');
          case '+504':
            context.signal.addEventListener('abort', () => {
              seen.aborted += 1;
            });
            await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
            break;
          case '+slow':
            await pause(200);
            break;
          default:
        }
        return {
          id: 'vrf_1',
          status: 'pending',
          delivery: 'sending',
          to,
          channel: channel || 'sms',
          purpose,
          cascade,
          createdAt: at,
        };
      },
      async check({ session }) {
        const id = session.value ?? '';
        if (id === 'vrf_none') throw fail('session_not_found', 'no such session', { field: 'id' });
        return { valid: false, id, status: 'pending', reason: 'incorrect_code', attemptsRemaining: 4 };
      },
      async getSession({ id }) {
        return { session: { id, status: 'pending', createdAt: at, messages: [{ id: 'msg_1', position: 0 }] } };
      },
      async listSessions({ pageSize, status, createdAfter }) {
        const id = `size=${pageSize ?? 'none'} status=${status} after=${createdAfter?.seconds ?? 'none'}`;
        return { sessions: [{ id }], nextPageToken: '' };
      },
      async cancelSession({ id }) {
        return { session: { id, status: 'canceled' } };
      },
      async *watchSession({ id, lastEventId }, context) {
        try {
          if (lastEventId === '9-9') return;
          if (id === 'vrf_none') throw fail('session_not_found', 'no such session');
          if (lastEventId === '') yield { session: { id, status: 'pending' }, eventId: '1-1' };
          else beginStream(context);
          if (id === 'vrf_short') yield { session: { id, status: 'verified' }, eventId: '2-3' };
          else if (id === 'vrf_bad') throw fail('session_not_found', 'no such session');
          else if (id === 'vrf_many')
            for (let n = 0; n < 200; n += 1) yield { session: { id, purpose: 'x'.repeat(1000) } };
          else if (id === 'vrf_flood') for (;;) yield { session: { id, purpose: 'x'.repeat(60_000) } };
          else await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
        } finally {
          seen.watchesEnded += 1;
        }
      },
    }),
    service(AccountService, {
      async createAccount({ name }) {
        return { account: { id: 'acct_1', name } };
      },
      async updateAccount({ name = '(same)', defaultSenderId = '(same)', cascade, updateMask }) {
        return { account: { id: updateMask?.paths.join(' ') ?? '', name, defaultSenderId, cascade } };
      },
    }),
    service(SenderIdService, {
      async decideSenderId({ id, operator, status }) {
        return { senderId: { id, decisions: [{ operator, status }] } };
      },
    }),
    service(NumberService, {
      async eraseNumber() {
        return { complete: true };
      },
    }),
  ];
}

export async function startFake(seen: Seen, options: Partial<ApiOptions> = {}): Promise<Api> {
  const nothing = (): void => {};
  const logger: Logger = {
    debug: nothing,
    info: (fields) => void seen.lines.push(fields),
    warn: nothing,
    error: (fields, message) => seen.errors.push({ fields, message }),
  };
  return startApi({
    services: fakeServices(seen),
    authenticator,
    logger,
    observer: (report) => seen.reports.push(report),
    http: { host: '127.0.0.1', port: 0 },
    grpc: { host: '127.0.0.1', port: 0 },
    ...options,
  });
}
