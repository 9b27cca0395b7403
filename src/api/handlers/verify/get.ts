// VerifyService.GetSession: one session with its whole timeline.

import type { HandlerContext } from '@connectrpc/connect';
import { receiptsOf } from '../../../db/verify/sessions.ts';
import type { GetSessionRequest } from '../../../gen/ramz/v1/verify_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { findSession } from './find.ts';
import type { Handling } from './options.ts';
import { toSessionMessage } from './to-proto.ts';

export const getSession =
  (handling: Handling) =>
  async ({ id }: GetSessionRequest, context: HandlerContext) => {
    const session = await findSession(handling, keyOf(context), id);
    return { session: toSessionMessage(session, await receiptsOf(handling.db, session), handling.rules) };
  };
