// VerifyService.WatchSession: the session as it is, then after every change.

import { ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { WatchSessionRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { notFound, type VerifyContext } from './context.ts';
import { toSessionMessage, toTimelineEntry } from './to-proto.ts';

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
      // Ended from outside: a process that is being stopped, or a deadline, says so; a caller who has gone hears nothing.
      if (signal.reason instanceof ConnectError) throw signal.reason;
      if (!found && !signal.aborted) throw notFound();
    } finally {
      place.leave();
    }
  };
