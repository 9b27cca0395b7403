// One budget as a process uses it: what it remembers of a refusal, and what it gives back after it was forgotten.
import { expect, test } from 'vitest';
import { parseFixed } from '../../../../src/core/money/money.ts';
import type { GrantedCredit } from '../../../../src/db/limits/budgets.ts';
import { LocalBudget, type Want } from '../../../../src/engine/limits/local-budget.ts';

const one = parseFixed('1');
const nothing = { granted: '0', used: '5', exhausted: true, window: 7, endsInMs: 100, warning: null, deliveries: [] };

function line(answers: GrantedCredit[]) {
  const clock = { now: 1_000_000 };
  const asked: Want[] = [];
  const used = new LocalBudget(
    { accountId: 'acct_1', keyId: '', period: 'hour', unit: 'sends' },
    {
      now: () => clock.now,
      ask: async (want) => {
        asked.push(want);
        return answers.shift() ?? null;
      },
      unsettled: () => {},
    },
  );
  return { clock, asked, used, take: async () => used.take(one, 5n * one, true) };
}

test('a refusal is remembered for a quarter of a second, and no longer than its window lasts', async () => {
  const next = { ...nothing, granted: '1', used: '1', exhausted: false, window: 8, endsInMs: 3_600_000 };
  const { clock, asked, take } = line([nothing, next]);
  expect(await take()).toEqual({ kind: 'exhausted', retryAfterMs: 100 });
  clock.now += 99;
  expect(await take()).toEqual({ kind: 'exhausted', retryAfterMs: 1 });
  expect(asked).toHaveLength(1);
  clock.now += 1;
  expect(await take()).toMatchObject({ kind: 'taken', window: 8 });
});

test('what comes back to a line that was forgotten meanwhile goes back to its row', async () => {
  const { asked, used } = line([{ ...nothing, exhausted: false }]);
  used.giveBack(one, 7);
  used.giveBack(one, 6);
  expect(used.isForgettable).toBe(false);
  await used.settle();
  expect(asked).toMatchObject([{ back: '1', backWindow: 7, need: '0', ahead: '0', limit: null }]);
  expect(used.isForgettable).toBe(true);
});
