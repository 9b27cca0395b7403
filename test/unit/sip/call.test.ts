// One call from the INVITE to its end, as text both ways (RFC 3261 sections 9, 13, 15 and 17).
import { describe, expect, it } from 'vitest';
import { header } from '../../../src/sip/headers.ts';
import { answerText, parsed, Rig, sdpOf } from './callee.ts';

describe('a call that is answered', () => {
  it('invites, acknowledges, says BYE and is forgotten 32 s later', () => {
    const rig = Rig.ringing();
    expect(rig.sent[0]?.text).toBe(
      [
        'INVITE sip:+213551234567@trunk.example SIP/2.0',
        'Via: SIP/2.0/UDP 192.0.2.1:5060;rport;branch=z9hG4bK000000000000000000000002',
        'Max-Forwards: 70',
        'From: "Ramz" <sip:+21321000000@192.0.2.1>;tag=0000000000000001',
        'To: <sip:+213551234567@trunk.example>',
        'Call-ID: msg_1@192.0.2.1',
        'CSeq: 1 INVITE',
        'Contact: <sip:ramz@192.0.2.1:5060>',
        'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY',
        'Supported: timer',
        'Session-Expires: 1800',
        'Content-Type: application/sdp',
        'Content-Length: 215',
        '',
        'v=0',
      ].join('\r\n') + rig.sent[0]?.message.body.slice(3),
    );
    rig.answer('INVITE', 100, 'Trying');
    rig.answer('INVITE', 180, 'Ringing');
    rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
    expect(rig.events).toEqual([
      { kind: 'provisional', status: 180 },
      { kind: 'answered', sdp: sdpOf() },
    ]);
    rig.run(20_000);
    rig.hangUp();
    expect(rig.sent.at(-1)?.text).toBe(
      [
        'BYE sip:callee@198.51.100.7 SIP/2.0',
        'Via: SIP/2.0/UDP 192.0.2.1:5060;rport;branch=z9hG4bK000000000000000000000004',
        'Max-Forwards: 70',
        'From: "Ramz" <sip:+21321000000@192.0.2.1>;tag=0000000000000001',
        'To: <sip:+213551234567@trunk.example>;tag=a',
        'Call-ID: msg_1@192.0.2.1',
        'CSeq: 2 BYE',
        'Contact: <sip:ramz@192.0.2.1:5060>',
        'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY',
        'Reason: Q.850;cause=16;text="Normal call clearing"',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    );
    expect(rig.ends).toEqual([]);
    rig.answer('BYE', 200, 'OK');
    expect(rig.end).toEqual({ how: 'completed' });
    expect(rig.log).toEqual(['INVITE', 'ACK', 'BYE']);
    expect([rig.call.over, rig.call.forgotten(51_999), rig.call.forgotten(52_000)]).toEqual([true, false, true]);
    rig.run(52_000);
    expect([rig.call.nextAt(), rig.log.length, rig.ends.length]).toEqual([null, 3, 1]);
  });
});

describe('an INVITE that is not answered', () => {
  it('is sent again over UDP at doubling distances, and given up after 32 s (timers A and B)', () => {
    const rig = Rig.ringing({ ringForMs: 60_000 });
    rig.run(100_000);
    expect(rig.times('INVITE')).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]);
    expect(rig.log).toEqual(new Array(7).fill('INVITE'));
    expect(new Set(rig.sent.map(({ text }) => text)).size).toBe(1);
    expect(rig.end).toEqual({ how: 'no_answer_at_all' });
    expect([rig.call.nextAt(), rig.call.forgotten(63_999), rig.call.forgotten(64_000)]).toEqual([null, true, true]);
  });

  it('is sent once over TCP', () => {
    const rig = Rig.ringing({ reliable: true });
    rig.run(100_000);
    expect(rig.times('INVITE')).toEqual([0]);
    expect(rig.end).toEqual({ how: 'no_answer_at_all' });
  });

  it('has rung for nobody to know, though the ring time was over first', () => {
    const rig = Rig.ringing({ ringForMs: 5_000 });
    rig.run(31_999);
    expect(rig.ends).toEqual([]);
    rig.run(32_000);
    expect(rig.end).toEqual({ how: 'no_answer_at_all' });
    expect(rig.log).not.toContain('CANCEL');
  });

  it('is canceled when it is heard of after all', () => {
    const rig = Rig.ringing({ ringForMs: 60_000 });
    rig.run(33_000);
    rig.answer('INVITE', 180, 'Ringing');
    expect(rig.log.at(-1)).toBe('CANCEL');
    rig.answer('CANCEL', 200, 'OK');
    rig.answer('INVITE', 487, 'Request Terminated');
    expect(rig.log.slice(-2)).toEqual(['CANCEL', 'ACK']);
    rig.run(200_000);
    expect([rig.ends.length, rig.call.nextAt(), rig.call.forgotten(rig.now)]).toEqual([1, null, true]);
  });

  it('is remembered until that CANCEL was answered or given up', () => {
    const rig = Rig.ringing();
    rig.run(63_000);
    rig.answer('INVITE', 180, 'Ringing');
    rig.run(90_000);
    expect([rig.call.forgotten(rig.now), rig.times('CANCEL').length]).toEqual([false, 9]);
    rig.run(100_000);
    expect([rig.call.forgotten(rig.now), rig.call.nextAt()]).toEqual([true, null]);
  });

  it.each([
    ['refused', 'transport'],
    ['lost', 'no_answer_at_all'],
  ] as const)('ends at once where the connection was %s', (how, expected) => {
    const rig = Rig.ringing();
    rig.call.transportFailed(rig.now, how);
    rig.collect();
    expect(rig.end).toEqual({ how: expected });
    rig.run(100_000);
    expect(rig.log).toEqual(['INVITE']);
  });

  it('may have arrived once it went out twice, whatever the network refuses then', () => {
    const rig = Rig.ringing();
    rig.run(600);
    rig.call.transportFailed(rig.now);
    rig.collect();
    expect(rig.end).toEqual({ how: 'no_answer_at_all' });
  });

  it('goes on ringing when the transport fails after an answer', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 100, 'Trying');
    rig.call.transportFailed(rig.now);
    rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
    rig.call.transportFailed(rig.now);
    rig.collect();
    expect(rig.ends).toEqual([]);
    rig.hangUp();
    rig.call.transportFailed(rig.now);
    rig.collect();
    expect(rig.end).toEqual({ how: 'completed' });
  });
});

describe('a call whose connection breaks after an answer', () => {
  it('stops ringing at once, and is over with the answer to the CANCEL', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.call.answerLost(rig.now);
    rig.collect();
    expect(rig.log).toEqual(['INVITE', 'CANCEL']);
    expect(rig.ends).toEqual([]);
    rig.answer('CANCEL', 200, 'OK');
    expect(rig.end).toMatchObject({ how: 'canceled' });
    rig.answer('INVITE', 487, 'Request Terminated');
    expect(rig.log).toEqual(['INVITE', 'CANCEL', 'ACK']);
    expect(rig.ends).toHaveLength(1);
  });

  it('keeps the reason for which it was stopped before, and goes on where it is up', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.run(28_000);
    rig.call.answerLost(rig.now);
    rig.answer('CANCEL', 200, 'OK');
    expect(rig.end).toMatchObject({ how: 'ring_time_up' });
    const up = Rig.ringing();
    up.answer('INVITE', 200, 'OK', { body: sdpOf() });
    up.call.answerLost(up.now);
    up.collect();
    expect(up.ends).toEqual([]);
  });
});

describe('provisional answers', () => {
  it('stop the repetition; 100 says nothing of a phone', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 100, 'Trying');
    rig.run(27_999);
    expect(rig.log).toEqual(['INVITE']);
    expect(rig.events).toEqual([]);
  });

  it('are reported when they change, and ignored after the final one', () => {
    const rig = Rig.ringing();
    for (const status of [180, 180, 183, 199])
      rig.answer('INVITE', status, 'Progress', { headers: ['Require: 100rel', 'RSeq: 1'] });
    rig.answer('INVITE', 486, 'Busy Here');
    rig.answer('INVITE', 180, 'Ringing');
    expect(rig.events.map((event) => ('status' in event ? event.status : event.kind))).toEqual([180, 183, 199, 486]);
    expect(rig.log).toEqual(['INVITE', 'ACK']);
  });
});

describe('a final answer that refuses', () => {
  it("is acknowledged in the INVITE's own transaction, with the tag it has", () => {
    const rig = Rig.ringing({ routes: ['<sip:edge.example;lr>'] });
    rig.answer('INVITE', 486, 'Busy Here', { tag: 'busy', headers: ['Reason: Q.850;cause=17;text="User busy"'] });
    expect(rig.end).toEqual({ how: 'refused', status: 486, q850: 17 });
    expect(rig.sent.at(-1)?.text).toBe(
      [
        'ACK sip:+213551234567@trunk.example SIP/2.0',
        'Via: SIP/2.0/UDP 192.0.2.1:5060;rport;branch=z9hG4bK000000000000000000000002',
        'Max-Forwards: 70',
        'Route: <sip:edge.example;lr>',
        'From: "Ramz" <sip:+21321000000@192.0.2.1>;tag=0000000000000001',
        'Call-ID: msg_1@192.0.2.1',
        'To: <sip:+213551234567@trunk.example>;tag=busy',
        'CSeq: 1 ACK',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it.each([
    [302, 'Moved', ['Contact: <sip:x@y>'], {}],
    [421, 'Extension Required', ['Require: 100rel'], {}],
    [401, 'Unauthorized', ['WWW-Authenticate: Digest realm="r", nonce="n"'], {}],
    [422, 'Session Interval Too Small', [], {}],
    [503, 'Service Unavailable', ['Retry-After: 120 (busy)'], { retryAfterSeconds: 120 }],
    [603, 'Decline', [], {}],
  ])('%d is reported as such, and nothing else is tried', (status, reason, headers, more) => {
    const rig = Rig.ringing();
    rig.answer('INVITE', status, reason, { headers });
    expect(rig.end).toEqual({ how: 'refused', status, ...more });
    expect(rig.log).toEqual(['INVITE', 'ACK']);
  });

  it('is acknowledged again when it comes again, and reported once', () => {
    const rig = Rig.ringing();
    for (const at of [0, 500, 1_500, 3_500]) {
      rig.run(at);
      rig.answer('INVITE', 486, 'Busy Here');
    }
    expect(rig.times('ACK')).toEqual([0, 500, 1_500, 3_500]);
    expect(new Set(rig.all('ACK').map((ack) => header(ack, 'via'))).size).toBe(1);
    expect(rig.ends.length).toBe(1);
    rig.run(32_000);
    rig.answer('INVITE', 486, 'Busy Here');
    expect(rig.times('ACK').length).toBe(4);
  });

  it.each([486, 200])('is acknowledged at most 8 times a second, however often %d comes', (status) => {
    const rig = Rig.ringing();
    for (let turn = 0; turn < 1_000; turn += 1) {
      rig.now = turn * 2;
      rig.answer('INVITE', status, 'Again', { body: status === 200 ? sdpOf() : '' });
    }
    expect(rig.times('ACK').length).toBe(17);
  });
});

describe('the wish to stop the ringing', () => {
  it("waits for a provisional answer, then cancels in the INVITE's name", () => {
    const rig = Rig.ringing({ routes: ['<sip:edge.example;lr>'] });
    rig.hangUp('SIP;cause=200;text="Call completed elsewhere"');
    rig.run(1_000);
    expect(rig.log).toEqual(['INVITE', 'INVITE']);
    rig.answer('INVITE', 100, 'Trying');
    expect(rig.sent.at(-1)?.text).toBe(
      [
        'CANCEL sip:+213551234567@trunk.example SIP/2.0',
        'Via: SIP/2.0/UDP 192.0.2.1:5060;rport;branch=z9hG4bK000000000000000000000002',
        'Max-Forwards: 70',
        'Route: <sip:edge.example;lr>',
        'From: "Ramz" <sip:+21321000000@192.0.2.1>;tag=0000000000000001',
        'To: <sip:+213551234567@trunk.example>',
        'Call-ID: msg_1@192.0.2.1',
        'CSeq: 1 CANCEL',
        'Reason: SIP;cause=200;text="Call completed elsewhere"',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    );
    rig.answer('CANCEL', 200, 'OK');
    rig.answer('INVITE', 180, 'Ringing');
    rig.answer('INVITE', 487, 'Request Terminated');
    expect(rig.end).toEqual({ how: 'canceled', status: 487 });
    rig.hangUp();
    expect(rig.log).toEqual(['INVITE', 'INVITE', 'CANCEL', 'ACK']);
  });

  it('comes from the ring time, too', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.run(28_000);
    expect(rig.times('CANCEL')).toEqual([28_000]);
    rig.answer('CANCEL', 200, 'OK');
    rig.answer('INVITE', 487, 'Request Terminated', { headers: ['Reason: Q.850;cause=102'] });
    expect(rig.end).toEqual({ how: 'ring_time_up', status: 487, q850: 102 });
  });

  it('repeats the CANCEL over UDP, and ends by itself after 32 s (timers E and F)', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.hangUp();
    rig.run(31_999);
    expect(rig.times('CANCEL')).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(rig.ends).toEqual([]);
    rig.run(32_000);
    expect(rig.end).toEqual({ how: 'canceled' });
  });

  it('is answered, but the INVITE is not: the call ends by itself', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.hangUp();
    rig.answer('CANCEL', 481, 'Call/Transaction Does Not Exist');
    rig.run(31_999);
    expect([rig.times('CANCEL'), rig.ends]).toEqual([[0], []]);
    rig.run(32_000);
    expect(rig.end).toEqual({ how: 'canceled' });
  });

  it('is crossed by the answer: ACK, then BYE', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.hangUp();
    rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
    expect(rig.log).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
    rig.answer('CANCEL', 200, 'OK');
    rig.answer('BYE', 200, 'OK');
    expect(rig.end).toEqual({ how: 'canceled', status: 200 });
    expect(rig.events.map(({ kind }) => kind)).toEqual(['provisional', 'ended']);
  });

  it('waits for a provisional answer, and the call is answered instead', () => {
    const rig = Rig.ringing();
    rig.hangUp();
    rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
    expect(rig.log).toEqual(['INVITE', 'ACK', 'BYE']);
    rig.answer('BYE', 200, 'OK');
    expect(rig.end).toEqual({ how: 'canceled', status: 200 });
  });

  it('is crossed by a refusal, which is the truth', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.hangUp();
    rig.answer('INVITE', 486, 'Busy Here');
    expect(rig.end).toEqual({ how: 'refused', status: 486 });
    rig.run(31_000);
    expect(rig.times('CANCEL')).toEqual([0]);
  });

  it('is given up, and the phone is answered late: ACK and BYE', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing');
    rig.hangUp();
    rig.run(40_000);
    expect(rig.end).toEqual({ how: 'canceled' });
    rig.answer('INVITE', 200, 'OK', { tag: 'late', body: sdpOf() });
    expect(rig.log.slice(-2)).toEqual(['ACK', 'BYE']);
    expect(header(rig.last('BYE'), 'to')).toContain('tag=late');
    rig.run(200_000);
    expect([rig.ends.length, rig.call.nextAt()]).toEqual([1, null]);
  });

  it('comes before the call was started: nothing is sent', () => {
    const rig = new Rig();
    rig.hangUp();
    rig.call.start(0);
    rig.collect();
    rig.run(100_000);
    expect([rig.end, rig.sent, rig.call.nextAt()]).toEqual([{ how: 'not_called' }, [], null]);
  });
});

describe('a forked INVITE', () => {
  it('is the call of the branch that answers first; every other gets ACK and its own BYE', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 180, 'Ringing', { tag: 'a' });
    rig.answer('INVITE', 180, 'Ringing', { tag: 'b' });
    const route = 'Record-Route: <sip:p1.example;lr>';
    rig.answer('INVITE', 200, 'OK', { tag: 'b', body: sdpOf() });
    rig.answer('INVITE', 200, 'OK', { tag: 'a', contact: 'sip:a@203.0.113.9', headers: [route], body: sdpOf() });
    expect(rig.log).toEqual(['INVITE', 'ACK', 'ACK', 'BYE']);
    for (const message of [rig.sent[2]!.message, rig.sent[3]!.message]) {
      expect(message.uri).toBe('sip:a@203.0.113.9');
      expect(header(message, 'route')).toBe('<sip:p1.example;lr>');
      expect(header(message, 'to')).toContain(';tag=a');
    }
    expect(header(rig.last('BYE'), 'cseq')).toBe('2 BYE');
    expect(header(rig.last('BYE'), 'reason')).toContain('Call completed elsewhere');
    rig.answer('BYE', 200, 'OK');
    expect(rig.ends).toEqual([]);
    rig.hangUp();
    expect(header(rig.last('BYE'), 'to')).toContain(';tag=b');
    rig.answer('BYE', 200, 'OK');
    expect([rig.end, rig.log.length]).toEqual([{ how: 'completed' }, 5]);
  });

  it('may answer again after the call is over, and each branch is left once', () => {
    const rig = Rig.up();
    const invite = rig.last('INVITE');
    rig.ask('BYE');
    rig.run(20_000);
    for (const tag of ['c', 'c', 'd']) rig.answerTo(invite, 200, 'OK', { tag, body: sdpOf() });
    expect(rig.log.slice(3)).toEqual(['ACK', 'BYE', 'ACK', 'ACK', 'BYE']);
    rig.run(50_000);
    expect(rig.call.forgotten(rig.now)).toBe(false);
    rig.run(52_000);
    expect([rig.call.forgotten(rig.now), rig.call.nextAt()]).toEqual([true, null]);
    const before = rig.sent.length;
    rig.answerTo(invite, 200, 'OK', { tag: 'e', body: sdpOf() });
    expect(rig.sent.length).toBe(before);
  });

  it('ends with the BYE of the call itself, whatever becomes of the others', () => {
    const rig = Rig.up();
    rig.answer('INVITE', 200, 'OK', { tag: 'b', body: sdpOf() });
    const left = rig.last('BYE');
    rig.run(20_000);
    rig.hangUp();
    rig.answerTo(left, 481, 'Gone');
    rig.run(51_999);
    expect(rig.ends).toEqual([]);
    rig.run(52_000);
    expect(rig.end).toEqual({ how: 'completed' });
  });

  it('gives up a branch that does not answer its BYE, and the call goes on', () => {
    const rig = Rig.up();
    rig.answer('INVITE', 200, 'OK', { tag: 'b', body: sdpOf() });
    rig.run(20_000);
    rig.hangUp();
    rig.run(40_000);
    expect(rig.ends).toEqual([]);
  });

  it('has an end: more branches than that are no network', () => {
    const rig = Rig.up();
    for (let branch = 0; branch < 100; branch += 1)
      rig.answer('INVITE', 200, 'OK', { tag: `t${branch}`, body: sdpOf() });
    expect(rig.all('BYE').length).toBe(15);
  });
});

describe('a call that is up', () => {
  it('acknowledges a repeated answer with the same ACK', () => {
    const rig = Rig.up();
    rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
    const [first, second] = rig.sent.slice(1).map(({ text }) => text);
    expect(second).toBe(first);
    expect(rig.events.length).toBe(2);
  });

  it('is not canceled by a provisional answer that comes late', () => {
    const rig = Rig.up();
    rig.answer('INVITE', 180, 'Ringing', { tag: 'b' });
    expect([rig.log, rig.events.length]).toEqual([['INVITE', 'ACK'], 2]);
  });

  it('repeats its BYE over UDP, and is completed all the same without an answer (timers E and F)', () => {
    const rig = Rig.up();
    rig.hangUp();
    rig.run(31_999);
    expect(rig.times('BYE')).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(rig.ends).toEqual([]);
    rig.run(32_000);
    expect(rig.end).toEqual({ how: 'completed' });
  });

  it('slows down to 4 s when the BYE has a provisional answer', () => {
    const rig = Rig.up();
    rig.hangUp();
    rig.answer('BYE', 100, 'Trying');
    rig.run(13_000);
    expect(rig.times('BYE')).toEqual([0, 4_000, 8_000, 12_000]);
  });

  it('sends its BYE once over TCP', () => {
    const rig = Rig.up({ reliable: true });
    rig.hangUp();
    rig.run(100_000);
    expect([rig.times('BYE'), rig.end]).toEqual([[0], { how: 'completed' }]);
  });

  it('is completed by any final answer to its BYE', () => {
    const rig = Rig.up();
    rig.hangUp();
    rig.answer('BYE', 481, 'Call/Transaction Does Not Exist');
    expect(rig.end).toEqual({ how: 'completed' });
  });

  it('is hung up by the callee, who says why', () => {
    const rig = Rig.up();
    const answer = rig.ask('BYE', { headers: ['Reason: SIP;cause=200, Q.850;cause=16'] });
    expect(answer.status).toBe(200);
    expect(rig.end).toEqual({ how: 'hung_up', q850: 16 });
    rig.hangUp();
    rig.run(100_000);
    expect(rig.log).toEqual(['INVITE', 'ACK', '200']);
  });

  it("crosses its BYE with the callee's", () => {
    const rig = Rig.up();
    rig.hangUp();
    expect(rig.ask('BYE').status).toBe(200);
    expect(rig.end).toEqual({ how: 'completed' });
    rig.run(100_000);
    expect([rig.times('BYE'), rig.ends.length]).toEqual([[0], 1]);
  });

  it('is hung up without any audio: ACK, BYE, 488', () => {
    const rig = Rig.up({}, { body: sdpOf({ port: 0 }) });
    expect(rig.log).toEqual(['INVITE', 'ACK', 'BYE']);
    expect(header(rig.last('BYE'), 'reason')).toBe('SIP;cause=488;text="Not Acceptable Here"');
    rig.answer('BYE', 200, 'OK');
    expect(rig.end).toEqual({ how: 'no_audio', status: 200 });
    expect(rig.events.map(({ kind }) => kind)).toEqual(['provisional', 'ended']);
  });

  it('takes the description of its provisional answer where the final one has none', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 183, 'Session Progress', { tag: 'a', body: sdpOf() });
    rig.answer('INVITE', 180, 'Ringing', { tag: 'a' });
    rig.answer('INVITE', 200, 'OK', { tag: 'a' });
    expect(rig.events.at(-1)).toEqual({ kind: 'answered', sdp: sdpOf() });
  });
});

it('keeps no long description of a branch that only rings', () => {
  const rig = Rig.ringing();
  rig.answer('INVITE', 183, 'Session Progress', { tag: 'a', body: `${sdpOf()}a=${'x'.repeat(5_000)}\r\n` });
  rig.answer('INVITE', 200, 'OK', { tag: 'a' });
  expect(rig.log).toEqual(['INVITE', 'ACK', 'BYE']);
});

it('ignores answers to other requests, and with another From tag', () => {
  const rig = Rig.ringing();
  const text = answerText(rig.last('INVITE'), 486, 'Busy Here');
  rig.hear(text.replace(/branch=\w+/, 'branch=z9hG4bKother'));
  rig.hear(text.replace(/(From: .*);tag=\w+/, '$1;tag=other'));
  rig.hear(text.replace('1 INVITE', '1 BYE'));
  rig.hear(text.replace('1 INVITE', '9 INVITE').replace(/branch=\w+/, 'branch='));
  rig.hear(answerText(rig.last('INVITE'), 200, 'OK', { body: sdpOf() }).replace('1 INVITE', '7 INVITE'));
  rig.call.take(parsed(text.replace(/CSeq.*/, 'CSeq: x')), 0);
  rig.collect();
  expect([rig.log, rig.events]).toEqual([['INVITE'], []]);
});
