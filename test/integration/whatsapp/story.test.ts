// WhatsApp as a leg of the cascade, on a real database and real sockets: what each word of the platform does.
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, ids } from '../../support/engine.ts';
import { callbackBody, graphServer, refuse } from '../../support/graph.ts';
import { until } from '../../support/wait.ts';
import { appEngine, otherNumberId, ownNumberId, story } from './app.ts';

const database = await testDatabase();
const graph = await graphServer();
const process = await appEngine(database, graph);
const { send, when, status, request, load, engine, errors } = process;
const other = await appEngine(database, graph);

const submitted = (session: Parameters<typeof load>[0] & { messages: unknown[] }) =>
  when(session as never, 'the app message to be taken', ({ messages }) => messages.at(-1)?.status === 'submitted');

const unsettledRows = async (id: string) =>
  (await sql`select from unsettled where session_id = ${id}`.execute(database.db)).rows.length;

const shuffles = [
  ['sent', 'delivered', 'read'],
  ['read', 'delivered', 'sent'],
  ['delivered', 'sent', 'read'],
  ['read'],
  ['delivered', 'delivered', 'read', 'sent', 'read'],
];

test.each(shuffles)('statuses in any order end alike: %s %s %s %s %s', async (...words) => {
  const session = await send(['whatsapp']);
  const { wamid, body } = await request(session);
  const [message] = (await submitted(session)).messages;
  expect(body.biz_opaque_callback_data).toBe(message?.id);
  const pricing = { pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication' } };
  const at = Date.now();
  for (const word of words.filter(Boolean)) {
    await status({ id: wamid, status: word, at, more: word === 'read' && words.length > 2 ? {} : pricing });
  }
  const end = await load(session);
  expect(end).toMatchObject({ delivery: 'delivered', status: 'pending' });
  expect(end.messages).toMatchObject([
    {
      status: 'read',
      providerMessageId: wamid,
      operator: null,
      parts: 1,
      cost: { amount: '1.20', currency: 'DZD', source: 'tariff', final: true, billedBy: 'service' },
    },
  ]);
  expect(end.messages[0]?.receipts).toHaveLength(new Set(words.filter(Boolean)).size);
  expect(errors).toEqual([]);
});

test('what the platform gives away costs nothing', async () => {
  const session = await send(['whatsapp']);
  const { wamid } = await request(session);
  await submitted(session);
  await status({ id: wamid, status: 'delivered', more: { pricing: { billable: false, type: 'free_entry_point' } } });
  expect((await load(session)).messages[0]?.cost).toMatchObject({ amount: '0.00', final: true });
});

/** A session whose SMS is given up by its operator, so that the app's turn has come. */
async function afterExpiredSms() {
  process.sms.answer = ({ id }) => ({
    kind: 'accepted',
    providerMessageId: `p-${id}`,
    reference: `p-${id}`,
    parts: 1,
    tariff: null,
  });
  const session = await send(['sms', 'whatsapp', 'voice']);
  await submitted(session);
  const sms = process.sms.sent.find(({ sessionId }) => sessionId === session.id);
  if (!sms) throw new Error('no SMS was sent');
  await engine.receipts.take(carrierReceipt(sms, 'EXPIRED'));
  return { session, sms };
}

describe('the cascade', () => {
  test('an SMS that is refused: the app at once', async () => {
    process.sms.answer = () => ({ kind: 'rejected', reason: 'submit_refused', errorCode: 'ESME_RINVDSTADR' });
    const session = await send(['sms', 'whatsapp', 'voice']);
    const { wamid } = await request(session);
    await submitted(session);
    await status({ id: wamid, status: 'delivered' });
    expect(story(await load(session))).toEqual([
      'session_opened sms',
      'leg_started sms',
      'message_failed sms submit_refused ESME_RINVDSTADR',
      'leg_started whatsapp',
      'message_submitted whatsapp',
      'receipt_received whatsapp DELIVRD',
      'delivery_delivered',
    ]);
  });

  test('a failed status: on to the call at once, which is skipped with its reason', async () => {
    const session = await send(['whatsapp', 'voice']);
    const { wamid } = await request(session);
    await submitted(session);
    await status({ id: wamid, status: 'failed', more: { errors: [{ code: 131026, title: 'Message undeliverable' }] } });
    const end = await load(session);
    expect(story(end).slice(3)).toEqual([
      'receipt_received whatsapp UNDELIV 131026',
      'leg_skipped voice channel_not_configured',
      'delivery_exhausted',
    ]);
    expect(end.messages).toMatchObject([{ status: 'undelivered', errorCode: '131026', cost: { amount: '0.00' } }]);
  });

  test('the same told in the answer', async () => {
    graph.answerNext(refuse(131026));
    const session = await send(['whatsapp', 'voice']);
    const end = await when(session, 'the run to be exhausted', ({ delivery }) => delivery === 'exhausted');
    expect(story(end)).toContain('message_failed whatsapp not_on_app 131026');
  });

  test('too fast for the platform: once more, and the leg goes on', async () => {
    graph.answerNext(refuse(130429, 429));
    const session = await send(['whatsapp']);
    await submitted(session);
    expect(graph.requests.filter(({ body }) => body.to === session.to.slice(1))).toHaveLength(2);
  });

  test('refused as a fault of the platform, and taken all the same: a status says so, and the message is not sent once more', async () => {
    graph.answerNext(refuse(131000, 500));
    const session = await send(['whatsapp']);
    const { wamid, body } = await request(session);
    const messageId = body.biz_opaque_callback_data as string;
    await status({ id: wamid, status: 'delivered', more: { biz_opaque_callback_data: messageId } });
    await until(() => !engine.dispatcher.has(messageId), { what: 'the channel to be done with the message' });
    expect(graph.requests.filter(({ body }) => body.to === session.to.slice(1))).toHaveLength(1);
    expect((await load(session)).messages).toMatchObject([{ status: 'delivered', providerMessageId: wamid }]);
  });

  test('the session is over in another process: what waits for its next try here is not sent', async () => {
    graph.answerNext(refuse(130429, 429));
    const session = await send(['whatsapp']);
    const { body } = await request(session);
    const messageId = body.biz_opaque_callback_data as string;
    // As the database carries it from one process to the other.
    vi.spyOn(other.peers, 'tell').mockImplementation((_, notice) => void process.peers.events.emit('stop', notice));
    await other.engine.cancel({ accountId: session.accountId, mode: session.mode, id: session.id });
    await until(() => !engine.dispatcher.has(messageId), { what: 'the channel to be done with the message' });
    expect(graph.requests.filter(({ body }) => body.to === session.to.slice(1))).toHaveLength(1);
    expect((await load(session)).status).toBe('canceled');
  });

  test('the code comes by SMS while the app message is in flight', async () => {
    let answer = () => {};
    graph.answerNext((response, { wamid }) => {
      answer = () => void response.writeHead(200).end(JSON.stringify({ messages: [{ id: wamid }] }));
    });
    const { session, sms } = await afterExpiredSms();
    await request(session);
    await engine.receipts.take(carrierReceipt(sms, 'DELIVRD'));
    answer();
    const end = await when(
      session,
      'the app’s answer to be stored',
      ({ messages }) => messages[1]?.status === 'submitted',
    );
    expect(end).toMatchObject({ delivery: 'delivered', messages: [{ status: 'delivered' }, { status: 'submitted' }] });
  });

  test('the SMS’s receipt comes after the app delivered: stored, and nothing else happens', async () => {
    const { session, sms } = await afterExpiredSms();
    const { wamid } = await request(session);
    await submitted(session);
    await status({ id: wamid, status: 'read' });
    await engine.receipts.take(carrierReceipt(sms, 'DELIVRD'));
    const end = await load(session);
    expect(end.messages.map(({ channel, status: word }) => `${channel} ${word}`)).toEqual([
      'sms delivered',
      'whatsapp read',
    ]);
    expect(story(end).filter((line) => line === 'delivery_delivered')).toHaveLength(1);
  });
});

describe('an answer that is lost', () => {
  test('leaves the message unknown, and is made good for by the first status; nothing is sent twice', async () => {
    graph.answerNext((response) => void response.destroy());
    const session = await send(['whatsapp']);
    const { wamid, body } = await request(session);
    await when(session, 'the doubt to be stored', ({ messages }) => messages[0]?.status === 'unknown');
    await status({ id: wamid, status: 'sent', ownId: body.biz_opaque_callback_data });
    expect((await load(session)).messages).toMatchObject([
      { status: 'submitted', reason: null, providerMessageId: wamid, parts: 1, tariff: { amountPerPart: '1.20' } },
    ]);
    // From here on by the platform's id alone.
    await status({ id: wamid, status: 'delivered' });
    expect(await load(session)).toMatchObject({
      delivery: 'delivered',
      messages: [{ status: 'delivered', cost: { amount: '1.20', final: true } }],
    });
    expect(graph.requests.filter(({ body: { to } }) => to === session.to.slice(1))).toHaveLength(1);
  });

  test('is not needed: a status may be faster', async () => {
    let answer = () => {};
    graph.answerNext((response, { wamid }) => {
      answer = () => void response.writeHead(200).end(JSON.stringify({ messages: [{ id: wamid }] }));
    });
    const session = await send(['whatsapp']);
    const { wamid, body } = await request(session);
    await status({ id: wamid, status: 'delivered', ownId: body.biz_opaque_callback_data });
    expect((await load(session)).messages).toMatchObject([{ status: 'delivered', cost: { amount: '1.20' } }]);
    answer();
    await engine.dispatcher.idle();
    const end = await load(session);
    expect(story(end).filter((line) => line.startsWith('message_submitted'))).toHaveLength(1);
    expect(end.messages).toMatchObject([{ status: 'delivered', providerMessageId: wamid }]);
  });

  test('of a process that died is made good for by another', async () => {
    const dead = await appEngine(database, graph);
    graph.answerNext(() => {});
    const session = await dead.send(['whatsapp']);
    const { wamid, body } = await request(session);
    await dead.fleet.leave();
    await engine.sweep('sweep');
    const lost = await when(session, 'the heir to find it', ({ messages }) => messages[0]?.status === 'unknown');
    expect(lost.messages[0]?.reason).toBe('process_lost');
    await status({ id: wamid, status: 'delivered', ownId: body.biz_opaque_callback_data });
    expect((await load(session)).messages).toMatchObject([{ status: 'delivered', providerMessageId: wamid }]);
    expect(graph.requests.filter(({ body: { to } }) => to === session.to.slice(1))).toHaveLength(1);
  });
});

test('our id in a status of another number is not believed: a business can put any text in messages of its own', async () => {
  graph.answerNext((response) => void response.destroy());
  const session = await send(['whatsapp']);
  const { body } = await request(session);
  await when(session, 'the doubt to be stored', ({ messages }) => messages[0]?.status === 'unknown');
  const forged = { id: 'wamid.forged', status: 'delivered', ownId: body.biz_opaque_callback_data };
  await process.app.takeCallback(callbackBody(otherNumberId, forged));
  expect(await load(session)).toMatchObject({ delivery: 'sending', messages: [{ status: 'unknown', cost: null }] });
});

test('a platform that refuses us: the message moves on at once, and later legs are skipped with their reason', async () => {
  const refused = await appEngine(database, graph);
  graph.answerNext(refuse(190, 401));
  const session = await refused.send(['whatsapp', 'sms']);
  const end = await when(session, 'the next leg', ({ messages }) => messages[1]?.status === 'submitted');
  expect(story(end)).toContain('message_failed whatsapp channel_down 190');
  const before = graph.requests.length;
  const next = await refused.send(['sms', 'whatsapp']);
  expect(refused.app.down()).toEqual([{ phoneNumberId: '106540352242922', code: '190' }]);
  const [sms] = await when(next, 'the SMS', ({ messages }) => messages[0]?.status === 'submitted').then(
    (s) => s.messages,
  );
  const sent = refused.sms.sent.find(({ id }) => id === sms?.id);
  if (!sent) throw new Error('no SMS was sent');
  await refused.engine.receipts.take(carrierReceipt(sent, 'UNDELIV'));
  expect(story(await load(next)).at(-2)).toBe('leg_skipped whatsapp channel_down');
  expect(graph.requests.length).toBe(before);
});

test('a refusal told by a status takes the channel down, unless it is an old one', async () => {
  const told = await appEngine(database, graph);
  const failed = { status: 'failed', more: { errors: [{ code: 131042 }] } };
  await told.status({ id: 'wamid.old', at: Date.now() - 3_600_000, ...failed });
  expect(told.app.down()).toEqual([]);
  await told.status({ id: 'wamid.new', ...failed });
  expect(told.app.down()).toMatchObject([{ code: '131042' }]);
});

test('an account that stays in the country never reaches the platform: not even a connection is made', async () => {
  const abroad = await graphServer();
  const inside = await appEngine(database, abroad, { account: { inCountryOnly: true } });
  inside.sms.answer = () => ({ kind: 'rejected', reason: 'submit_refused', errorCode: null });
  const session = await inside.send(['sms', 'whatsapp']);
  const end = await when(session, 'the run to be exhausted', ({ delivery }) => delivery === 'exhausted');
  expect(story(end)).toContain('leg_skipped whatsapp in_country_only');
  await expect(inside.send(['whatsapp'])).rejects.toThrow('no_route');
  await inside.engine.dispatcher.idle();
  expect(abroad.connections()).toBe(0);
});

test('a number that is ours no more: its messages are still reported on, and nothing else', async () => {
  const moved = await appEngine(database, graph);
  const session = await moved.send(['whatsapp']);
  const { wamid, body } = await moved.request(session);
  await moved.when(session, 'it to be taken', ({ messages }) => messages[0]?.status === 'submitted');
  moved.known.clear();
  const parked = await moved.engine.parking.count();
  await moved.status(
    { id: wamid, status: 'delivered', ownId: body.biz_opaque_callback_data },
    { id: 'wamid.of-somebody', status: 'delivered', ownId: 'msg_of_somebody' },
    { id: 'wamid.odd', status: 'delivered', at: -1 },
  );
  expect(await moved.load(session)).toMatchObject({ delivery: 'delivered', messages: [{ status: 'delivered' }] });
  expect(moved.ignored).toEqual([['unknown_number', 2]]);
  expect(await moved.engine.parking.count()).toBe(parked);
});

test('callbacks about others are counted, also with an id of our form, and unreadable ones kept', async () => {
  const quiet = await appEngine(database, graph);
  const parked = await quiet.engine.parking.count();
  await quiet.app.takeCallback(
    callbackBody('999999999', { id: 'wamid.x', status: 'sent' }, { id: 'wamid.y', status: 'sent' }),
  );
  await quiet.status({ id: 'wamid.z', status: 'played' });
  await quiet.status({ id: 'wamid.of-another-system', status: 'delivered', ownId: 'campaign 7\0' });
  await quiet.status({ id: 'wamid.of-another-deployment', status: 'delivered', ownId: ids('msg_') });
  expect(quiet.ignored).toEqual([
    ['unknown_number', 2],
    ['other_status', 1],
    ['unknown_message', 1],
    ['unknown_message', 1],
  ]);
  expect(await quiet.engine.parking.count()).toBe(parked);
  await quiet.app.takeCallback('no JSON \0');
  expect(await quiet.engine.parking.count()).toBe(parked + 1);
});

test('an own number refused by a status: the code goes out from the deployment’s in the same leg', async () => {
  const shop = await appEngine(database, graph, { hasOwnNumber: true });
  const session = await shop.send(['whatsapp', 'sms']);
  const first = await shop.request(session);
  expect(first.path).toContain(ownNumberId);
  await shop.when(session, 'it to be taken', ({ messages }) => messages[0]?.status === 'submitted');
  const unpaid = { status: 'failed', more: { errors: [{ code: 131042 }] } };
  await shop.ownStatus({ id: first.wamid, ...unpaid });
  const taken = ({ messages }: typeof session) => messages[1]?.status === 'submitted';
  const after = await shop.when(session, 'the second to be taken', taken);
  expect(after.messages).toMatchObject([
    { status: 'rejected', errorCode: '131042', senderId: 'Shop', position: 0 },
    { status: 'submitted', senderId: 'Ramz', senderFallback: true, position: 0, tariff: { billedBy: 'service' } },
  ]);
  expect(story(after)).toContain('sender_fallback whatsapp sender_id_refused Ramz');
  const sent = graph.requests.filter(({ body }) => body.to === session.to.slice(1));
  expect(sent.map(({ path }) => path.split('/').at(-2))).toEqual([ownNumberId, expect.not.stringMatching(ownNumberId)]);
  expect(codesIn(sent[1])).toEqual(codesIn(sent[0]));
  await shop.status({ id: sent[1]?.wamid ?? '', status: 'delivered' });
  expect(await shop.load(session)).toMatchObject({ delivery: 'delivered' });
});

const codesIn = (request: { body: { template: { components: unknown[] } } } | undefined) =>
  request?.body.template.components;

describe('a process that stops: a code for a business’s own number is left to another process, which sends it from that number', () => {
  const numbers = ({ to }: Awaited<ReturnType<typeof send>>) =>
    graph.requests.filter(({ body }) => body.to === to.slice(1)).map(({ path }) => path.split('/').at(-2));

  async function sendsTheRest() {
    const heir = await appEngine(database, graph, { hasOwnNumber: true });
    await heir.engine.sweep('claim');
    await heir.engine.dispatcher.idle();
  }

  test('where it waits for its next try', async () => {
    const shop = await appEngine(database, graph, { hasOwnNumber: true });
    graph.answerNext(refuse(130429, 429));
    const session = await shop.send(['whatsapp']);
    await shop.request(session);
    await shop.engine.drain(10_000);
    expect(await load(session)).toMatchObject({ messages: [{ status: 'queued', route: `whatsapp/${ownNumberId}` }] });
    await sendsTheRest();
    expect(numbers(session)).toEqual([ownNumberId, ownNumberId]);
    expect(await load(session)).toMatchObject({ messages: [{ status: 'submitted', senderId: 'Shop' }] });
  });

  test('where its leg begins in the process that stops', async () => {
    const shop = await appEngine(database, graph, { hasOwnNumber: true });
    const cascade = [
      { channel: 'sms', timeoutMs: 3_000 },
      { channel: 'whatsapp', timeoutMs: 60_000 },
    ] as const;
    const session = await shop.send([], { cascade: [...cascade] });
    await shop.when(session, 'the SMS', ({ messages }) => messages[0]?.status === 'submitted');
    const announced = vi.spyOn(shop.peers, 'announce');
    await shop.engine.drain(10_000);
    await shop.when(session, 'the next leg', ({ messages }) => messages[1]?.status === 'queued');
    shop.engine.deadlines.stop();
    await until(() => announced.mock.calls.length > 0, { what: 'the others to be told' });
    expect(shop.app.routes()).toContain(announced.mock.calls[0]?.[0]);
    await sendsTheRest();
    expect(numbers(session)).toEqual([ownNumberId]);
  });
});

describe('a message that nobody reports as delivered', () => {
  test('ends after its session, in another process where its own is dead, with a webhook; a late status corrects it', async () => {
    const options = {
      rules: { appDeliveryMs: 1_500 },
      account: { endpoints: [{ id: 'whe_1', eventTypes: ['message.failed'] }] },
    };
    const dead = await appEngine(database, graph, options);
    const session = await dead.send(['whatsapp']);
    const { wamid } = await dead.request(session);
    await dead.when(session, 'the app message to be taken', ({ messages }) => messages[0]?.status === 'submitted');
    dead.engine.deadlines.stop();
    await dead.engine.sessions.apply(session, { kind: 'cancel', reason: 'canceled_by_client' });
    await dead.fleet.leave();
    expect(await unsettledRows(session.id)).toBe(1);

    const heir = await appEngine(database, graph, options);
    await heir.engine.sweep('sweep');
    const ended = await heir.when(session, 'the message to end', ({ messages }) => messages[0]?.finalAt !== null);
    expect(ended).toMatchObject({ status: 'canceled', nextAt: null });
    expect(ended.messages[0]).toMatchObject({
      status: 'expired',
      reason: 'not_delivered_in_time',
      cost: { amount: '0.00', final: true },
    });
    expect(story(ended).at(-1)).toBe('message_failed whatsapp not_delivered_in_time');
    expect(await unsettledRows(session.id)).toBe(0);
    const [told] = heir.webhooks.map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject({
      type: 'message.failed',
      data: {
        message: { channel: 'whatsapp', status: 'expired', reason: 'not_delivered_in_time', cost: { amount: '0.00' } },
      },
    });

    await heir.status({ id: wamid, status: 'delivered' });
    expect((await load(session)).messages[0]).toMatchObject({
      status: 'delivered',
      cost: { amount: '1.20', final: true },
    });
  });
});
