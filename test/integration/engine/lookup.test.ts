// What a look-up tells of a session is of one moment, whatever is stored while it reads.
import { expect, test } from 'vitest';
import { oneCell } from '../../../src/core/fleet/cells.ts';
import { engineReads } from '../../../src/db/engine-store.ts';
import { inside, type Reads } from '../../../src/db/queryable.ts';
import { Lookup } from '../../../src/engine/verify/lookup.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

test('a receipt that comes behind the first statement is not there without its line in the timeline', async () => {
  const sms = new ScriptedChannel();
  const { engine } = await testEngine(database, { sms });
  const request = sendRequest();
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const message = await until(() => sms.sent[0], { what: 'its SMS' });
  const name = { accountId: request.accountId, mode: request.mode, id: sent.session.id };

  const reads = inside(database.db);
  let statements = 0;
  const interrupted: Reads = {
    ...reads,
    query: async (config) => {
      const answer = await reads.query(config);
      statements += 1;
      if (statements === 1) await engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
      return answer as never;
    },
  };
  const lookup = new Lookup(engineReads({ reads: interrupted, lists: interrupted }), oneCell);
  const noted = async () => {
    const found = await lookup.find(name);
    return [found?.receipts.length, found?.session.timeline.filter(({ kind }) => kind === 'receipt_received').length];
  };
  expect(await noted()).toEqual([0, 0]);
  expect(await noted()).toEqual([1, 1]);
});
