// VerifyService's calls on stored sessions: get, list, cancel and report. They find a session by its id for its own account and mode only,
// and answer `session_not_found` to everyone else.

import type { HandlerContext } from '@connectrpc/connect';
import { readNumber } from '../../../core/verify/request.ts';
import type { Delivery, SessionStatus } from '../../../core/verify/session.ts';
import type { Engine, Reported, SessionFilter } from '../../../engine/engine.ts';
import type {
  CancelSessionRequest,
  GetSessionRequest,
  ListSessionsRequest,
  ReportSessionRequest,
} from '../../../gen/ramz/v1/verify_pb.ts';
import { type KeyPrincipal, keyOf, seesNumbers } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { boundOf, nextPageToken, readPage } from '../fields.ts';
import { notFound, type VerifyContext } from './context.ts';
import { toSessionMessage, toSessionSummary } from './to-proto.ts';

export const getSession =
  ({ engine, settings, now }: VerifyContext) =>
  async ({ id }: GetSessionRequest, context: HandlerContext) => {
    const { accountId, mode } = keyOf(context);
    const found = await engine.find({ accountId, mode, id });
    if (!found) throw notFound();
    return { session: toSessionMessage(found.session, found.receipts, settings.rules, now()) };
  };

export const cancelSession =
  (verify: VerifyContext) =>
  ({ id }: CancelSessionRequest, context: HandlerContext) =>
    end(verify, { ...ownerOf(context), id });

/** The outcome is one of the value set: the waist has seen to it. */
export const reportSession =
  (verify: VerifyContext) =>
  ({ id, outcome }: ReportSessionRequest, context: HandlerContext) =>
    end(verify, { ...ownerOf(context), id, reported: outcome as Reported });

const ownerOf = (context: HandlerContext) => {
  const { accountId, mode } = keyOf(context);
  return { accountId, mode };
};

async function end({ engine, settings, now }: VerifyContext, request: Parameters<Engine['cancel']>[0]) {
  const result = await engine.cancel(request);
  if (result.kind === 'not_found') throw notFound();
  if (result.kind === 'ended') {
    return { session: toSessionMessage(result.session, result.receipts, settings.rules, now()) };
  }
  const { status } = result.session;
  throw fail('session_not_pending', `the session is over: ${status}`, { metadata: { status } });
}

export const listSessions =
  ({ engine, settings, now }: VerifyContext) =>
  async (request: ListSessionsRequest, context: HandlerContext) => {
    const caller = keyOf(context);
    // The filter would find out, one guess after the other, what a masked number leaves out.
    if (request.to && !seesNumbers(caller)) {
      const message = 'the API key lacks the scope numbers, so it cannot list sessions by number';
      throw fail('missing_scope', message, { field: 'to', metadata: { scope: 'numbers' } });
    }
    const filter = toFilter(request, caller, settings.config.service.homeCountry);
    const binding = Object.values(filter).map((value) => String(value ?? ''));
    const { items, next } = await engine.list(filter, readPage(request, 'vrf_', binding));
    return {
      sessions: items.map((listed) => toSessionSummary(listed, settings.rules, now())),
      nextPageToken: nextPageToken(next, binding),
    };
  };

/** The filter's fields in a fixed order, because page tokens are bound to it. */
function toFilter(
  request: ListSessionsRequest,
  { accountId, mode }: KeyPrincipal,
  homeCountry: string | null,
): SessionFilter {
  return {
    accountId,
    mode,
    number: request.to ? numberOf(request.to, homeCountry) : null,
    status: (request.status || null) as SessionStatus | null,
    clientReference: request.clientReference || null,
    purpose: request.purpose || null,
    delivery: (request.delivery || null) as Delivery | null,
    createdFrom: boundOf(request.createdAfter),
    createdUntil: boundOf(request.createdBefore),
  };
}

function numberOf(to: string, homeCountry: string | null): string {
  const number = readNumber(to, homeCountry);
  if (number.kind === 'ok') return number.e164;
  // The plus sign of an address stands for a space.
  const isDecoded = /^ [1-9]/.test(to);
  const message = isDecoded ? `${number.message}; in a query a plus sign is written %2B` : number.message;
  throw toError({ ...number, message });
}
