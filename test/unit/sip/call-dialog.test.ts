// What the callee's side asks of a call that is up (RFC 3261 sections 12 and 14, RFC 3311, RFC 3264), and the way that our requests go.
import { describe, expect, it } from 'vitest';
import { header } from '../../../src/sip/headers.ts';
import { parseMessage } from '../../../src/sip/message.ts';
import { cpuMs } from '../../support/cpu.ts';
import { Rig, sdpOf } from './callee.ts';

const moved = sdpOf({ port: 6_000, address: '203.0.113.5', version: 2 });
const directionOf = (sdp: string): string => /^a=(sendrecv|sendonly|recvonly|inactive)\r$/m.exec(sdp)?.[1] ?? '';

describe('the route of a dialog', () => {
  it('is the Record-Route in reverse, with the target as request URI where the first hop is a loose router', () => {
    const headers = [
      'Record-Route: <sip:p2.example;lr>, <sip:p1.example:5070;lr;ftag=x>',
      'Record-Route: <sip:p0.example;lr>',
    ];
    const rig = Rig.up({ routes: ['<sip:edge.example;lr>'] }, { headers });
    rig.hangUp();
    for (const message of [rig.last('ACK'), rig.last('BYE')]) {
      expect(message.uri).toBe('sip:callee@198.51.100.7');
      expect(message.headers.get('route')).toEqual([
        '<sip:p0.example;lr>',
        '<sip:p1.example:5070;lr;ftag=x>',
        '<sip:p2.example;lr>',
      ]);
    }
  });

  it('begins with a strict router: its URI is the request URI, and the target the last Route', () => {
    const headers = [
      'Record-Route: <sip:p1.example;lr>',
      'Record-Route: <sip:strict.example;method=INVITE;transport=udp?x=y>',
    ];
    const rig = Rig.up({}, { headers });
    expect(rig.last('ACK').uri).toBe('sip:strict.example;transport=udp');
    expect(rig.last('ACK').headers.get('route')).toEqual(['<sip:p1.example;lr>', '<sip:callee@198.51.100.7>']);
  });

  it('is the URI that was called where the answer has no Contact', () => {
    const rig = Rig.up({}, { contact: null });
    expect(rig.last('ACK').uri).toBe('sip:+213551234567@trunk.example');
  });

  it.each(['INVITE', 'UPDATE'])('has another target after %s, and the same route', (method) => {
    const rig = Rig.up({}, { headers: ['Record-Route: <sip:p1.example;lr>'] });
    expect(rig.ask(method, { contact: 'sip:moved@203.0.113.5', body: sdpOf() }).status).toBe(200);
    rig.hangUp();
    expect(rig.last('BYE').uri).toBe('sip:moved@203.0.113.5');
    expect(rig.last('BYE').headers.get('route')).toEqual(['<sip:p1.example;lr>']);
  });
});

describe('a request of the callee', () => {
  it.each([
    ['OPTIONS', 200],
    ['NOTIFY', 200],
    ['REFER', 603],
    ['MESSAGE', 405],
    ['SUBSCRIBE', 405],
    ['PRACK', 405],
    ['FROBNICATE', 405],
    ['UPDATE', 200],
    ['INFO', 200],
    ['CANCEL', 481],
  ])('%s is answered %d, and the call goes on', (method, status) => {
    const rig = Rig.up();
    const answer = rig.ask(method);
    expect(answer.status).toBe(status);
    expect(header(answer, 'allow')).toBe('INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY');
    expect([rig.ends, rig.events.length]).toEqual([[], 2]);
  });

  it('gets its Via, From, To, Call-ID and CSeq back', () => {
    const rig = Rig.up();
    const text = rig
      .requestText('OPTIONS')
      .replace('Max-Forwards', 'Via: SIP/2.0/UDP a.example;branch=z9hG4bKa\r\nMax-Forwards');
    rig.hear(text);
    const asked = parseMessage(Buffer.from(text))!;
    for (const name of ['via', 'from', 'to', 'call-id', 'cseq'])
      expect(rig.last('200').headers.get(name)).toEqual(asked.headers.get(name));
  });

  it('gets the same answer again when it comes again, and does nothing twice', () => {
    const rig = Rig.up();
    const text = rig.requestText('INFO', { body: 'Signal=5\r\nDuration=160\r\n', type: 'application/dtmf-relay' });
    for (let turn = 0; turn < 3; turn += 1) rig.hear(text);
    expect(new Set(rig.sent.slice(2).map((sent) => sent.text)).size).toBe(1);
    expect(rig.log.slice(2)).toEqual(['200', '200', '200']);
    expect(rig.events.filter(({ kind }) => kind === 'key')).toEqual([{ kind: 'key', digit: '5' }]);
  });

  it('is answered again after the call is over', () => {
    const rig = Rig.up();
    const bye = rig.requestText('BYE');
    rig.hear(bye);
    rig.run(31_000);
    rig.hear(bye);
    expect(rig.log.slice(2)).toEqual(['200', '200']);
    expect(rig.ask('BYE').status).toBe(200);
    expect(rig.ask('OPTIONS').status).toBe(481);
    expect(rig.ends.length).toBe(1);
  });

  it('is answered from a bounded memory', () => {
    const rig = Rig.up();
    const first = rig.requestText('OPTIONS');
    rig.hear(first);
    for (let turn = 0; turn < 100; turn += 1) rig.ask('OPTIONS');
    rig.hear(first);
    expect(rig.sent.at(-1)?.message.status).toBe(500); // forgotten, so its number goes back
  });

  it('whose number goes back is answered 500', () => {
    const rig = Rig.up();
    expect(rig.ask('OPTIONS', { number: 7 }).status).toBe(200);
    expect(rig.ask('BYE', { number: 6 }).status).toBe(500);
    expect(rig.ends).toEqual([]);
    expect(rig.ask('BYE', { number: 8 }).status).toBe(200);
  });

  it.each([
    ['another From tag', { tag: 'stranger' }],
    ['no From tag', { tag: null }],
    ['another To tag', { to: '<sip:+21321000000@192.0.2.1>;tag=0' }],
    ['no To tag', { to: '<sip:+21321000000@192.0.2.1>' }],
  ])('with %s is answered 481', (_, words) => {
    const rig = Rig.up();
    const answer = rig.ask('BYE', words);
    expect(answer.status).toBe(481);
    expect(header(answer, 'to')).toContain(';tag=');
    expect(rig.ends).toEqual([]);
  });

  it('that demands an extension is answered 420', () => {
    const rig = Rig.up();
    const answer = rig.ask('INVITE', { body: moved, headers: ['Require: timer, 100rel'] });
    expect([answer.status, header(answer, 'unsupported')]).toEqual([420, '100rel']);
    expect(rig.events.length).toBe(2);
  });

  it.each([
    ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n', '5'],
    ['application/dtmf-relay', 'signal= *\n', '*'],
    ['application/dtmf-relay', 'Signal=11', '#'],
    ['application/dtmf', '1', '1'],
    ['Application/DTMF-Relay; charset=utf-8', 'Signal=d', 'D'],
  ])('INFO with %s %j is a key', (type, body, digit) => {
    const rig = Rig.up();
    expect(rig.ask('INFO', { type, body }).status).toBe(200);
    expect(rig.events.at(-1)).toEqual({ kind: 'key', digit });
  });

  it.each([
    ['application/dtmf-relay', 'Signal=55'],
    ['application/dtmf-relay', 'Duration=5'],
    ['text/plain', '5'],
  ])('INFO with %s %j is answered 415', (type, body) => {
    const rig = Rig.up();
    expect(rig.ask('INFO', { type, body }).status).toBe(415);
    expect(rig.events.length).toBe(2);
  });

  it('INFO with nothing but empty lines is read in no time', () => {
    const rig = Rig.up();
    const body = '\n'.repeat(60_000);
    expect(cpuMs(() => void rig.ask('INFO', { type: 'application/dtmf-relay', body }))).toBeLessThan(1_000);
  });

  it('comes while it rings: nothing can be changed yet', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 183, 'Session Progress', { tag: 'a' });
    expect(rig.ask('OPTIONS').status).toBe(200);
    expect(rig.ask('UPDATE', { body: moved }).status).toBe(491);
    expect(rig.ask('UPDATE').status).toBe(200);
    expect(rig.ask('INFO', { body: 'Signal=5', type: 'application/dtmf-relay' }).status).toBe(200);
    expect(rig.ask('BYE').status).toBe(200);
    expect(rig.ask('BYE', { tag: 'b' }).status).toBe(481);
    expect(rig.events).toEqual([{ kind: 'provisional', status: 183 }]);
  });

  it('is known from so many branches that ring, and no more', () => {
    const rig = Rig.ringing();
    for (let turn = 0; turn < 100; turn += 1) rig.answer('INVITE', 180, 'Ringing', { tag: `t${turn}` });
    expect([rig.ask('OPTIONS', { tag: 't15' }).status, rig.ask('OPTIONS', { tag: 't16' }).status]).toEqual([200, 481]);
  });

  it('of a branch that was left is answered 481, its BYE 200', () => {
    const rig = Rig.up();
    rig.answer('INVITE', 200, 'OK', { tag: 'b', body: sdpOf() });
    expect(rig.ask('INVITE', { tag: 'b', body: moved }).status).toBe(481);
    expect(rig.ask('BYE', { tag: 'b' }).status).toBe(200);
    expect(rig.ends).toEqual([]);
    rig.run(100_000);
    expect(rig.times('BYE')).toEqual([0]);
  });

  it('comes after our BYE: the dialog is gone', () => {
    const rig = Rig.up();
    rig.hangUp();
    expect(rig.ask('INVITE', { body: moved }).status).toBe(481);
    rig.answer('BYE', 200, 'OK');
    expect(rig.events.map(({ kind }) => kind)).toEqual(['provisional', 'answered', 'ended']);
  });
});

describe('a description of theirs', () => {
  it.each(['INVITE', 'UPDATE'])('by %s says where audio goes from now on', (method) => {
    const rig = Rig.up();
    const answer = rig.ask(method, { body: moved });
    expect([answer.status, header(answer, 'content-type')]).toEqual([200, 'application/sdp']);
    expect(header(answer, 'contact')).toBe('<sip:ramz@192.0.2.1:5060>');
    expect(rig.events.at(-1)).toEqual({ kind: 'media', sdp: moved });
    expect(answer.body).toContain('o=- 77 2 IN IP4 192.0.2.1\r\n');
    expect(answer.body).toContain('m=audio 40000 RTP/AVP 8 101\r\n');
  });

  it('that says nothing new is answered alike, and is no event', () => {
    const rig = Rig.up();
    const first = rig.ask('UPDATE', { body: moved });
    const again = rig.ask('UPDATE', { body: moved });
    expect(again.body).toBe(first.body);
    expect(rig.events.filter(({ kind }) => kind === 'media').length).toBe(1);
  });

  it.each([
    ['sendonly', 'recvonly'],
    ['recvonly', 'sendonly'],
    ['inactive', 'inactive'],
    ['sendrecv', 'sendrecv'],
  ])('%s is answered %s', (direction, ours) => {
    const rig = Rig.up();
    const held = rig.ask('INVITE', { body: sdpOf({ direction, version: 2 }) });
    expect(directionOf(held.body)).toBe(ours);
    const back = rig.ask('INVITE', { body: sdpOf({ version: 3 }) });
    expect(directionOf(back.body)).toBe('sendrecv');
    const versions = [held, back].map(({ body }) => Number(/^o=- 77 (\d+)/m.exec(body)?.[1]));
    expect(versions).toEqual(ours === 'sendrecv' ? [2, 2] : [2, 3]);
  });

  it.each(['INVITE', 'UPDATE'])('without audio by %s is answered 488, and all stays as it was', (method) => {
    const rig = Rig.up();
    expect(rig.ask(method, { body: sdpOf({ port: 0 }), contact: 'sip:moved@203.0.113.5' }).status).toBe(488);
    rig.hangUp();
    expect(rig.last('BYE').uri).toBe('sip:callee@198.51.100.7');
    expect(rig.events.length).toBe(2);
  });

  it('of another type is answered 415', () => {
    const rig = Rig.up();
    const answer = rig.ask('INVITE', { body: 'x', type: 'application/isup' });
    expect([answer.status, header(answer, 'accept')]).toEqual([415, 'application/sdp']);
  });

  it('is our offer where their re-INVITE has none, and comes in the ACK', () => {
    const rig = Rig.up();
    const answer = rig.ask('INVITE', { number: 200 });
    expect(answer.body).toContain('m=audio 40000 RTP/AVP 8 0 101');
    expect(rig.ask('INVITE', { number: 201, body: moved }).status).toBe(491); // both would be on their way
    expect(rig.ask('UPDATE', { number: 202, body: moved }).status).toBe(491);
    rig.hear(rig.requestText('ACK', { number: 201 }));
    rig.hear(rig.requestText('ACK', { number: 200, body: moved }));
    expect(rig.events.at(-1)).toEqual({ kind: 'media', sdp: moved });
    expect(rig.ask('UPDATE', { number: 203, body: sdpOf() }).status).toBe(200);
  });
});

describe('the answer to a re-INVITE', () => {
  it.each([true, false])('is repeated until its ACK comes, over TCP (%s), too', (reliable) => {
    const rig = Rig.up({ reliable });
    rig.ask('INVITE', { number: 200, body: moved });
    rig.run(2_000);
    expect(rig.times('200')).toEqual([0, 500, 1_500]);
    rig.hear(rig.requestText('ACK', { number: 200 }));
    rig.run(20_000);
    expect(rig.times('200').length).toBe(3);
    expect(rig.log.at(-1)).toBe('200');
  });

  it('is repeated no more once our BYE is out', () => {
    const rig = Rig.up();
    rig.ask('INVITE', { body: moved });
    rig.hangUp();
    rig.run(20_000);
    expect(rig.times('200')).toEqual([0]);
  });

  it('is never acknowledged: the dialog is gone (64 * T1)', () => {
    const rig = Rig.up();
    rig.ask('INVITE', { body: moved });
    rig.run(32_000);
    expect(rig.times('200')).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(header(rig.last('BYE'), 'reason')).toContain('cause=102');
    rig.answer('BYE', 481, 'Gone');
    expect(rig.end).toEqual({ how: 'timer' });
  });

  it.each([
    [true, [0]],
    [false, [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]],
  ])(
    'that refuses it is repeated over UDP alone (timers G and H), and costs nothing: reliable %s',
    (reliable, times) => {
      const rig = Rig.up({ reliable });
      rig.ask('INVITE', { body: sdpOf({ port: 0 }) });
      rig.run(100_000);
      expect(rig.times('488')).toEqual(times);
      expect([rig.ends, rig.call.nextAt()]).toEqual([[], null]);
    },
  );

  it('is repeated for few at a time: a flood is not answered by another', () => {
    const rig = Rig.up();
    for (let turn = 0; turn < 50; turn += 1) rig.ask('INVITE', { body: sdpOf({ port: 0 }) });
    rig.run(500);
    expect(rig.times('488').filter((at) => at === 500).length).toBe(8);
  });

  it('is not changed by a CANCEL that comes late', () => {
    const rig = Rig.up();
    const text = rig.requestText('INVITE', { body: moved, number: 200 });
    rig.hear(text);
    rig.hear(text.replace('INVITE sip:', 'CANCEL sip:').replace('200 INVITE', '200 CANCEL'));
    expect(rig.log.slice(2)).toEqual(['200', '200']);
    expect(rig.events.at(-1)).toEqual({ kind: 'media', sdp: moved });
  });
});
