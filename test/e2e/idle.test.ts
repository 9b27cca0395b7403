// What a process asks the database for while nobody calls it.
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();

/** Statements since the call, by name or text; those of every connection of this process. */
function countStatements(): Map<string, number> {
  const counts = new Map<string, number>();
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [given] = args as [string | { name?: string; text?: string }];
    const name = typeof given === 'string' ? given : (given.text ?? '');
    const key = name.trim().replace(/\s+/g, ' ').slice(0, 120);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return (query as (...args: unknown[]) => unknown).apply(this, args) as never;
  });
  onTestFinished(() => spy.mockRestore());
  return counts;
}

const isPulse = (statement: string): boolean => statement.startsWith('with asked as materialized');
/** The sweep of webhooks, which has a distance of its own. */
const isSweep = (statement: string): boolean =>
  /from (webhook_delivery|account) where|as holder from process/.test(statement);
/** Three a second: a pulse is due every 800 ms. */
const mostPerPulse = 2.4;

test('an idle process asks the database for little more than its pulse', async () => {
  await service.startHere();
  const counts = countStatements();
  const pulses = () => [...counts].reduce((sum, [statement, count]) => sum + (isPulse(statement) ? count : 0), 0);
  // A process that has just come looks at everything, and twice.
  await until(() => pulses() >= 8, { what: 'the start to be over' });
  const perPulse = async () => {
    counts.clear();
    await until(() => pulses() >= 12, { what: 'twelve pulses' });
    const all = [...counts].reduce((sum, [statement, count]) => sum + (isSweep(statement) ? 0 : count), 0);
    return all / pulses();
  };
  let asked = await perPulse();
  // A process whose lease has ended, since the machine stood still, looks at everything once more: what follows is counted.
  for (let again = 0; again < 2 && asked > mostPerPulse; again += 1) asked = await perPulse();
  expect(asked, JSON.stringify([...counts], null, 1)).toBeLessThanOrEqual(mostPerPulse);
});
