// Two processes save at once: each batch meets a session the other has just saved, beside sessions of its own. Postgres 18
// crashed on that (see lanePlanning in client.ts), and with it every process that uses the database.
import { describe, expect, test } from 'vitest';
import type { Session } from '../../../src/core/verify/session.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import type { Queryable } from '../../../src/db/queryable.ts';
import { testDatabase } from '../../support/database.ts';
import { openedSessions, saveOnce } from '../../support/saving.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase({ lanes: 4 });
const savers = [0, 1, 2, 3];
const rounds = 50;

const named: Queryable = database.lanes;
const whole: Queryable = { query: (statement) => database.lanes.query(statement as never) as never };

describe.each([
  ['in partitions that they name', 1, savers.map(() => named)],
  ['in whole tables', 2, savers.map(() => whole)],
  ['some so, some so', 3, savers.map((saver) => (saver % 2 === 0 ? named : whole))],
] as const)('%s', (_, digit, dbs) => {
  test('of a session saved by several at once one save holds, and the rest of their batches is saved', async () => {
    await ensurePartitions(database.db, Date.now(), 30);
    const { places } = database.lanes;
    await until(() => places.of('verify_session', []) !== 'verify_session', { what: 'the partitions to be known' });
    for (let round = 0; round < rounds; round += 1) {
      const numbers = [null, ...savers].map((_, index) => `+21355${digit}0${String(round).padStart(3, '0')}0${index}`);
      const [shared, ...own] = await openedSessions(database.lanes, numbers);
      const results = await Promise.all(
        dbs.map((db, saver) => saveOnce(db, [shared as Session, own[saver] as Session])),
      );
      expect(results.filter(([ofShared]) => ofShared?.kind === 'saved')).toHaveLength(1);
      expect(results.map(([, ofOwn]) => ofOwn?.kind)).toEqual(savers.map(() => 'saved'));
    }
  });
});
