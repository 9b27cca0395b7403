// The lines about what arrives: what each event says, and which say nothing new.
import { expect, test } from 'vitest';
import { ArrivalLines, type Paint } from '../../../src/launch/arrival-lines.ts';

const plain: Paint = (_, text) => text;
const marked: Paint = (style, text) => (style === 'dim' ? text : `<${style}>${text}</${style}>`);

/** The hour depends on where the test runs: a line is compared behind its time. */
const behindTime = (line: string | null) => line?.replace(/^\d\d:\d\d:\d\d {2}/, '');
const said = (lines: ArrivalLines, event: string, data: unknown) => behindTime(lines.of(event, data));

const at = '2026-11-22T12:34:27.862Z';
const to = '+213551234567';

test('the time is that of the clock on the wall', () => {
  const line = new ArrivalLines(plain).of('message', { id: '1', channel: 'sms', to, text: 'x', received_at: at });
  const wall = new Date(at);
  expect(line?.slice(0, 8).split(':').map(Number)).toEqual([wall.getHours(), wall.getMinutes(), 27]);
});

test('a message: its code, else its text on one line', () => {
  const lines = new ArrivalLines(marked);
  let id = 0;
  const message = (text: string, more: object = {}) =>
    said(lines, 'message', {
      id: String(++id).padStart(9, '0'),
      channel: 'whatsapp',
      to,
      text,
      received_at: at,
      ...more,
    });
  expect(message('Your code is 841967.')).toBe(`whatsapp  ${to}  code <bold>841967</bold>`);
  expect(message('call: 4 0 7 2', { channel: 'voice', digits: '4072' })).toBe(
    `voice     ${to}  code <bold>4072</bold>`,
  );
  expect(message('nothing\nto type in')).toBe(`whatsapp  ${to}  nothing to type in`);
  expect(message(`${'long '.repeat(20)}`)?.slice(-6)).toBe(' long…');
  expect(message('call: no digits', { channel: 'voice', digits: '' })).toBe(`voice     ${to}  call: no digits`);
});

test('a message that comes again, as more of its call was heard, is no other message', () => {
  const lines = new ArrivalLines(plain);
  const message = (id: string) => said(lines, 'message', { id, channel: 'voice', to, text: 'x', received_at: at });
  lines.of('hello', { messages: [{ id: '000000008' }, { id: '000000009' }] });
  expect([message('000000009'), message('000000010'), message('000000010')].map(Boolean)).toEqual([false, true, false]);
  lines.of('hello', { messages: [] });
  expect(message('000000001')).toBeDefined();
});

test('a webhook: its type, its signature, what it was answered with', () => {
  const lines = new ArrivalLines(marked);
  const webhook = {
    event: { type: 'receipt.updated', data: { to, status: 'UNDELIV' } },
    received_at: at,
    verified: true,
    answered: 204,
  };
  expect(said(lines, 'webhook', webhook)).toBe(
    `webhook   ${to}  receipt.updated UNDELIV, signature verified, answered 204`,
  );
  const event = { type: 'session.verified', data: { session: { to, status: 'verified' } } };
  expect(said(lines, 'webhook', { ...webhook, event })).toContain(`${to}  session.verified, signature verified`);
  expect(said(lines, 'webhook', { ...webhook, event: null, verified: false, answered: 401 })).toBe(
    'webhook                  no event, <red>signature wrong</red>, answered 401',
  );
});

test('what anybody may have posted moves no cursor, begins no line and is not endless', () => {
  const lines = new ArrivalLines(plain);
  const webhook = { received_at: at, verified: false, answered: 401 };
  const event = {
    type: '\u001b]52;c;aGk=\u0007',
    data: { to: `${to}\n12:34:27  sms       +1  code 1`, status: '\u001b[2J' },
  };
  const line = said(lines, 'webhook', { ...webhook, event });
  expect(line).toBe(`webhook   ${to} 12:34:27 sms +1 code 1  \\u001b]52;c;aGk=\\u0007, signature wrong, answered 401`);
  const endless = said(lines, 'webhook', { ...webhook, event: { type: 'x'.repeat(100_000) } });
  expect(endless?.length).toBeLessThan(200);
  const text = 'all \u001b[8m\u202egone';
  expect(said(lines, 'message', { id: '1', channel: 'whatsapp', to, text, received_at: at })).toBe(
    `whatsapp  ${to}  all \\u001b[8m\\u202egone`,
  );
});

test('a call: each of its turns once', () => {
  const lines = new ArrivalLines(plain);
  const call = {
    id: '1',
    to,
    state: 'ringing',
    person: false,
    ringing_since: at,
    answered_at: null,
    over_at: null,
    end: null,
  };
  const up = { ...call, state: 'answered', answered_at: at };
  const over = { ...up, state: 'over', over_at: at, end: 'hung_up' };
  const heard = [call, up, { ...up, digits: '4' }, { ...up, keys: '1' }, over, { ...over, wav: 'x' }];
  expect(heard.map((each) => said(lines, 'call', each))).toEqual([
    `call      ${to}  rings`,
    `call      ${to}  answered`,
    undefined,
    undefined,
    `call      ${to}  over (hung_up)`,
    undefined,
  ]);
  const waits = said(lines, 'call', { ...call, id: '2', person: true });
  expect(waits).toBe(`call      ${to}  rings: answer it on the page`);
});

test('moods: what has changed since the stream began', () => {
  const lines = new ArrivalLines(plain);
  const moods = (atlas: string, trunk: string) => [
    { of: 'atlas', mood: atlas },
    { of: 'trunk', mood: trunk },
  ];
  expect(said(lines, 'hello', { moods: moods('slow', 'well') })).toBeUndefined();
  expect(said(lines, 'moods', moods('slow', 'down'))).toMatch(/^mood +trunk is down$/);
  expect(said(lines, 'moods', moods('well', 'silent'))).toMatch(/^mood +atlas is well again, trunk is silent$/);
  expect(said(lines, 'moods', moods('well', 'silent'))).toBeUndefined();
});

test('what else the sandbox says is not for the terminal', () => {
  const lines = new ArrivalLines(plain);
  expect([lines.of('cleared', { what: 'messages' }), lines.of('service', null)]).toEqual([null, null]);
});
