// A failover with a synchronous standby: nothing that was acknowledged is lost, no message is written twice, and the service is back by itself.
import { expect } from 'vitest';
import { requireTool } from '../support/tool.ts';
import { failOver, prepareFailover } from './failover/run.ts';

const test = requireTool('initdb', 'pg_basebackup');
const prepared = await prepareFailover('synchronous');

test('the primary is killed under load, and its synchronous standby promoted', async () => {
  const outcome = await failOver(prepared);
  console.log(`synchronous: ${JSON.stringify(outcome)}`);
  expect(outcome.verifications).toBeGreaterThan(1_000);
  expect(outcome).toMatchObject({ lostSends: 0, lostChecks: 0, unverified: 0, writtenTwice: 0, untold: 0 });
  for (const ms of outcome.backAfterMs) expect(ms).toBeLessThan(5_000);
  for (const { process } of prepared.servers) expect(await process.end()).toMatchObject({ code: 0 });
});
