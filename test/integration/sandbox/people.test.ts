// Calls as the page shows them, and the person at the page who takes them, or does not want them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serverVoices } from '../../../src/cli/sandbox.ts';
import { scenarioNumbers } from '../../../src/core/verify/scenarios.ts';
import { type Clock, systemClock } from '../../../src/sandbox/clock.ts';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { until } from '../../support/wait.ts';
import { Caller } from './caller.ts';
import { Page } from './page.ts';

const numbers = scenarioNumbers('+21355');
const to = '+213551234567';
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const voice = serverVoices()[0]!;
const silence = (ms: number) => Buffer.alloc(ms * 8, 0xd5);
const noise = (ms: number) => Buffer.alloc(ms * 8, 'an intro that is no digit');
const spoken = (code: string) =>
  Buffer.concat([...code].flatMap((digit) => [voice.digits.get(digit) as Buffer, silence(400)]));

/** What is due long after is kept, to be run when a test says so. */
const kept = new Map<number, () => void>();
const clock: Clock = {
  now: Date.now,
  after: (ms, action) => {
    kept.set(ms, action);
    return systemClock.after(ms, action);
  },
};

let sandbox: Sandbox;
let page: Page;
let callers: Caller[];

beforeAll(async () => {
  sandbox = await runSandbox({ clock, voices: [voice] });
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  callers = [];
  page = await Page.open(sandbox.httpUrl);
});
afterEach(async () => {
  for (const caller of callers) caller.close();
  for (const number of [to, ...Object.values(numbers)]) {
    sandbox.phones!.meet(number, false);
    while (sandbox.phones!.decide(number, 'decline') || sandbox.phones!.hangUp(number));
  }
  page.close();
});

const order = async (action: object) =>
  (await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(action) })).status;
const person = (number: string, present = true) => order({ action: 'voice_person', to: number, present });

async function ring(number = to): Promise<Caller> {
  const caller = await Caller.open(sandbox.phones!.port, number);
  callers.push(caller);
  caller.invite();
  const challenge = (await caller.answered(407)).headers.get('proxy-authenticate') ?? '';
  caller.ackRefusal(407);
  caller.invite({ headers: [caller.login(challenge, 'ramz-trunk', 'trunk-pw')] });
  return caller;
}

const stateOf = (number: string) => page.callsTo(number).at(-1)?.state;
const isOver = (number: string) =>
  until(() => stateOf(number) === 'over', { what: `the call to ${number} to be over` });
const story = (number: string) =>
  page.callsTo(number).map(({ state, person, end, keys }) => [state, person, end, keys].filter(Boolean).join(' '));

describe('a call of the scenario', () => {
  test('is shown while it rings, is answered, speaks, and ends', async () => {
    const caller = await ring();
    await caller.answered(200);
    caller.ack();
    await caller.speak(noise(400));
    await until(() => caller.keys() === '1', { what: 'the key' });
    await caller.speak(Buffer.concat([spoken('4072'), silence(1_500)]));
    const message = await page.last('message', ({ text }) => text === 'call: 4 0 7 2');
    await caller.speak(Buffer.concat([spoken('4072'), silence(1_500)]));
    await order({ action: 'voice_hang_up', to });
    await isOver(to);
    const calls = page.callsTo(to);
    const { id, wav } = calls.at(-1)!;
    expect(wav).toMatch(/^\/sandbox\/recordings\/\d+\.wav$/);
    expect((await fetch(sandbox.httpUrl + wav)).status).toBe(200);
    expect(message).toMatchObject({ channel: 'voice', call_id: id, digits: '4072', wav });
    const since = { ringing_since: calls[0]!.ringing_since };
    expect(calls[0]).toEqual({
      id,
      to,
      from: '+213210000000',
      state: 'ringing',
      person: false,
      ringing_since: time,
      answered_at: null,
      over_at: null,
      end: null,
      digits: '',
      keys: '',
      wav: null,
    });
    expect(calls.at(-1)).toMatchObject({
      ...since,
      answered_at: time,
      over_at: time,
      digits: '4072',
      keys: '1',
      end: 'hung_up',
    });
    // Each digit is shown as it is spoken, and none is taken back.
    const digits = [...new Set(calls.map(({ digits }) => digits))];
    expect(digits.at(-1)).toBe('4072');
    for (const shown of digits) expect('4072'.startsWith(shown)).toBe(true);
    expect(digits.length).toBeGreaterThan(2);
    // The rest of what was said is in the message, under its own id.
    const [first, last] = [page.of('message').find(({ call_id }) => call_id === id), page.of('message').at(-1)];
    expect(last).toMatchObject({ id: first.id, call_id: id, text: 'call: 4 0 7 2, 4 0 7 2' });
    const late = await Page.open(sandbox.httpUrl);
    expect(late.hello.calls.at(-1)).toEqual(calls.at(-1));
    expect(late.hello.messages.at(-1)).toEqual(last);
    late.close();
  });

  test.each([
    ['voice_busy', 'busy'],
    ['voice_rejected', 'declined'],
  ] as const)('%s ends as "%s"', async (name, end) => {
    await ring(numbers[name]);
    await isOver(numbers[name]);
    expect(story(numbers[name])).toEqual(['ringing', `over ${end}`]);
  });

  test('a caller that gives up, and one that hangs up', async () => {
    const caller = await ring(numbers.voice_no_answer);
    await caller.answered(180);
    caller.cancel();
    await isOver(numbers.voice_no_answer);
    expect(story(numbers.voice_no_answer)).toEqual(['ringing', 'over canceled']);
  });
});

describe('the person at the page', () => {
  test('lets it ring, takes the call, presses keys, and hangs up; the scenario does nothing of it', async () => {
    for (const number of [numbers.voice_busy, numbers.voice_rejected, numbers.voice_hangs_up, to]) {
      expect(await person(number)).toBe(204);
      const caller = await ring(number);
      await caller.answered(180);
      await until(() => stateOf(number) === 'ringing', { what: 'the call on the page' });
      expect(await order({ action: 'voice_press', to: number, key: '1' })).toBe(400);
      expect(caller.statuses().filter((status) => status >= 200)).toEqual([407]);
      expect(await order({ action: 'voice_answer', to: number })).toBe(204);
      await caller.answered(200);
      caller.ack();
      await caller.speak(noise(1_000));
      await until(() => caller.rtp.length > 5, { what: 'audio of the phone' });
      expect(caller.keys()).toBe('');
      // The scenario would have hung up after this time.
      expect(kept.has(400)).toBe(false);
      for (const key of '0*1') expect(await order({ action: 'voice_press', to: number, key })).toBe(204);
      expect(await order({ action: 'voice_answer', to: number })).toBe(400);
      expect(await order({ action: 'voice_decline', to: number })).toBe(400);
      expect(await order({ action: 'voice_hang_up', to: number })).toBe(204);
      await until(() => caller.requests('BYE').length > 0, { what: 'the BYE' });
      await isOver(number);
      const pressed = ['answered true 0', 'answered true 0*', 'answered true 0*1'];
      expect(story(number)).toEqual(['ringing true', 'answered true', ...pressed, 'over true hung_up 0*1']);
    }
  });

  test('does not want it', async () => {
    await person(to);
    const caller = await ring();
    await caller.answered(180);
    expect(await order({ action: 'voice_decline', to })).toBe(204);
    expect((await caller.answered(603)).headers.get('reason')).toContain('cause=21');
    await isOver(to);
    expect(story(to)).toEqual(['ringing true', 'over true declined']);
    expect(await order({ action: 'voice_decline', to })).toBe(400);
  });

  test('is not there in time: the network ends the ringing', async () => {
    await person(to);
    const caller = await ring();
    await caller.answered(180);
    kept.get(120_000)!();
    await caller.answered(480);
    expect(story(to)).toEqual(['ringing true', 'over true no_answer']);
  });

  test('comes to a phone that rings, and leaves one to the scenario', async () => {
    const silent = await ring(numbers.voice_no_answer);
    await silent.answered(180);
    expect(await order({ action: 'voice_answer', to: numbers.voice_no_answer })).toBe(204);
    await silent.answered(200);
    await person(to);
    const left = await ring();
    await left.answered(180);
    expect(await person(to, false)).toBe(204);
    await left.answered(200);
    await until(() => stateOf(to) === 'answered', { what: 'the page to see it' });
    expect(story(to)).toEqual(['ringing true', 'ringing', 'answered']);
    await person(numbers.voice_busy);
    const busy = await ring(numbers.voice_busy);
    await busy.answered(180);
    await person(numbers.voice_busy, false);
    await busy.answered(486);
  });

  test('changes mind within the same moment: the call ends once', async () => {
    await person(to);
    const caller = await ring();
    await caller.answered(180);
    const actions = ['voice_answer', 'voice_answer', 'voice_decline', 'voice_decline', 'voice_answer'];
    await Promise.all(actions.map((action) => order({ action, to })));
    await until(() => caller.statuses().at(-1)! >= 200 && stateOf(to) !== 'ringing', { what: 'a decision' });
    const finals = new Set(caller.statuses().filter((status) => status >= 200 && status !== 407));
    expect(finals.size).toBe(1);
    await order({ action: 'voice_hang_up', to });
    await isOver(to);
    expect(page.callsTo(to).filter(({ state }) => state === 'over')).toHaveLength(1);
    expect(sandbox.phones!.counts.up).toBe(0);
  });

  test('is told to every page, once for each change', async () => {
    await person(to);
    await person(to);
    await person(numbers.voice_busy);
    await person(to, false);
    await person(to, false);
    await page.last('people', (people) => !people.includes(to) && people.length > 0);
    sandbox.phones!.leave();
    await page.last('people', (people) => people.length === 0);
    const busy = numbers.voice_busy;
    expect(page.of('people')).toEqual([[to], [to, busy], [busy], []]);
  });

  test('is remembered by a page that is loaded again, and gone with the last page', async () => {
    await person(to);
    const again = await Page.open(sandbox.httpUrl);
    expect(again.hello.people).toEqual([to]);
    kept.clear();
    page.close();
    again.close();
    const alone = await until(() => kept.get(5_000), { what: 'the end of both pages to be seen' });
    page = await Page.open(sandbox.httpUrl);
    expect(page.hello.people).toEqual([to]);
    kept.delete(5_000);
    page.close();
    await until(() => kept.get(5_000), { what: 'the end of the page to be seen' });
    kept.get(5_000)!();
    expect(alone).toBeDefined();
    expect(sandbox.phones!.people).toEqual([]);
    page = await Page.open(sandbox.httpUrl);
    const caller = await ring();
    await caller.answered(200);
  });

  test('is at as many phones as one likes, without a bound on memory', async () => {
    for (let index = 0; index < 1_100; index += 1) sandbox.phones!.meet(`+21366${1_000_000 + index}`, true);
    expect(sandbox.phones!.people).toHaveLength(1_000);
    sandbox.phones!.leave();
    expect(sandbox.phones!.people).toEqual([]);
    expect(await person('not a number')).toBe(400);
  });
});
