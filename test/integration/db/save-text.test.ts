// Every statement that "save" may be made of is one that Postgres takes.
import { expect, test } from 'vitest';
import { type SavePart, saveParts, saveText } from '../../../src/db/hot/save-text.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase({ lanes: 1 });

const alone = saveParts.map((part): SavePart[] => (part.endsWith('firsts') ? ['messages', part] : [part]));
const allButOne = saveParts.map((part) => saveParts.filter((each) => each !== part));
const sets = [[], ...alone, ...allButOne.filter((parts) => parts.includes('messages')), [...saveParts]];

test.each(sets.map((parts) => [parts.join(', ') || 'sessions alone', parts] as const))('%s', async (_, parts) => {
  const text = saveText(new Set(parts));
  expect(text).not.toContain('undefined');
  await database.lanes.query(`prepare statement as ${text}`);
  await database.lanes.query('deallocate statement');
});

test('sessions are found by their key while their partition is empty, when every index costs the same', async () => {
  await ensurePartitions(database.db, Date.now(), 30);
  const { rows } = await database.lanes.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan) ${saveText(new Set(saveParts))}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  const indexes = [...plan.matchAll(/using (verify_session_\w+)/g)].map(([, name]) => name);
  expect(indexes.length).toBeGreaterThan(0);
  expect(indexes.filter((name) => !name?.endsWith('_pkey'))).toEqual([]);
});
