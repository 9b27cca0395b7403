// What a session's change may ask of the process it is made in.

import { timeOf } from '../../core/ids.ts';
import type { World } from '../../core/verify/event.ts';
import type { AccountView } from '../accounts/views.ts';
import { type EngineContext, newId } from '../context.ts';

/** The world as `advance` sees it from this process: the time, fresh ids, the rules in force, and which channels can be used. */
export function worldOf(context: EngineContext, account: AccountView, sessionId: string): World {
  const { suspended } = account;
  const now = context.now();
  return {
    now,
    rules: context.settings.rules,
    newMessageId: (latest) =>
      newId(context, 'msg_', sessionId, latest === null ? now : Math.max(now, timeOf(latest) + 1)),
    plan: (session, leg) =>
      suspended ? { kind: 'skip', reason: 'account_suspended' } : context.channels.plan(session, leg, account),
  };
}
