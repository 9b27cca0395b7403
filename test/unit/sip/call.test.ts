// One call from the INVITE to its end, as text both ways (RFC 3261 sections 9, 13, 15 and 17).
import { describe, expect, it } from 'vitest';
import { Rig, sdpOf } from './callee.ts';

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
