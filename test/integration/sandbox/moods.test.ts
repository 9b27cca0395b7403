// The moods of operators, platform and trunk: what each does to a message or a call, and that nothing of it is left afterwards.
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/sandbox/clock.ts';
import { Feed } from '../../../src/sandbox/feed.ts';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { Moods } from '../../../src/sandbox/moods.ts';
import { sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { sandboxIdentity as identity } from '../../../src/sandbox/platform/accounts.ts';
import { slowMs } from '../../../src/sandbox/views.ts';
import { until } from '../../support/wait.ts';
import { Callback } from './callback.ts';
import { Caller } from './caller.ts';
import { Esme } from './esme.ts';
import { GraphClient } from './graph-client.ts';

const { systemId, password } = sandboxProfiles.atlas;
const to = '+213551234567';
const deliverDelayMs = 4;

/** A clock on which waiting for a slow answer takes no time, but is seen; what is due otherwise can be kept until a test runs it. */
let slowAnswers = 0;
let kept: (() => void)[] | null = null;
const clock: Clock = {
  now: Date.now,
  after: (ms, action) => {
    if (ms === slowMs) slowAnswers += 1;
    if (ms === deliverDelayMs && kept) kept.push(action);
    if (ms === deliverDelayMs && kept) return () => {};
    return systemClock.after(ms === slowMs ? 1 : ms, action);
  },
};

let sandbox: Sandbox;
let callback: Callback;
let graph: GraphClient;
let esme: Esme;

beforeAll(async () => {
  callback = await new Callback(identity.appSecret, identity.verifyToken).start();
  sandbox = await runSandbox({ clock, deliverDelayMs, messagingCallbackUrl: callback.url });
  graph = new GraphClient(sandbox.httpUrl, identity);
});
afterAll(async () => {
  await sandbox.stop();
  await callback.stop();
});
beforeEach(async () => {
  kept = null;
  await order({ action: 'reset' });
  const { notifier, statuses } = sandbox.platform;
  await until(() => notifier.waiting + statuses.due === 0, { what: 'the webhooks of the test before' });
  sandbox.inbox.clear();
  callback.clear();
  slowAnswers = 0;
  esme = await Esme.bind(sandbox.smscPorts.atlas, { systemId, password });
  // A receipt that the test before left unanswered comes again, as an SMSC sends it.
  await until(() => sandbox.smscs.atlas.counts.receipts_pending === 0, { what: 'its receipts' });
  esme.delivered.length = 0;
  esme.seen.length = 0;
});
afterEach(() => esme.close());

const order = async (action: object) => {
  const answer = await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(action) });
  expect(answer.status, await answer.text()).toBe(204);
};
const set = (of: string, mood: string) => order({ action: 'mood', of, mood });
const texts = () => sandbox.inbox.list().map(({ text }) => text);

describe('an operator', () => {
  const submitted = async (text: string, number = to) => (await esme.submit(number, text)).command_status;
  const arrives = (text: string) => until(() => texts().includes(text), { what: `"${text}" on the phone` });

  test.each([
    ['throttling', 0x58],
    ['refusing', 0x45],
  ])('%s refuses every submit, until it is well', async (mood, status) => {
    await set('atlas', mood);
    for (const text of ['one', 'two', 'three']) expect(await submitted(text)).toBe(status);
    await set('atlas', 'well');
    expect(await submitted('four')).toBe(0);
    await arrives('four');
    expect(texts()).toEqual(['four']);
  });

  test('silent takes everything, and nothing follows; what was under way is lost, and an order is still obeyed', async () => {
    kept = [];
    expect(await submitted('under way', '+213557654321')).toBe(0);
    const [arrive] = kept;
    kept = null;
    await set('atlas', 'silent');
    arrive!();
    expect(await submitted('silent')).toBe(0);
    expect(await submitted('would be rejected', '+213550000004')).toBe(0);
    expect(await submitted('would be silent anyway', '+213550000003')).toBe(0);
    await set('atlas', 'well');
    expect(await submitted('heard')).toBe(0);
    await arrives('heard');
    await until(() => esme.delivered.length > 0, { what: 'its receipt' });
    const receiptsOf = (number: string) => esme.delivered.filter(({ source_addr }) => `+${source_addr}` === number);
    expect(esme.delivered).toHaveLength(1);
    expect(texts()).toEqual(['heard']);
    await set('atlas', 'silent');
    await order({ action: 'send_receipt', to, status: 'UNDELIV' });
    await until(() => receiptsOf(to).length === 2, { what: 'the ordered receipt' });
  });

  test('slow takes and answers after 3 s, and its receipt follows the answer', async () => {
    await set('atlas', 'slow');
    expect(await submitted('slow')).toBe(0);
    expect(slowAnswers).toBe(1);
    await arrives('slow');
    await until(() => esme.delivered.length === 1, { what: 'the receipt' });
    const order = esme.seen.map(({ command }) => command).filter((command) => command !== 'enquire_link');
    expect(order.indexOf('submit_sm_resp')).toBeLessThan(order.indexOf('deliver_sm'));
  });

  test('stuck answers enquire_link and no submit, and takes none', async () => {
    await set('atlas', 'stuck');
    const unanswered = esme.submit(to, 'stuck').catch(() => 'connection closed');
    expect((await esme.request('enquire_link', {})).command_status).toBe(0);
    await set('atlas', 'well');
    expect(await submitted('well')).toBe(0);
    await arrives('well');
    expect(texts()).toEqual(['well']);
    esme.close();
    expect(await unanswered).toBe('connection closed');
  });

  test('unbinding unbinds before it answers, and closes once its unbind is answered', async () => {
    await set('atlas', 'unbinding');
    const answers = await Promise.all([submitted('one'), submitted('two')]);
    expect(answers).toEqual([0, 0]);
    const order = esme.seen.map(({ command }) => command).filter((command) => /unbind|submit/.test(command));
    expect(order).toEqual(['unbind', 'submit_sm_resp', 'submit_sm_resp']);
    expect(esme.closed).toBe(false);
    esme.session.send(esme.seen.find(({ command }) => command === 'unbind')!.response());
    await until(() => esme.closed, { what: 'the connection to be closed' });
    for (const text of ['one', 'two']) await arrives(text);
  });

  test('down cuts every connection and takes none, and comes back at the same port', async () => {
    const { port } = sandbox.smscs.atlas;
    await set('atlas', 'down');
    await until(() => esme.closed, { what: 'the connection to be cut' });
    await expect(Esme.connect(port)).rejects.toThrow(/ECONNREFUSED/);
    await set('atlas', 'slow');
    esme = await Esme.bind(port, { systemId, password });
    await set('atlas', 'well');
    expect(await submitted('back')).toBe(0);
  });

  test('the moods of one leave the others alone; they change in the order in which they were asked for', async () => {
    const moods = ['down', 'well', 'silent', 'down', 'refusing', 'down', 'well'];
    await Promise.all(moods.map((mood) => set('sahara', mood)));
    // Which of several connections is served first is not said.
    await set('sahara', 'well');
    expect(sandbox.smscs.sahara.mood).toBe('well');
    // In one turn of the loop: a port that is being opened is not opened by a second order, too.
    const { platform, phones } = sandbox;
    const switches = new Moods({ smscs: [], platform, phones }, new Feed());
    const orders = (['down', 'well', 'refusing', 'down', 'silent', 'well'] as const).map((mood) =>
      switches.set('trunk', mood),
    );
    expect(await Promise.all(orders)).toEqual(orders.map(() => null));
    expect(phones!.mood).toBe('well');
    const sahara = await Esme.bind(sandbox.smscPorts.sahara, {
      systemId: sandboxProfiles.sahara.systemId,
      password: sandboxProfiles.sahara.password,
    });
    sahara.close();
    expect(await submitted('untouched')).toBe(0);
    await arrives('untouched');
  });
});

describe('the platform', () => {
  const words = (wamid: string) => callback.statuses(wamid).map(({ status }) => status);
  const sent = async (number = to): Promise<string> => {
    const { status, body } = await graph.send(number);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.messages[0].id;
  };

  test.each([
    ['throttling', 429, 130429],
    ['refusing', 403, 130497],
    ['down', 503, 2],
  ])('%s refuses every send, until it is well', async (mood, status, code) => {
    await set('whatsapp', mood);
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await graph.send(to);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    }
    expect((await graph.call('GET', identity.phoneNumberId)).status).toBe(mood === 'down' ? 503 : 200);
    expect(texts()).toEqual([]);
    await set('whatsapp', 'well');
    const wamid = await sent();
    await until(() => words(wamid).includes('delivered'), { what: 'the status' });
    expect(texts()).toHaveLength(1);
  });

  test('down keeps its webhooks until it is well', async () => {
    sandbox.platform.faults.statusesHeld = true;
    const wamid = await sent();
    await set('whatsapp', 'down');
    sandbox.platform.faults.statusesHeld = false;
    sandbox.platform.notifier.flush();
    // A webhook would have been posted before these.
    for (let turn = 0; turn < 5; turn += 1) await fetch(callback.url);
    expect(words(wamid)).toEqual([]);
    await set('whatsapp', 'well');
    await until(() => words(wamid).includes('delivered'), { what: 'the status' });
  });

  test('silent takes a message, and neither phone nor callback hears of it; an ordered status is sent', async () => {
    kept = [];
    const underWay = await sent('+213557654321');
    const steps = kept;
    kept = null;
    await set('whatsapp', 'silent');
    for (const step of steps) step();
    const wamid = await sent();
    const refused = await sent('+213558130429');
    await set('whatsapp', 'well');
    const next = await sent();
    await until(() => words(next).includes('delivered'), { what: 'the status of the next' });
    expect([words(underWay), words(wamid), words(refused)]).toEqual([[], [], []]);
    // What was accepted before is on the phone: only its statuses were lost.
    expect(sandbox.inbox.list().map((message) => message.to)).toEqual([to, '+213557654321']);
    await order({ action: 'messaging_send_status', wamid, status: 'read' });
    await until(() => words(wamid).includes('read'), { what: 'the ordered status' });
  });

  test('slow answers every call after 3 s', async () => {
    await set('whatsapp', 'slow');
    await sent();
    await graph.call('GET', identity.phoneNumberId);
    expect(slowAnswers).toBe(2);
  });
});

describe('the trunk', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.open(sandbox.phones!.port, to);
  });
  afterEach(async () => {
    caller.close();
    // A caller that is gone leaves its call to the phone.
    while (sandbox.phones!.hangUp(to));
    await until(() => sandbox.phones!.decide(to, 'decline') || sandbox.phones!.counts.up === 0, {
      what: 'no call left',
    });
  });
  const challenged = async () => {
    caller.invite();
    const challenge = (await caller.answered(407)).headers.get('proxy-authenticate') ?? '';
    caller.ackRefusal(407);
    return challenge;
  };
  const invite = async () => caller.invite({ headers: [caller.login(await challenged(), 'ramz-trunk', 'trunk-pw')] });

  test('refusing answers 403 to who may call', async () => {
    await set('trunk', 'refusing');
    await invite();
    await caller.answered(403);
  });

  test('slow answers the call once after 3 s', async () => {
    await set('trunk', 'slow');
    await invite();
    await caller.answered(180);
    expect(slowAnswers).toBe(1);
  });

  test('silent answers everything but calls, and keeps those that are up', async () => {
    await invite();
    await caller.answered(200);
    caller.ack();
    await set('trunk', 'silent');
    const unheard = await Caller.open(sandbox.phones!.port, to);
    unheard.invite();
    unheard.ask('OPTIONS');
    await until(() => unheard.statuses('OPTIONS').includes(200), { what: 'the answer to OPTIONS' });
    await order({ action: 'voice_hang_up', to });
    await until(() => caller.requests('BYE').length > 0, { what: 'the end of the call' });
    expect(unheard.statuses()).toEqual([]);
    await set('trunk', 'well');
    unheard.invite({ again: true });
    await unheard.answered(407);
    unheard.close();
  });

  test('down is gone, and back at the same port', async () => {
    const { port } = sandbox.phones!;
    await set('trunk', 'down');
    caller.invite();
    expect(sandbox.phones!.mood).toBe('down');
    await set('trunk', 'well');
    expect(sandbox.phones!.port).toBe(port);
    await challenged();
    expect(caller.statuses()).toEqual([407]);
  });
});

test('a port that was taken meanwhile is said, and the mood stays what it is', async () => {
  await set('djurdjura', 'down');
  const thief = createServer();
  await new Promise<void>((resolve) => thief.listen(sandbox.smscPorts.djurdjura, '127.0.0.1', resolve));
  const body = JSON.stringify({ action: 'mood', of: 'djurdjura', mood: 'well' });
  const answer = await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body });
  expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringContaining('EADDRINUSE') }]);
  expect(sandbox.smscs.djurdjura.mood).toBe('down');
  await new Promise((resolve) => thief.close(resolve));
  await set('djurdjura', 'well');
});
