// What became of a message at MAP, as a session of Ramz tells it: every outcome by its error, and the cascade moves on at once, waits or stops
// as that outcome demands.
import { expect } from 'vitest';
import { ss7Test as test } from './support/programs.ts';
import { byApp, cascade, isOver, ramzBefore, words } from './support/ramz.ts';
import { ss7World } from './support/world.ts';

const world = await ss7World({ map: { forward_timeout_seconds: 3, retries: 1 } });
const ramz = world && (await ramzBefore(world));

const number = (ending: string) => `+2135612345${ending}`;

/** Last two digits of a number → the receipt in the timeline. The cascade moves on at once. */
const movesOn = {
  '01': 'UNDELIV 060: absentSubscriberSM: no paging response',
  '02': 'UNDELIV 061: absentSubscriberSM: IMSI detached',
  '03': 'UNDELIV 320: sm-DeliveryFailure: memory capacity exceeded',
  '04': 'UNDELIV 131: callBarred: operator barring',
  '05': 'UNDELIV 001: unknownSubscriber',
  '06': 'UNDELIV 005: unidentifiedSubscriber',
  '07': 'UNDELIV 009: illegalSubscriber',
  '08': 'REJECTD 021: facilityNotSupported',
  // After a second try.
  '09': 'UNDELIV 034: systemFailure',
};

/** The phone may have the code: nothing else goes out before the leg is over. */
const waits = {
  '10': 'UNKNOWN 900: no answer in time',
  '13': 'UNKNOWN 901: the dialogue was broken off',
};

const stops = {
  '00': 'DELIVRD 000: the handset has acknowledged it',
  // Busy at the first try.
  '12': 'DELIVRD 000: the handset has acknowledged it',
};

const play = async (to: string, legs = cascade(10)) => {
  const { live } = ramz!.server;
  const { id } = await live.send(to, { cascade: legs });
  return await live.sessionWhen(id, 'the end', isOver);
};

test('what says that nothing arrived moves the cascade on at once', async () => {
  const played = Object.entries(movesOn).map(async ([ending, receipt]) => {
    const session = await play(number(ending));
    expect(words(session), ending).toEqual(['leg_started sms', `receipt_received sms ${receipt}`, ...byApp]);
    const [sms] = session.messages;
    expect(sms).toMatchObject({ operator: 'ss7', status: receipt.startsWith('REJECTD') ? 'rejected' : 'undelivered' });
    expect(sms?.cost, ending).toMatchObject({ amount: '0.00', final: true });
    expect(world!.events('shown', number(ending))).toEqual([]);
  });
  await Promise.all(played);
  expect(world!.events('forward', number('09'))).toHaveLength(2);
  expect(world!.events('routing', number('05'))).toHaveLength(1);
});

test('what may have arrived is waited for, until the leg is over, and is not sent again', async () => {
  const played = Object.entries(waits).map(async ([ending, receipt]) => {
    const session = await play(number(ending));
    const expected = ['leg_started sms', `receipt_received sms ${receipt}`, 'leg_timed_out sms', ...byApp];
    expect(words(session), ending).toEqual(expected);
    expect(session.messages[0]).toMatchObject({ operator: 'ss7', status: 'unknown' });
    expect(world!.events('forward', number(ending))).toHaveLength(1);
    expect(world!.events('shown', number(ending))).toHaveLength(1);
  });
  await Promise.all(played);
});

test('the acknowledgement of the handset stops the cascade, and the code that it shows is right', async () => {
  const played = Object.entries(stops).map(async ([ending, receipt]) => {
    const session = await play(number(ending));
    expect(words(session), ending).toEqual([
      'leg_started sms',
      `receipt_received sms ${receipt}`,
      'delivery_delivered',
    ]);
    const shown = world!.events('shown', number(ending));
    expect(shown).toHaveLength(1);
    const code = /\d{6}/.exec(shown[0]?.text ?? '')?.[0] ?? '';
    expect(await ramz!.server.live.check(session.id, code)).toMatchObject({ valid: true });
  });
  await Promise.all(played);
});

test('a phone that comes back: the timeline says so, and the message that went out again corrects the end', async () => {
  const to = number('11');
  const session = await play(to, [{ channel: 'sms', timeout_seconds: 10 }]);
  const absent = [
    'leg_started sms',
    'receipt_received sms UNDELIV 060: absentSubscriberSM: no paging response',
    'delivery_exhausted',
  ];
  const after = await ramz!.server.live.sessionWhen(
    session.id,
    'its delivery',
    ({ delivery }) => delivery === 'delivered',
  );
  expect(words(after)).toEqual([
    ...absent,
    'receipt_received sms ENROUTE 910: alertServiceCentre: the phone is back, the message goes out once more',
    `receipt_received sms ${stops['00']}`,
    'delivery_delivered',
  ]);
  expect(world!.events('report', to)).toHaveLength(1);
  expect(world!.events('shown', to)).toHaveLength(1);
});

test('Arabic and French arrive as they were written', async () => {
  for (const [ending, language, text] of [
    ['51', 'ar', /[\u0600-\u06ff]/],
    ['52', 'fr', /é|è|à/],
  ] as const) {
    const { live } = ramz!.server;
    const { id } = await live.send(number(ending), { language, cascade: cascade(10) });
    await live.sessionWhen(id, 'the end', isOver);
    expect(world!.events('shown', number(ending))[0]?.text).toMatch(text);
  }
});
