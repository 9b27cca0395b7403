// Spans, countdowns and raw texts of the session's pane, and which webhooks it takes for its own.

import { expect, it } from 'vitest';
import { carrierTime, clockTime, countdown, pretty, span, visible } from '../../../web/session/format.ts';
import { eventOf, numberOf, type ReceivedWebhook, webhooksOf } from '../../../web/session/types.ts';

it('a span has the unit that its reader needs, in each language', () => {
  expect([0, 80.4, 999, 4_230, 15_000, 119_000, 125_000].map((ms) => span(ms, 'en'))).toEqual([
    '0 ms',
    '80 ms',
    '999 ms',
    '4.2 s',
    '15 s',
    '119 s',
    '2 min 5 s',
  ]);
  expect(span(4_230, 'fr')).toBe('4,2 s');
  expect(span(15_000, 'ar')).toBe('15 ث');
});

it('a countdown ends at zero', () => {
  expect([61_000, 9_400, 1, 0, -5_000].map(countdown)).toEqual(['1:01', '0:10', '0:01', '0:00', '0:00']);
});

it('a time is shown to the millisecond; one that is missing is a dash', () => {
  expect(clockTime('2026-03-01T10:15:33.412Z')).toMatch(/^\d\d:\d\d:33\.412$/);
  expect([clockTime(undefined), clockTime('soon')]).toEqual(['–', '–']);
});

it('a carrier’s time is as exact as the carrier gave it', () => {
  expect(carrierTime('2026-03-01T10:15:00Z')).toEqual({
    text: expect.stringMatching(/^\d\d:15$/),
    isToTheSecond: false,
  });
  expect(carrierTime('2026-03-01T10:15:33Z').text).toMatch(/^\d\d:15:33$/);
  expect(carrierTime('2026-03-01T10:15:33.412Z').text).toMatch(/:33\.412$/);
  expect(carrierTime(undefined)).toEqual({ text: '–', isToTheSecond: false });
});

it('a raw text keeps what it had, control characters as pictures of themselves', () => {
  expect(visible('v\u0005rifi\u0000\n\té')).toBe('v␅rifi␀\n\té');
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty('id:1 stat:\u0001')).toBe('id:1 stat:␁');
});

const webhook = (id: string, event: unknown, second = 0): ReceivedWebhook => ({
  id,
  endpoint: 'default',
  headers: {},
  body: '',
  event,
  received_at: `2026-03-01T10:15:0${second}Z`,
  verified: true,
  answered: 204,
});

it('the number of a webhook is that of its receipt, message or session', () => {
  const numbers = [{ to: '+213' }, { session: { to: '+213' } }, { session: null }, {}, null].map((data) =>
    numberOf(webhook('1', { data })),
  );
  expect(numbers).toEqual(['+213', '+213', '', '', '']);
});

it('what is no text or number is not drawn: a page that tries ends', () => {
  const odd = { toString: 1, valueOf: 1 };
  const event = { type: odd, session_sequence: odd, data: { session_id: odd, to: odd, session: { to: odd } } };
  expect(Object.values(eventOf(webhook('1', event))).every((each) => each === undefined)).toBe(true);
  expect(numberOf(webhook('1', event))).toBe('');
});

it('the webhooks of a session are found in whatever was posted, newest first', () => {
  const own = { data: { session_id: 'vrf_1' } };
  const others = [null, 'text', 7, [], {}, { data: null }, { data: { session_id: 'vrf_2' } }];
  const list = [
    webhook('1', own, 1),
    ...others.map((event, index) => webhook(`x${index}`, event, 2)),
    webhook('2', own, 3),
    webhook('3', own, 3),
  ];
  expect(webhooksOf(list, 'vrf_1').map(({ id }) => id)).toEqual(['3', '2', '1']);
});
