// Calls of several accounts share a statement. One that names a session of another account's gets none, whoever asks at the same moment.
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();

async function opened() {
  const { engine } = await testEngine(database, { sms: new ScriptedChannel() });
  const request = sendRequest();
  const sent = await engine.starter.sendSettled(request);
  if (sent.kind !== 'sent') throw new Error(sent.kind);
  const other = await testEngine(database, { sms: new ScriptedChannel() });
  return { engine: other.engine, accountId: request.accountId, id: sent.session.id };
}

test('another account finds nothing, also where the session’s own account looks at the same time', async () => {
  const { engine, accountId, id } = await opened();
  const stranger = ids('acct_');
  const [own, others] = await Promise.all(
    [accountId, stranger].map((each) => engine.find({ accountId: each, mode: 'live', id })),
  );
  expect(own?.session.id).toBe(id);
  expect(others).toBeNull();
});

test('a check by another account is of no session, and no try is counted', async () => {
  const { engine, accountId, id } = await opened();
  const check = (by: string) =>
    engine.check({ accountId: by, mode: 'live', target: { id }, code: '000000', idempotency: null });
  const [own, others] = await Promise.all([check(accountId), check(ids('acct_'))]);
  expect(own.kind).toBe('checked');
  expect(others.kind).toBe('not_found');
  expect((await engine.store.load({ accountId, id }))?.session.attempts).toBe(1);
});
