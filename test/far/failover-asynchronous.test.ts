// A failover with an asynchronous standby: the last commits may be lost with the primary, and how many is printed. The service is back by
// itself all the same.
import { expect } from 'vitest';
import { requireTool } from '../support/tool.ts';
import { failOver, prepareFailover } from './failover/run.ts';

const test = requireTool('initdb', 'pg_basebackup');
const prepared = await prepareFailover('asynchronous');

test('the primary is killed under load, and its asynchronous standby promoted', async () => {
  const outcome = await failOver(prepared);
  console.log(`asynchronous: ${JSON.stringify(outcome)}`);
  expect(outcome.verifications).toBeGreaterThan(1_000);
  for (const ms of outcome.backAfterMs) expect(ms).toBeLessThan(5_000);
  for (const { process } of prepared.servers) expect(await process.end()).toMatchObject({ code: 0 });
});
