// Every statement that "save" may be made of is one that Postgres takes.
import { expect, test } from 'vitest';
import { type SavePart, saveParts } from '../../../src/db/verify/save-batches.ts';
import { saveText } from '../../../src/db/verify/save-text.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase({ lanes: 1 });

const alone = saveParts.map((part): SavePart[] => [part]);
const allButOne = saveParts.map((part) => saveParts.filter((each) => each !== part));
const sets = [[], ...alone, ...allButOne.filter((parts) => parts.includes('messages')), [...saveParts]];

test.each(sets.map((parts) => [parts.join(', ') || 'sessions alone', parts] as const))('%s', async (_, parts) => {
  const text = saveText(new Set(parts));
  expect(text).not.toContain('undefined');
  await database.lanes.query(`prepare statement as ${text}`);
  await database.lanes.query('deallocate statement');
});

test('the whole table of messages is locked before a partition of it, as `alter table` locks them', () => {
  const text = saveText(new Set(saveParts), { verify_session: 's_p', message: 'm_p', operator_reference: 'r_p' });
  expect(text).toContain('update m_p s');
  expect(text.indexOf('insert into message (')).toBeLessThan(text.indexOf('update m_p s'));
});
