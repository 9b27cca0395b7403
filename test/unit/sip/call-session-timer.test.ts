// A call with a session timer (RFC 4028): who refreshes it, how, and what happens when nobody does.
import { describe, expect, it } from 'vitest';
import { header } from '../../../src/sip/headers.ts';
import { OFFER, Rig, sdpOf } from './callee.ts';

const s = (seconds: number) => seconds * 1_000;

/** A call whose answer agreed on a session timer. */
const up = (expires: string, allow = 'INVITE, ACK, BYE, CANCEL, UPDATE', more: Parameters<typeof Rig.up>[0] = {}) =>
  Rig.up(more, { headers: [`Session-Expires: ${expires}`, 'Require: timer', `Allow: ${allow}`] });

const lines = (rig: Rig, method: string) =>
  ['supported', 'session-expires', 'min-se', 'cseq'].map((name) => header(rig.last(method), name));

it('a call proposes a session timer of half an hour, or what it is set to, and never less than 90 s', () => {
  expect(lines(Rig.ringing(), 'INVITE')).toEqual(['timer', '1800', '', '1 INVITE']);
  expect(lines(Rig.ringing({ sessionExpiresSeconds: 600 }), 'INVITE')[1]).toBe('600');
  expect(lines(Rig.ringing({ sessionExpiresSeconds: 5 }), 'INVITE')[1]).toBe('90');
});

it('a call has no session timer where the answer has none', () => {
  const rig = Rig.up();
  expect(rig.call.nextAt()).toBe(null);
  rig.run(s(10_000));
  expect([rig.log, rig.call.nextAt()]).toEqual([['INVITE', 'ACK'], null]);
});

it('a call that is refused with 422 is made again with the interval of the 422', () => {
  const rig = Rig.ringing({ sessionExpiresSeconds: 100 });
  rig.answer('INVITE', 422, 'Session Interval Too Small', { headers: ['Min-SE: 3600'] });
  expect(rig.log).toEqual(['INVITE', 'ACK', 'INVITE']);
  expect(lines(rig, 'INVITE')).toEqual(['timer', '3600', '3600', '2 INVITE']);
  rig.answer('INVITE', 422, 'Session Interval Too Small', { headers: ['Min-SE: 3600'] });
  expect(rig.end).toEqual({ how: 'refused', status: 422 });
});

it('the interval is not raised without end', () => {
  const rig = Rig.ringing();
  for (let turn = 1; turn < 50 && rig.ends.length === 0; turn += 1)
    rig.answer('INVITE', 422, 'Session Interval Too Small', { headers: [`Min-SE: ${2_000 + turn}`] });
  expect(rig.times('INVITE').length).toBe(6);
});

it('a 422 makes no new call once the ringing is to stop', () => {
  const rig = Rig.ringing();
  rig.hangUp();
  rig.answer('INVITE', 422, 'Session Interval Too Small', { headers: ['Min-SE: 3600'] });
  expect([rig.log, rig.end]).toEqual([['INVITE', 'ACK'], { how: 'not_called' }]);
});

describe('as the one who refreshes', () => {
  it('sends UPDATE at half of the interval, again and again', () => {
    const rig = up('100;refresher=uac');
    rig.run(s(49));
    expect(rig.log).toEqual(['INVITE', 'ACK']);
    rig.run(s(50));
    expect(lines(rig, 'UPDATE')).toEqual(['timer', '100;refresher=uac', '', '2 UPDATE']);
    expect(rig.last('UPDATE').body).toBe('');
    const headers = ['Session-Expires: 100;refresher=uac'];
    rig.answer('UPDATE', 200, 'OK', { headers, contact: 'sip:moved@203.0.113.5' });
    rig.run(s(100));
    expect(rig.times('UPDATE')).toEqual([s(50), s(100)]);
    expect(rig.last('UPDATE').uri).toBe('sip:moved@203.0.113.5');
  });

  it('sends a re-INVITE with its description where the callee has no UPDATE', () => {
    const rig = up('100;refresher=uac', 'INVITE, ACK, BYE');
    rig.run(s(50));
    expect(lines(rig, 'INVITE')).toEqual(['timer', '100;refresher=uac', '', '2 INVITE']);
    expect(header(rig.last('INVITE'), 'to')).toContain(';tag=a');
    expect(rig.last('INVITE').body).toBe(OFFER);
    rig.answer('INVITE', 100, 'Trying');
    const moved = sdpOf({ port: 7_000, version: 2 });
    const headers = ['Session-Expires: 100;refresher=uac'];
    for (const _ of [1, 2]) rig.answer('INVITE', 200, 'OK', { headers, body: moved, contact: 'sip:new@203.0.113.5' });
    const [first, second] = rig.sent.slice(-2);
    expect([first?.text, header(first!.message, 'cseq'), first?.message.uri]).toEqual([
      second?.text,
      '2 ACK',
      'sip:new@203.0.113.5',
    ]);
    expect(rig.events.filter(({ kind }) => kind === 'media')).toEqual([{ kind: 'media', sdp: moved }]);
    rig.run(s(100));
    expect(rig.times('INVITE').filter((at) => at >= s(50))).toEqual([s(50), s(100)]);
  });

  it('still acknowledges the answer to the first INVITE after that', () => {
    const rig = up('100;refresher=uac', 'INVITE');
    const [first] = rig.all('INVITE');
    const headers = ['Session-Expires: 100;refresher=uac'];
    for (const at of [50, 100, 150]) {
      rig.run(s(at));
      rig.answer('INVITE', 200, 'OK', { headers, body: sdpOf() });
    }
    rig.answerTo(first!, 200, 'OK', { body: sdpOf() });
    expect(rig.sent.at(-1)?.text).toBe(rig.sent[1]?.text);
    expect(rig.log).not.toContain('BYE');
  });

  it('turns to re-INVITE when UPDATE is unknown after all', () => {
    const rig = up('100;refresher=uac');
    rig.run(s(50));
    rig.answer('UPDATE', 501, 'Not Implemented');
    rig.run(s(50.1));
    expect(rig.log).toEqual(['INVITE', 'ACK', 'UPDATE', 'INVITE']);
  });

  it('answers a challenge, and raises the interval', () => {
    const rig = up('100;refresher=uac', 'UPDATE', { credentials: { username: 'u', password: 'p' } });
    rig.run(s(50));
    rig.answer('UPDATE', 407, 'Proxy', { headers: ['Proxy-Authenticate: Digest realm="t", nonce="n"'] });
    expect(lines(rig, 'UPDATE')).toEqual(['timer', '100;refresher=uac', '', '3 UPDATE']);
    rig.answer('UPDATE', 422, 'Session Interval Too Small', { headers: ['Min-SE: 300'] });
    rig.run(s(51));
    expect(lines(rig, 'UPDATE')).toEqual(['timer', '300;refresher=uac', '300', '4 UPDATE']);
  });

  it('waits 2.1 to 4 s when both ask at once, and acknowledges the 491', () => {
    const rig = up('100;refresher=uac', 'INVITE');
    rig.run(s(50));
    expect(rig.ask('INVITE', { body: sdpOf({ version: 2, port: 9 }) }).status).toBe(491);
    expect(rig.ask('UPDATE', { body: sdpOf({ version: 2, port: 9 }) }).status).toBe(491);
    rig.answer('INVITE', 491, 'Request Pending');
    expect(rig.log.at(-1)).toBe('ACK');
    const refresh = rig.last('INVITE');
    rig.answerTo(refresh, 491, 'Request Pending');
    expect(rig.log.slice(-2)).toEqual(['ACK', 'ACK']);
    rig.run(s(60));
    const [, , again] = rig.times('INVITE');
    expect(again).toBeGreaterThanOrEqual(s(52.1));
    expect(again).toBeLessThanOrEqual(s(54));
    const before = rig.all('ACK').length;
    rig.answerTo(refresh, 491, 'Request Pending'); // timer D of its own transaction
    expect(rig.all('ACK').length).toBe(before + 1);
  });

  it('does not ask while its own answer to a re-INVITE waits for the ACK', () => {
    const rig = up('1;refresher=uac');
    rig.ask('INVITE', { body: sdpOf(), number: 200, headers: ['Supported: timer'] });
    rig.run(s(5.5));
    expect(rig.log).not.toContain('UPDATE');
    rig.hear(rig.requestText('ACK', { number: 200 }));
    rig.run(s(6.1));
    expect(rig.log).toContain('UPDATE');
  });

  it('tries a refused refresh again, and says BYE before the session expires', () => {
    const rig = up('120;refresher=uac');
    for (const at of [60, 70, 80]) {
      rig.run(s(at));
      rig.answer('UPDATE', 500, 'Server Internal Error');
    }
    expect(rig.times('UPDATE')).toEqual([s(60), s(70), s(80)]);
    rig.run(s(88));
    expect(rig.times('BYE')).toEqual([s(88)]);
    rig.answer('BYE', 200, 'OK');
    expect(rig.end).toEqual({ how: 'timer' });
  });

  it.each([408, 481])('says BYE when a refresh is answered %d: the dialog is gone', (status) => {
    const rig = up('100;refresher=uac');
    rig.run(s(50));
    rig.answer('UPDATE', status, 'Gone');
    expect(header(rig.last('BYE'), 'reason')).toContain('cause=102');
    rig.run(s(90));
    expect(rig.end).toEqual({ how: 'timer' });
  });

  it('says BYE when a refresh is not answered at all', () => {
    const rig = up('1000;refresher=uac');
    rig.run(s(600));
    expect(rig.times('BYE')[0]).toBe(s(532));
    expect(rig.end).toEqual({ how: 'timer' });
  });

  it('drops a refresh that its BYE overtakes', () => {
    const rig = up('100;refresher=uac');
    rig.run(s(50));
    rig.hangUp();
    rig.run(s(60));
    expect(rig.times('UPDATE')).toEqual([s(50)]);
  });

  it('acknowledges the refusal of a re-INVITE that its BYE overtook', () => {
    const rig = up('100;refresher=uac', 'INVITE');
    rig.run(s(50));
    rig.hangUp();
    rig.answer('INVITE', 487, 'Request Terminated');
    expect(rig.log.slice(-2)).toEqual(['BYE', 'ACK']);
    expect(header(rig.last('ACK'), 'cseq')).toBe('2 ACK');
  });

  it('refreshes no more than every 5 s whatever was agreed', () => {
    const rig = up('1;refresher=uac');
    for (let turn = 0; turn < 10; turn += 1) {
      rig.run(rig.now + 5_000);
      rig.answer('UPDATE', 200, 'OK', { headers: ['Session-Expires: 1;refresher=uac'] });
    }
    expect(rig.times('UPDATE').length).toBe(10);
  });
});

describe('as the one who waits for the refresh', () => {
  it.each([
    [120, 88],
    [90, 60],
    [4_294_967_295, 86_368],
  ])('says BYE shortly before %d s are over', (expires, at) => {
    const rig = up(`${expires};refresher=uas`);
    rig.run(s(at) - 1);
    expect(rig.log).toEqual(['INVITE', 'ACK']);
    rig.run(s(at));
    expect(rig.log).toEqual(['INVITE', 'ACK', 'BYE']);
    rig.answer('BYE', 481, 'Gone');
    expect(rig.end).toEqual({ how: 'timer' });
  });

  it.each(['UPDATE', 'INVITE'])('goes on after %s of theirs', (method) => {
    const rig = up('120;refresher=uas');
    rig.run(s(60));
    const headers = ['Supported: timer', 'Session-Expires: 120;refresher=uac'];
    const answer = rig.ask(method, { headers, number: 200, body: method === 'INVITE' ? sdpOf() : '' });
    expect([header(answer, 'session-expires'), header(answer, 'require')]).toEqual(['120;refresher=uac', 'timer']);
    rig.hear(rig.requestText('ACK', { number: 200 }));
    rig.run(s(147));
    expect(rig.log).not.toContain('BYE');
    rig.run(s(148));
    expect(rig.log).toContain('BYE');
  });

  it('becomes the one who refreshes when they ask for that', () => {
    const rig = up('120;refresher=uas');
    const answer = rig.ask('UPDATE', { headers: ['Supported: timer', 'Session-Expires: 100;refresher=uas'] });
    expect([header(answer, 'session-expires'), header(answer, 'require')]).toEqual(['100;refresher=uas', '']);
    rig.run(s(50));
    expect(lines(rig, 'UPDATE')[1]).toBe('100;refresher=uac');
  });

  it('keeps the timer in a request that does not speak of it, if it knows timers', () => {
    const rig = up('120;refresher=uas');
    rig.run(s(60));
    expect(header(rig.ask('UPDATE', { headers: ['Supported: timer'] }), 'session-expires')).toBe('120;refresher=uac');
    rig.run(s(147));
    expect(rig.log).not.toContain('BYE');
    expect(header(rig.ask('UPDATE'), 'session-expires')).toBe('');
    rig.run(s(10_000));
    expect(rig.log).not.toContain('BYE');
  });

  it('refuses an interval under 90 s', () => {
    const rig = up('120;refresher=uas');
    const answer = rig.ask('UPDATE', { headers: ['Supported: timer', 'Session-Expires: 30'] });
    expect([answer.status, header(answer, 'min-se')]).toEqual([422, '90']);
    rig.run(s(88));
    expect(rig.log).toContain('BYE');
  });
});
