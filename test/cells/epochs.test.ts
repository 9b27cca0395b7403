// A new epoch: what was sent before it stays where it is and goes on; what is sent from then on is in the new cell.
import { expect, test } from 'vitest';
import { CellMap, homeCell } from '../../src/core/fleet/cells.ts';
import { testCells } from '../support/database.ts';
import { carrierReceipt, ids, ScriptedChannel, sendRequest, type TestEngine, testEngine } from '../support/engine.ts';
import { everySession } from '../support/session.ts';
import { until } from '../support/wait.ts';

const all = (cell: string) => [{ first: 0, after: 1024, cell }];
const first = { from: 0, ranges: all(homeCell) };
const database = await testCells({ epochs: [first, { from: Date.now() + 86_400_000, ranges: all('b') }] });
const sms = new ScriptedChannel();
const rules = { resendIntervalMs: 0 };
const old = await testEngine(database, { sms, rules });

async function send(request: ReturnType<typeof sendRequest>, { engine }: Pick<TestEngine, 'engine'>) {
  const result = await engine.starter.sendSettled(request);
  await engine.dispatcher.idle();
  if (result.kind !== 'sent') throw new Error(result.kind);
  return result.session;
}

test('sessions before and after the beginning of an epoch', async () => {
  const accountId = ids('acct_');
  const [early, canceled] = [sendRequest({ accountId }), sendRequest({ accountId })];
  const before = await send(early, old);
  const over = await send(canceled, old);
  // The process is started again with the setting that has another epoch, which has begun by its next send.
  const map = new CellMap([first, { from: Date.now() + 1, ranges: all('b') }]);
  const moved: typeof database = { ...database, map };
  const { engine, errors, ...started } = await testEngine(moved, { sms, rules });
  const now = { engine, ...started };
  expect([before, over].map(({ id }) => map.ofId(id))).toEqual([homeCell, homeCell]);
  await until(() => map.ofShard(0, Date.now()) === 'b', { what: 'the epoch to begin' });

  // Still pending: a send is a resend of it, in its own cell.
  const resent = await send(early, now);
  expect([resent.id, resent.sends]).toEqual([before.id, 2]);

  // Its receipts find it, and so does a code by its number.
  const [message] = sms.sent.filter(({ sessionId }) => sessionId === before.id);
  if (!message) throw new Error('nothing was sent');
  await engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  const target = { to: early.to, purpose: early.purpose };
  const checked = await engine.check({ accountId, mode: 'live', target, code: message.code, idempotency: null });
  expect(checked).toMatchObject({ kind: 'checked', checked: { valid: true }, session: { id: before.id } });

  // Once it is over, the next one is opened in the new cell.
  const next = await send(early, now);
  expect([next.id === before.id, map.ofId(next.id)]).toEqual([false, 'b']);
  await engine.cancel({ accountId, mode: 'live', id: over.id });
  const again = await send(canceled, now);
  expect(map.ofId(again.id)).toBe('b');
  const code = sms.sent.findLast(({ sessionId }) => sessionId === again.id)?.code ?? '';
  const byNumber = { to: canceled.to, purpose: canceled.purpose };
  expect(await engine.check({ accountId, mode: 'live', target: byNumber, code, idempotency: null })).toMatchObject({
    checked: { valid: true },
    session: { id: again.id },
  });

  const filter = everySession(accountId);
  const wanted = [again.id, next.id, over.id, before.id];
  const everything = await engine.list(filter, { limit: 10, before: null });
  expect(everything.items.map(({ session }) => session.id)).toEqual(
    [next, again, over, before]
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
  expect(new Set(everything.items.map(({ session }) => session.id))).toEqual(new Set(wanted));
  const ofNumber = await engine.list({ ...filter, number: early.to }, { limit: 10, before: null });
  expect(ofNumber.items.map(({ session }) => session.id)).toEqual([next.id, before.id]);
  expect(errors).toEqual([]);
});
