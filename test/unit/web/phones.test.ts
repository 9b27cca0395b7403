// What stands on which phone, and the codes in it.
import { describe, expect, it, vi } from 'vitest';
import { scenarioNames as ofTheNetwork } from '../../../src/core/verify/scenarios.ts';
import type { InboxMessage, PhoneCall } from '../../../web/phones/door/events.ts';
import { codeIn, pieces, templateText } from '../../../web/phones/phones/codes.ts';
import { freeNumber, matches, operatorOf, shownNumber, typedNumber } from '../../../web/phones/phones/numbers.ts';
import { clockOf, phonesOf, placed } from '../../../web/phones/phones/phones.ts';
import { shownTime } from '../../../web/phones/phones/time.ts';
import { legsOf, scenarioNames, secondsOf, stories } from '../../../web/phones/send/stories.ts';
import { titleOf } from '../../../web/phones/unread.ts';

const time = (second: number) => `2026-11-22T19:00:${String(second).padStart(2, '0')}.000Z`;

const message = (to: string, second: number, more: Partial<InboxMessage> = {}): InboxMessage => ({
  id: `${to} ${second}`,
  channel: 'sms',
  from: 'Ramz',
  to,
  text: '',
  operator: null,
  received_at: time(second),
  ...more,
});

const call = (to: string, second: number, more: Partial<PhoneCall> = {}): PhoneCall => ({
  id: `call ${second}`,
  to,
  from: '+21321000000',
  state: 'over',
  person: false,
  ringing_since: time(second),
  answered_at: time(second + 1),
  over_at: time(second + 15),
  end: 'hung_up',
  digits: '841967',
  keys: '1',
  wav: '/sandbox/recordings/1.wav',
  ...more,
});

describe('phones', () => {
  it('stand by what reached them last, each with its messages by app', () => {
    const messages = [message('+1', 1), message('+2', 2), message('+1', 3, { channel: 'whatsapp' })];
    const phones = phonesOf({ messages, calls: [] }, []);
    expect(phones.map(({ number, latest }) => [number, latest])).toEqual([
      ['+1', 'whatsapp'],
      ['+2', 'sms'],
    ]);
    expect(phones[0]).toMatchObject({ sms: [messages[0]], whatsapp: [messages[2]] });
  });

  it('are there as soon as a code was sent to them, and open no app by that', () => {
    const sent = [{ to: '+3', at: Date.parse(time(9)) }];
    const [first, second] = phonesOf({ messages: [message('+1', 1)], calls: [] }, sent);
    expect(first).toMatchObject({ number: '+3', latest: null });
    expect(second).toMatchObject({ number: '+1', latest: 'sms' });
  });

  it('have the app of an arrival in front although a code was sent to them later', () => {
    const sent = [{ to: '+1', at: Date.parse(time(9)) }];
    expect(phonesOf({ messages: [message('+1', 1)], calls: [] }, sent)[0]).toMatchObject({ latest: 'sms' });
  });

  it('show a call once: while it is up on the screen, then as an entry with its length and digits', () => {
    const heard = message('+1', 8, { channel: 'voice', call_id: 'call 4', digits: '841967' });
    const up = call('+1', 4, { state: 'answered', over_at: null });
    expect(phonesOf({ messages: [heard], calls: [up] }, [])[0]).toMatchObject({ call: up, calls: [] });
    const [over] = phonesOf({ messages: [heard], calls: [call('+1', 4)] }, []);
    expect(over).toMatchObject({ call: null, calls: [{ seconds: 14, digits: '841967', keys: '1' }] });
    expect(over?.calls).toHaveLength(1);
  });

  it('know a call that they have only heard of, and one that was not answered', () => {
    const heard = message('+1', 8, { channel: 'voice', call_id: 'older', digits: '123456', wav: 'x/1.wav' });
    expect(phonesOf({ messages: [heard], calls: [] }, [])[0]?.calls).toMatchObject([
      { digits: '123456', wav: 'x/1.wav' },
    ]);
    const missed = call('+1', 4, { answered_at: null, end: 'declined', wav: null, digits: '' });
    expect(phonesOf({ messages: [], calls: [missed] }, [])[0]?.calls).toMatchObject([
      { seconds: null, end: 'declined' },
    ]);
  });

  it('write lengths as clocks do', () => {
    expect([0, 14, 75.9].map(clockOf)).toEqual(['0:00', '0:14', '1:15']);
  });
});

it('clocks begin the day at 00:00, also in browsers that take `hour12: false` for a day from 1 to 24', () => {
  const toLocaleTimeString = Date.prototype.toLocaleTimeString;
  const older = vi.spyOn(Date.prototype, 'toLocaleTimeString');
  older.mockImplementation(function (this: Date, locales, { hour12, ...options } = {}) {
    return toLocaleTimeString.call(this, locales, hour12 === false ? { ...options, hourCycle: 'h24' } : options);
  });
  const afterMidnight = new Date(2026, 10, 22, 0, 5).getTime();
  const shown = (['en', 'fr', 'ar'] as const).map((language) => shownTime(afterMidnight, language));
  older.mockRestore();
  expect(shown).toEqual(['00:05', '00:05', '00:05']);
});

describe('codes in texts', () => {
  it.each([
    ['Your Ramz verification code: 473095. Do not share it with anyone.', '473095'],
    ['رمز Ramz للتحقق: \u200e472678\u200e. لا تشاركه مع أحد.', '472678'],
    ['Votre code de vérification Ramz : 0042. Ne le communiquez à personne.', '0042'],
    ['Code 123456\n@shop.example #123456', '123456'],
    ['heard 841967', '841967'],
    ['Call +213550000001 or pay 1500.50', null],
    ['Valid for 10 minutes.', null],
  ])('%s', (text, code) => {
    expect(codeIn(text)).toBe(code);
  });

  it('leave the rest of the text as it is, without the marks around the code', () => {
    const text = 'رمزك: \u200e1234\u200e.';
    expect(pieces(text).map(({ text }) => text)).toEqual(['رمزك: ', '1234', '.']);
  });

  it('WhatsApp: body, footer, and a button that differs', () => {
    expect(templateText('123456 is your code.\nValid for 10 minutes.')).toEqual({
      body: '123456 is your code.',
      footer: 'Valid for 10 minutes.',
      odd: '',
    });
    expect(templateText('123456 is your code.\n[Copy code: 999999]').odd).toBe('[Copy code: 999999]');
  });
});

describe('numbers', () => {
  const operators = [
    { id: 'atlas', prefixes: ['+21355'] },
    { id: 'sahara', prefixes: ['+21366', '+213551'] },
  ];

  it('are grouped as they are read', () => {
    expect(shownNumber('+213550000001')).toBe('+213 550 00 00 01');
    expect(shownNumber('+21321000000')).toBe('+213 21 00 00 00');
    expect(shownNumber('+33612345678')).toBe('+33 612 345 678');
  });

  it('belong to the operator with the longest prefix', () => {
    expect(operatorOf('+213550000001', operators)).toBe('atlas');
    expect(operatorOf('+213551000001', operators)).toBe('sahara');
    expect(operatorOf('+33612345678', operators)).toBeNull();
  });

  it('that are free have the length of a number, and were not used', () => {
    const [first] = operators;
    const one = freeNumber(first!, new Set());
    const two = freeNumber(first!, new Set([one]));
    expect(one).toMatch(/^\+21355[1-9]\d{6}$/);
    expect(two).toMatch(/^\+21355[1-9]\d{6}$/);
    expect(two).not.toBe(one);
  });

  it('are understood as people type them', () => {
    expect(['0550 00 00 01', '00213 550-000-001', '+213 (550) 000 001'].map(typedNumber)).toEqual(
      Array(3).fill('+213550000001'),
    );
    expect(['0550', '550 00', '', '+213 55'].map((filter) => matches('+213550000001', filter))).toEqual(
      Array(4).fill(true),
    );
    expect(matches('+213550000001', '0661')).toBe(false);
  });
});

describe('pictures of the scenarios', () => {
  it('are there for each scenario of the network', () => {
    expect([...scenarioNames].sort()).toEqual([...ofTheNetwork].sort());
  });

  it('wait seconds where the network is silent, and nowhere else', () => {
    expect(secondsOf('app_unreachable')).toEqual([4, 0, 0]);
    expect(secondsOf('sms_rejected')).toEqual([0, 0]);
    for (const name of scenarioNames) {
      const channels = new Set(stories[name].map(({ channel }) => channel));
      const legs = legsOf(name).map(({ channel }) => channel);
      expect(legs.slice(0, channels.size), name).toEqual([...channels]);
    }
  });
});

it('the title counts what was not looked at', () => {
  expect(titleOf('Ramz phones', 3)).toBe('(3) Ramz phones');
  expect(titleOf('(3) Ramz phones', 0)).toBe('Ramz phones');
  expect(titleOf('(99+) Ramz phones', 100)).toBe('(99+) Ramz phones');
});

describe('placed', () => {
  const phones = (numbers: string) => [...numbers].map((number) => ({ number }));
  const order = (newest: string, held: string, most = 24) =>
    placed(phones(newest), [...held], most)
      .map(({ number }) => number)
      .join('');

  it('is newest first where nothing is held', () => {
    expect(order('cab', '')).toBe('cab');
    expect(order('cab', '', 2)).toBe('ca');
  });

  it('leaves those that are held where they are, with what comes before them', () => {
    expect(order('cab', 'abc')).toBe('abc');
    expect(order('ecdab', 'abc')).toBe('edabc');
    expect(order('cb', 'abc')).toBe('bc');
  });

  it('shows one that was over the most and is newest now, in place of the last one', () => {
    expect(order('cab', 'ab', 2)).toBe('ca');
    expect(order('abc', 'ab', 2)).toBe('ab');
    expect(order('cab', 'ba', 2)).toBe('ca');
  });
});
