// VerifyService.WatchSession: the session as it is, then after every change.

import type { HandlerContext } from '@connectrpc/connect';
import { ConnectError } from '@connectrpc/connect';
import { isOutgoing, isTerminal, type Session } from '../../../core/verify/session.ts';
import { receiptsOf } from '../../../db/verify/sessions.ts';
import type { WatchSessionRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { findSession } from './find.ts';
import type { Handling } from './options.ts';
import { toSessionMessage, toTimelineEntry } from './to-proto.ts';

const defaultMaxWatched = 5_000;
const defaultPerAccount = 100;
const retrySoon = { retryAfterSeconds: 5 };

/**
 * A watch ends when the session is over and none of its messages is on its way out any more. It does not wait for receipts of
 * a session that is over: they may take days or never come, and webhooks and GetSession tell of them.
 */
const isOver = (session: Session): boolean => isTerminal(session) && !session.messages.some(isOutgoing);

export const watchSession = (handling: Handling) =>
  async function* ({ id }: WatchSessionRequest, context: HandlerContext) {
    const { engine, db, rules, places, maxWatched = defaultMaxWatched } = handling;
    const key = keyOf(context);
    const ofCaller = handling.watchesPerAccount?.() ?? defaultPerAccount;
    const place = places.take(`${key.accountId} ${key.mode}`, { ofCaller, ofAll: maxWatched });
    if (place.kind === 'account_full') {
      throw fail('too_many_watches', `the account watches ${place.most} sessions at this process`, retrySoon);
    }
    if (place.kind === 'full') throw fail('unavailable', 'too many sessions are watched on this process', retrySoon);
    try {
      const from = await findSession(handling, key, id);
      const { signal } = context;
      let version = 0;
      let told = 0;
      for await (const session of engine.watches.follow(from, signal)) {
        if (session.version <= version) continue; // somebody else who watches it had seen less
        version = session.version;
        const receipts = await places.read(() => receiptsOf(db, session));
        yield {
          session: toSessionMessage(session, receipts, rules),
          newEntries: session.timeline.slice(told).map(toTimelineEntry),
        };
        told = session.timeline.length;
        if (isOver(session)) return;
      }
      // Ended from outside: a process that is being stopped, or a deadline, says so; a caller who has gone hears nothing.
      if (signal.reason instanceof ConnectError) throw signal.reason;
    } finally {
      place.leave();
    }
  };
