// VerifyService's calls on stored sessions: get, list, cancel and watch. They find a session by its id for its own account and
// mode only, and answer `session_not_found` to everyone else.

import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { ConnectError, type HandlerContext } from '@connectrpc/connect';
import { readNumber } from '../../../core/verify/request.ts';
import type { SessionStatus } from '../../../core/verify/session.ts';
import type { SessionFilter } from '../../../engine/engine.ts';
import type {
  CancelSessionRequest,
  GetSessionRequest,
  ListSessionsRequest,
  WatchSessionRequest,
} from '../../../gen/ramz/v1/verify_pb.ts';
import { type KeyPrincipal, keyOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { nextPageToken, readPage } from '../fields.ts';
import { notFound, type VerifyContext } from './context.ts';
import { toListedSession, toSessionMessage, toTimelineEntry } from './to-proto.ts';

export const getSession =
  ({ engine, settings }: VerifyContext) =>
  async ({ id }: GetSessionRequest, context: HandlerContext) => {
    const { accountId, mode } = keyOf(context);
    const found = await engine.find({ accountId, mode, id });
    if (!found) throw notFound();
    return { session: toSessionMessage(found.session, found.receipts, settings.rules) };
  };

export const cancelSession =
  ({ engine, settings }: VerifyContext) =>
  async ({ id }: CancelSessionRequest, context: HandlerContext) => {
    const { accountId, mode } = keyOf(context);
    const result = await engine.cancel({ accountId, mode, id });
    if (result.kind === 'not_found') throw notFound();
    if (result.kind === 'canceled') {
      return { session: toSessionMessage(result.session, result.receipts, settings.rules) };
    }
    const { status } = result.session;
    throw fail('session_not_pending', `the session is over: ${status}`, { metadata: { status } });
  };

export const listSessions =
  ({ engine, settings }: VerifyContext) =>
  async (request: ListSessionsRequest, context: HandlerContext) => {
    const filter = toFilter(request, keyOf(context));
    const binding = Object.values(filter).map(String);
    const { items, next } = await engine.list(filter, readPage(request, 'vrf_', binding));
    return {
      sessions: items.map((listed) => toListedSession(listed, settings.rules)),
      nextPageToken: nextPageToken(next, binding),
    };
  };

/** The filter's fields in a fixed order, because page tokens are bound to it. */
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

const defaultMaxWatched = 5_000;
const defaultPerAccount = 100;
const retrySoon = { retryAfterSeconds: 5 };

export const watchSession = (verify: VerifyContext) =>
  async function* ({ id }: WatchSessionRequest, context: HandlerContext) {
    const { engine, settings, places, maxWatched = defaultMaxWatched } = verify;
    const { accountId, mode } = keyOf(context);
    const ofCaller = verify.watchesPerAccount?.() ?? defaultPerAccount;
    const place = places.take(`${accountId} ${mode}`, { ofCaller, ofAll: maxWatched });
    if (place.kind === 'account_full') {
      throw fail('too_many_watches', `the account watches ${place.most} sessions at this process`, retrySoon);
    }
    if (place.kind === 'full') throw fail('unavailable', 'too many sessions are watched on this process', retrySoon);
    try {
      const { signal } = context;
      let shown = 0;
      let found = false;
      for await (const { session, receipts, last } of engine.watch({ accountId, mode, id }, signal)) {
        found = true;
        yield {
          session: toSessionMessage(session, receipts, settings.rules),
          newEntries: session.timeline.slice(shown).map(toTimelineEntry),
        };
        shown = session.timeline.length;
        if (last) return;
      }
      // Ended from outside: a stop of the process or a deadline is an error of its own; a caller who has gone gets no answer.
      if (signal.reason instanceof ConnectError) throw signal.reason;
      if (!found && !signal.aborted) throw notFound();
    } finally {
      place.leave();
    }
  };
