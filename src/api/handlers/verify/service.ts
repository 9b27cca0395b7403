// VerifyService put together from its handlers.

import type { ServiceImpl } from '@connectrpc/connect';
import type { VerifyService } from '../../../gen/ramz/v1/verify_pb.ts';
import { check } from './check.ts';
import { type VerifyContext, type VerifyServiceOptions, WatchPlaces } from './context.ts';
import { Once } from './idempotent.ts';
import { send } from './send.ts';
import { cancelSession, getSession, listSessions } from './sessions.ts';
import { watchSession } from './watch.ts';

export type { VerifyServiceOptions } from './context.ts';
export { storedAnswers } from './idempotent.ts';

export function verifyService(options: VerifyServiceOptions): ServiceImpl<typeof VerifyService> {
  const context: VerifyContext = { ...options, once: new Once(), places: new WatchPlaces() };
  return {
    send: send(context),
    check: check(context),
    getSession: getSession(context),
    listSessions: listSessions(context),
    cancelSession: cancelSession(context),
    watchSession: watchSession(context),
  };
}
