// The messages that a receipt may be about are the same in SQL, where parked receipts are looked through, and in core's ids.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { lowestId, newId } from '../../../src/core/ids.ts';
import { isOlder, madeBefore } from '../../../src/db/receipts/receipts.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();

async function older(ids: readonly string[], receivedAt: number): Promise<boolean[]> {
  const text = `select ${isOlder('id', '$2::timestamptz')} as older
    from unnest($1::text[]) with ordinality t(id, n) order by n`;
  const values = [ids, new Date(receivedAt).toISOString()];
  const { rows } = await database.lanes.query<{ older: boolean }>({ text, values });
  return rows.map((row) => row.older);
}

test('those made before it came, and within 10 s after it, for clocks that differ', async () => {
  const at = Date.UTC(2026, 6, 25, 12, 0, 0, 1);
  const ids = [-1, 0, 9_999, 10_000, 10_001].map((ms) => lowestId('msg_', at + ms));
  expect(await older(ids, at)).toEqual([true, true, true, false, false]);
});

test('every digit of the time counts', async () => {
  const random = randomBytes(10);
  for (let bit = 14; bit < 43; bit += 1) {
    const receivedAt = 2 ** bit;
    const times = [receivedAt - 1, receivedAt, receivedAt + 2 ** 13, receivedAt + 2 ** 14 - 1, 2 ** 48 - 1];
    const ids = times.map((nowMs) => newId('msg_', { nowMs, shard: 7, random }));
    expect(await older(ids, receivedAt), String(bit)).toEqual(ids.map((id) => id < madeBefore(receivedAt)));
  }
});
