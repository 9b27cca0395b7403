// Two processes save at once: each batch meets a session the other has just saved, beside sessions of its own. Postgres 18
// crashed on that (see LANE_PLANNING in client.ts), and with it every process that uses the database.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { idSource } from '../../../src/core/ids.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import type { Session } from '../../../src/core/verify/session.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { openSessions } from '../../../src/db/verify/open.ts';
import { saveSessions } from '../../../src/db/verify/save.ts';
import { toOpenItem, toSaveItem } from '../../../src/engine/sessions/change.ts';
import { testDatabase } from '../../support/database.ts';
import { request, Story } from '../../support/session.ts';

const database = await testDatabase({ lanes: 4 });
const ids = idSource({ now: Date.now, randomBytes });
const savers = [0, 1, 2, 3];
const rounds = 50;

test('of a session saved by several at once one save holds, and the rest of their batches is saved', async () => {
  await ensurePartitions(database.db, Date.now(), 30);
  for (let round = 0; round < rounds; round += 1) {
    const [shared, ...own] = await opened(round);
    const results = await Promise.all(savers.map((saver) => save([shared as Session, own[saver] as Session])));
    expect(results.filter(([ofShared]) => ofShared?.kind === 'saved')).toHaveLength(1);
    expect(results.map(([, ofOwn]) => ofOwn?.kind)).toEqual(savers.map(() => 'saved'));
  }
});

/** One session for all, and one for each saver. */
async function opened(round: number): Promise<Session[]> {
  const sessions = [null, ...savers].map((_, index) => {
    const to = `+2135510${String(round).padStart(3, '0')}${String(index).padStart(2, '0')}`;
    const { session } = new Story({ request: { ...request, id: ids('vrf_'), to } });
    const messages = session.messages.map((message) => ({ ...message, id: ids('msg_') }));
    return { ...session, messages, version: 1 };
  });
  const items = sessions.map((session) => toOpenItem(session, 'process/1', null));
  const results = await openSessions(database.lanes, items);
  expect(results.map(({ kind }) => kind)).toEqual(sessions.map(() => 'opened'));
  return sessions;
}

function save(sessions: Session[]) {
  const extras = { references: [], idempotency: null, guarded: false, failures: 0, sends: 0, operation: null };
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
  const items = sessions.map((session) =>
    toSaveItem(session, { ...session, attempts: session.attempts + 1 }, [], extras, context),
  );
  return saveSessions(
    database.lanes,
    items.map(({ item }) => item),
    { failures: 10, windowMs: 3_600_000, failuresInRow: 100 },
  );
}
