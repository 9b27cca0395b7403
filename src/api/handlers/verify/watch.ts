// VerifyService.WatchSession: the states of a session as they come. Each has an id, from which a stream that broke is continued on whatever
// process: the version of the session, and how much of its timeline was sent.

import { ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { Session } from '../../../core/verify/session.ts';
import type { WatchSessionRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { beginStream, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { notFound, type VerifyContext } from './context.ts';
import { toSessionMessage, toTimelineEntry } from './to-proto.ts';

const defaultMaxWatched = 5_000;
const defaultPerAccount = 100;
const retrySoon = { retryAfterSeconds: 5 };

export const watchSession = (verify: VerifyContext) =>
  async function* ({ id, lastEventId }: WatchSessionRequest, context: HandlerContext) {
    const { engine, settings, places, now, maxWatched = defaultMaxWatched } = verify;
    const { accountId, mode } = keyOf(context);
    const ofCaller = verify.watchesPerAccount?.() ?? defaultPerAccount;
    const place = places.take({ accountId, mode }, { ofCaller, ofAll: maxWatched });
    if (place.kind === 'account_full') {
      throw fail('too_many_watches', `the account watches ${place.most} sessions at this process`, retrySoon);
    }
    if (place.kind === 'full') throw fail('unavailable', 'too many sessions are watched on this process', retrySoon);
    try {
      const { signal } = context;
      let sent: Sent | undefined;
      for await (const { session, receipts, last } of engine.watch({ accountId, mode, id }, signal)) {
        sent ??= sentBefore(lastEventId, session);
        if (session.version > sent.version) {
          yield {
            session: toSessionMessage(session, receipts, settings.rules, now()),
            newEntries: session.timeline.slice(sent.entries).map(toTimelineEntry),
            eventId: `${session.version}-${session.timeline.length}`,
          };
          sent = { version: session.version, entries: session.timeline.length };
        }
        if (last) return;
        beginStream(context);
      }
      // Ended from outside: a stop of the process or a deadline is an error of its own; a caller who has gone gets no answer.
      if (signal.reason instanceof ConnectError) throw signal.reason;
      if (!sent && !signal.aborted) throw notFound();
    } finally {
      place.leave();
    }
  };

/** State of the session that the caller has. */
interface Sent {
  version: number;
  entries: number;
}

const nothing: Sent = { version: 0, entries: 0 };

/** An id that the session has not come to yet, by its version or its timeline, is of another session: nothing is left out then. */
function sentBefore(eventId: string, { version, timeline }: Session): Sent {
  if (eventId === '') return nothing;
  const [sent = 0, entries = 0] = eventId.split('-').map(Number);
  return sent > version || entries > timeline.length ? nothing : { version: sent, entries };
}
