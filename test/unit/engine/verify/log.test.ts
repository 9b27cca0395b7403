// Lines of the log about a session: each carries `session_id`, and `message_id` where it is about one of its messages.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { Dispatcher } from '../../../../src/engine/delivery/dispatcher.ts';
import type { Sessions } from '../../../../src/engine/sessions/sessions.ts';
import { Deadlines } from '../../../../src/engine/verify/deadlines.ts';
import { Story } from '../../../support/session.ts';

const failure = new Error('the database is away');
const sessions = { apply: () => Promise.reject(failure) } as unknown as Sessions;

function logging() {
  const lines: object[] = [];
  const log = { error: (fields: object) => void lines.push(fields) };
  const ring = { byId: () => ({ key: Buffer.alloc(32) }) };
  // A channel that was removed while its message was queued.
  const channels = { of: () => null };
  return { lines, context: { log, ring, channels, now: () => 1 } as unknown as EngineContext };
}

test('a deadline that could not be stored names its session', async () => {
  const { lines, context } = logging();
  const deadlines = new Deadlines(context, null as never, sessions);
  deadlines.due({ accountId: 'acct_1', id: 'vrf_1' });
  await setImmediate();
  deadlines.stop();
  expect(lines).toEqual([{ err: failure, session_id: 'vrf_1' }]);
});

test('of a deadline that was under way when its process stopped nothing is said: another process finds it', async () => {
  const { lines, context } = logging();
  const deadlines = new Deadlines(context, null as never, sessions);
  deadlines.due({ accountId: 'acct_1', id: 'vrf_1' });
  deadlines.stop();
  await setImmediate();
  expect(lines).toEqual([]);
});

test('a message that could not be sent names its session and itself', async () => {
  const { lines, context } = logging();
  const { session } = new Story();
  const dispatcher = new Dispatcher(context, sessions, null as never, null as never);
  dispatcher.dispatch(session, session.messages[0]?.id ?? '');
  await dispatcher.idle();
  expect(lines).toMatchObject([{ session_id: session.id, message_id: session.messages[0]?.id }]);
});
