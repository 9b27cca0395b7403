// Sessions that are opened and saved by their statements alone, without an engine.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { idSource } from '../../src/core/ids.ts';
import { defaultRules } from '../../src/core/verify/rules.ts';
import type { Session } from '../../src/core/verify/session.ts';
import type { Queryable } from '../../src/db/queryable.ts';
import { openSessions } from '../../src/db/verify/open.ts';
import { type SaveResult, saveSessions } from '../../src/db/verify/save.ts';
import { toOpenItem, toSaveItem } from '../../src/engine/sessions/change.ts';
import { request, Story } from './session.ts';

/** Opens a session for each number; `at` is the time in the ids, Unix ms. */
export async function openedSessions(db: Queryable, numbers: readonly string[], at = Date.now()): Promise<Session[]> {
  const ids = idSource({ now: () => at, randomBytes });
  const sessions = numbers.map((to) => {
    const { session } = new Story({ request: { ...request, id: ids('vrf_'), to } });
    const messages = session.messages.map((message) => ({ ...message, id: ids('msg_') }));
    return { ...session, messages, version: 1 };
  });
  const items = sessions.map((session) => toOpenItem(session, 'process/1', null));
  const results = await openSessions(db, items);
  expect(results.map(({ kind }) => kind)).toEqual(sessions.map(() => 'opened'));
  return sessions;
}

/** Saves each session with one attempt more, and its messages with the status `submitted` and a reference each. */
export function saveOnce(db: Queryable, sessions: readonly Session[]): Promise<SaveResult[]> {
  const extras = { idempotency: null, guarded: false, failures: 0, sends: 0, operation: null };
  const context = {
    now: Date.now(),
    holderBefore: null,
    holder: null,
    newEventId: () => '',
    rules: defaultRules,
    endpoints: [],
    deliveryHolder: 'process/p',
    numberLimits: null,
  };
  const items = sessions.map((session) => {
    const messages = session.messages.map((message) => ({ ...message, status: 'submitted' as const }));
    const after = { ...session, attempts: session.attempts + 1, messages };
    const references = messages.map(({ id }) => ({ messageId: id, operator: 'atlas', reference: `r ${id}` }));
    return toSaveItem(session, after, [], { ...extras, references }, context).item;
  });
  return saveSessions(db, items, { failures: 10, windowMs: 3_600_000, failuresInRow: 100 });
}
