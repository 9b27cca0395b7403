// VerifyService.ListSessions: newest first, page by page.

import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { readNumber } from '../../../core/verify/destination.ts';
import type { SessionStatus } from '../../../core/verify/session.ts';
import { listSessions as readSessions, type SessionFilter } from '../../../db/verify/list.ts';
import type { ListSessionsRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { toError } from '../refusal.ts';
import type { Handling } from './options.ts';
import { readPageToken, writePageToken } from './page-token.ts';
import { toListedSession } from './to-proto.ts';

const defaultPageSize = 20;

export const listSessions =
  ({ lists, rules }: Handling) =>
  async (request: ListSessionsRequest, context: HandlerContext) => {
    const filter = toFilter(request, keyOf(context));
    const binding = Object.values(filter).map(String);
    const before = request.pageToken ? readPageToken(request.pageToken, 'vrf_', binding) : null;
    if (request.pageToken && before === null) {
      const message = 'page_token is not one of this list with these filters';
      throw fail('invalid_page_token', message, { field: 'page_token' });
    }
    const size = request.pageSize ?? defaultPageSize;
    const { items, next } = await readSessions(lists, filter, { limit: size, before });
    return {
      sessions: items.map((listed) => toListedSession(listed, rules)),
      nextPageToken: next === null ? '' : writePageToken(next, binding),
    };
  };

/** In a fixed order, because page tokens are bound to it. */
function toFilter(request: ListSessionsRequest, { accountId, mode }: KeyPrincipal): SessionFilter {
  return {
    accountId,
    mode,
    number: request.to ? numberOf(request.to) : null,
    status: (request.status || null) as SessionStatus | null,
    clientReference: request.clientReference || null,
    createdFrom: toMs(request.createdAfter),
    createdUntil: toMs(request.createdBefore),
  };
}

function numberOf(to: string): string {
  const number = readNumber(to);
  if (number.kind === 'refused') throw toError(number);
  return number.e164;
}

/** Years 1 and 9999, the range of a Timestamp; its binary form can hold more. */
const earliestMs = -62_135_596_800_000;
const latestMs = 253_402_300_799_999;

/** The next whole millisecond: sessions have whole ones, so `at or after` and `before` stay exact. */
function toMs(time: Timestamp | undefined): number | null {
  if (!time) return null;
  const ms = Number(time.seconds) * 1000 + Math.ceil(time.nanos / 1_000_000);
  return Math.min(Math.max(ms, earliestMs), latestMs);
}
