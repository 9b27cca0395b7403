// A call of a process that does not own its number: the owner stores what becomes of it, and the process that made it hears of its end all the same.
import { expect, test } from 'vitest';
import { echoedReference } from '../../../src/core/verify/session.ts';
import { Conversation } from '../../../src/engine/fleet/conversation.ts';
import { Routing } from '../../../src/engine/routing.ts';
import { testDatabase } from '../../support/database.ts';
import { CallingChannel, ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { connectByLine, type RoutedEngine } from '../../support/routed.ts';
import { callReport, receiptOf } from '../../support/session.ts';

const database = await testDatabase();

test('a call that ends on the record of another process is not under way here any more', async () => {
  const [makerId, ownerId] = [ids('prc_'), ids('prc_')];
  const owners = { ownerOf: () => ownerId };
  const phone = new CallingChannel();
  const process = async (processId: string, options: Parameters<typeof testEngine>[1]) => {
    const conversation = new Conversation();
    const made = await testEngine(database, { processId, conversation, ...options });
    const { receipts, references, checker, stuckOwners, calls } = made.engine;
    const parts = { face: made.engine, receipts, references, checker, stuckOwners, calls };
    const routing = new Routing({ ...parts, processId, conversation, owners, ids });
    return { ...made, processId, intake: routing.intake() };
  };
  const maker = await process(makerId, { voice: phone });
  const owner = await process(ownerId, { sms: new ScriptedChannel() });
  const asked: string[] = [];
  connectByLine([maker, owner] as unknown as RoutedEngine[], (verb, answer) => {
    asked.push(verb);
    return answer();
  });

  const request = sendRequest({ channel: 'voice', cascade: [{ channel: 'voice', timeoutMs: 45_000 }] });
  await maker.engine.starter.sendSettled(request);
  await maker.engine.dispatcher.idle();
  const [call] = phone.sent;
  if (!call) throw new Error('no call was made');
  const report = (change: Parameters<typeof callReport>[0]) =>
    maker.intake.take({
      operator: 'voice',
      references: [echoedReference(call.route, call.id)],
      number: null,
      receipt: { ...receiptOf('UNDELIV', Date.now()), errorCode: null, call: callReport(change) },
    });
  expect(maker.engine.calls.size).toBe(1);
  await report({ state: 'hung_up', answeredAt: 5_000, talkSeconds: 3, ended: true });
  expect(asked).toEqual(['receipt']);
  const stored = await owner.engine.store.load({ accountId: request.accountId, id: call.sessionId });
  expect(stored?.session.messages).toMatchObject([{ status: 'undelivered', holder: null, call: { ended: true } }]);
  expect(maker.engine.calls.size).toBe(0);
});
