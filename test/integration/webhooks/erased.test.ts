// Webhooks that wait in the memory of a process while the number of their session is erased.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { Erasure } from '../../../src/engine/erasure/erasure.ts';
import { isCelled } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { receiver, testAccount, testWebhooks } from './support.ts';

const database = await testDatabase();
const cells = isCelled(database) ? database.cells.map((cell) => cell.database.plain) : [database.plain];
const shop = await receiver();
const parsed = parseKeyRing(newKeyRing((size) => randomBytes(size)));
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
const erasure = new Erasure({ home: database.plain, cells }, Date.now, parsed.ring);
const actor = { kind: 'system', id: '', name: 'test', address: '', requestId: '' } as const;

test('go out without it, each once', async () => {
  const { webhooks, manager, holder, errors, outcomes } = await testWebhooks(database, {
    queue: { maxInFlightPerEndpoint: 1 },
  });
  const account = await testAccount(database, manager);
  await account.create(shop.url('/slow'));
  const first = Promise.withResolvers<void>();
  shop.answer('/slow', (response) => void first.promise.then(() => response.writeHead(204).end()));
  const sms = new ScriptedChannel();
  const processId = holder.slice('process/'.length);
  const { engine, fleet } = await testEngine(database, { sms, url: database.url, outbox: webhooks, processId });
  const { accountId } = account;
  const send = async () => {
    const request = sendRequest({ accountId });
    const sent = await engine.starter.sendSettled(request);
    if (sent.kind !== 'sent') throw new Error(sent.kind);
    return { id: sent.session.id, to: request.to };
  };
  const { id, to } = await send();
  const message = await until(() => sms.sent[0], { what: 'the SMS' });
  await until(() => shop.at('/slow').length === 1, { what: 'the first webhook, which hangs' });
  const receipt = carrierReceipt(message, 'DELIVRD');
  await engine.receipts.take({ ...receipt, receipt: { ...receipt.receipt, raw: `to:${to}` } });
  await engine.sessions.apply({ accountId, id }, { kind: 'reported_verified' });
  const other = await send();
  await until(() => webhooks.held.waiting === 3, { what: 'the others to wait' });

  expect(await erasure.erase({ number: to, scope: null, actor })).toMatchObject({ complete: true });
  await until(() => engine.sessions.seen(id)?.to !== to, { what: 'the process to hear of it' });
  first.resolve();
  await until(
    async () => {
      await webhooks.sweep(Date.now());
      await webhooks.idle();
      return shop.at('/slow').length >= 4;
    },
    { what: 'the posts' },
  );
  const [, ...later] = shop.at('/slow').map(({ body }) => body);
  expect(later.map((body) => JSON.parse(body).type).sort()).toEqual([
    'message.submitted',
    'receipt.updated',
    'session.verified',
  ]);
  expect(later.filter((body) => body.includes(to))).toEqual([]);
  expect(later.filter((body) => body.includes(other.to))).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'left erased')).toHaveLength(2);
  expect(errors).toEqual([]);
  await fleet.leave();
});
