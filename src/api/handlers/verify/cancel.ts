// VerifyService.CancelSession: nothing more is sent, the code is void.

import type { HandlerContext } from '@connectrpc/connect';
import { receiptsOf } from '../../../db/verify/sessions.ts';
import type { CancelSessionRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { isSessionId, notFound } from './find.ts';
import type { Handling } from './options.ts';
import { toSessionMessage } from './to-proto.ts';

export const cancelSession =
  ({ engine, db, rules }: Handling) =>
  async ({ id }: CancelSessionRequest, context: HandlerContext) => {
    const { accountId, mode } = keyOf(context);
    if (!isSessionId(id)) throw notFound();
    const result = await engine.checker.cancel({ accountId, id }, mode);
    if (result.kind === 'not_found') throw notFound();
    const { session } = result;
    // Canceling twice is the same as once, so that a client may repeat a call whose answer it lost.
    if (session.status !== 'canceled') {
      throw fail('session_not_pending', `the session is over: ${session.status}`, {
        metadata: { status: session.status },
      });
    }
    return { session: toSessionMessage(session, await receiptsOf(db, session), rules) };
  };
