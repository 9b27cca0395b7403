// The description in a body of several parts, as gateways to the telephone network write it.
import { describe, expect, it } from 'vitest';
import { descriptionOf } from '../../../src/sip/body.ts';
import { header } from '../../../src/sip/headers.ts';
import { Rig, sdpOf } from './callee.ts';

const type = 'multipart/mixed;boundary=unique-boundary-1';
const isup = 'Content-Type: application/ISUP; version=itu-t92+\r\nContent-Disposition: signal; handling=optional';
const sdpType = 'Content-Type: application/sdp';

/** As RFC 3204 section 6 shows it. */
const parts = (...each: readonly (readonly [head: string, body: string])[]): string =>
  [
    ...each.map(([head, body]) => `--unique-boundary-1\r\n${head}\r\n\r\n${body}\r\n`),
    '--unique-boundary-1--\r\n',
  ].join('');
const beside = parts([sdpType, sdpOf()], [isup, '\x06\x01\x0a\x0d\x0a\x0d\x0a']);

const read = (contentType: string, body: string): string =>
  descriptionOf({ headers: new Map([['content-type', [contentType]]]), body });

describe('a body', () => {
  it.each([
    ['alone', 'application/sdp', sdpOf(), sdpOf()],
    ['without a type', '', sdpOf(), sdpOf()],
    ['of another type', 'text/plain', sdpOf(), sdpOf()],
    ['that is not there, but ISUP', 'application/ISUP; version=itu-t92+', '\x06\x01\x0a\x0d\x0a', ''],
    ['that is not there, but the charge', 'application/vnd.etsi.aoc+xml', '<?xml version="1.0"?>\nv=0\n', ''],
    ['before another part', type, beside, sdpOf()],
    ['behind another part', type, parts([isup, '\r\n\r\n'], [sdpType, sdpOf()]), sdpOf()],
    ['with a quoted boundary', 'Multipart/Mixed; boundary="unique-boundary-1"', beside, sdpOf()],
    ['with text before it', type, `a preamble\r\n${beside}`, sdpOf()],
    ['with a compact header and a parameter', type, parts(['c: Application/SDP;charset=utf-8', 'v=0\r\n']), 'v=0\r\n'],
    ['with lines of LF alone', type, beside.replaceAll('\r', ''), sdpOf().replaceAll('\r', '')],
    ['that is not there', type, parts([isup, '\x06'], ['', 'v=0'], ['Content-Type: application/sdpx', 'v=0']), ''],
    ['without a boundary', 'multipart/mixed', beside, ''],
    ['of a boundary that does not come', 'multipart/mixed;boundary=other', beside, ''],
    ['cut off in its head', type, `--unique-boundary-1\r\n${sdpType}`, ''],
  ])('has a description %s', (_, contentType, body, description) => {
    expect(read(contentType, body)).toBe(description);
  });
});

describe('a call of a gateway that sends ISUP, too', () => {
  it('is answered', () => {
    expect(Rig.up({}, { type, body: beside }).events.at(-1)).toEqual({ kind: 'answered', sdp: sdpOf() });
  });

  it('has its description where it rang, when the answer has ISUP alone', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 183, 'Session Progress', { tag: 'a', type, body: beside });
    rig.answer('INVITE', 200, 'OK', { tag: 'a', type, body: parts([isup, '\x06']) });
    expect(rig.events.at(-1)).toEqual({ kind: 'answered', sdp: sdpOf() });
  });

  it('has its description where it rang, when the answer is ISUP itself', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 183, 'Session Progress', { tag: 'a', body: sdpOf() });
    rig.answer('INVITE', 200, 'OK', { tag: 'a', type: 'application/ISUP', body: '\x06' });
    expect(rig.events.at(-1)).toEqual({ kind: 'answered', sdp: sdpOf() });
  });

  it('keeps its description while it rings with ISUP alone', () => {
    const rig = Rig.ringing();
    rig.answer('INVITE', 183, 'Session Progress', { tag: 'a', body: sdpOf() });
    rig.answer('INVITE', 180, 'Ringing', { tag: 'a', type: 'application/ISUP', body: '\x06' });
    rig.answer('INVITE', 200, 'OK', { tag: 'a' });
    expect(rig.events.at(-1)).toEqual({ kind: 'answered', sdp: sdpOf() });
  });

  it('moves its audio', () => {
    const rig = Rig.up();
    const moved = sdpOf({ port: 6_000, version: 2 });
    const answer = rig.ask('INVITE', { type, body: parts([isup, '\x06'], [sdpType, moved]) });
    expect([answer.status, header(answer, 'content-type')]).toEqual([200, 'application/sdp']);
    expect(rig.events.at(-1)).toEqual({ kind: 'media', sdp: moved });
    expect(rig.ask('UPDATE', { type, body: parts([isup, '\x06']) }).status).toBe(415);
  });
});
