// Session descriptions: what we offer, and where answers of all kinds send our audio.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAnswer, writeAnswer, writeOffer } from '../../../src/sip/sdp.ts';

const sdp = (...lines: string[]): string =>
  ['v=0', 'o=- 1 1 IN IP4 192.0.2.9', 's=-', 't=0 0', ...lines, ''].join('\r\n');
const C = 'c=IN IP4 192.0.2.9';
const target = {
  address: '192.0.2.9',
  port: 4000,
  codec: 'PCMA',
  payloadType: 8,
  eventType: null,
  held: false,
  mute: false,
};

test('the offer, line by line', () => {
  expect(writeOffer({ address: '192.0.2.1', port: 40_000, sessionId: '123', version: 2 }).split('\r\n')).toEqual([
    'v=0',
    'o=- 123 2 IN IP4 192.0.2.1',
    's=-',
    'c=IN IP4 192.0.2.1',
    't=0 0',
    'm=audio 40000 RTP/AVP 8 0 101',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
    'a=sendrecv',
    '',
  ]);
});

test('the offer with another address, direction and number of key presses', () => {
  const options = { address: '2001:db8::1', port: 2, sessionId: '1', version: 1 };
  const offer = writeOffer({ ...options, direction: 'sendonly', eventType: 96 });
  expect(offer).toContain('c=IN IP6 2001:db8::1\r\n');
  expect(offer).toContain('m=audio 2 RTP/AVP 8 0 96\r\n');
  expect(offer).toContain('a=rtpmap:96 telephone-event/8000\r\n');
  expect(offer).toContain('a=sendonly\r\n');
  expect(parseAnswer(offer)).toEqual({
    kind: 'ok',
    answer: { address: '2001:db8::1', port: 2, codec: 'PCMA', payloadType: 8, eventType: 96, held: true, mute: false },
  });
});

describe('answers', () => {
  test.each([
    ['a number without rtpmap', [C, 'm=audio 4000 RTP/AVP 8'], {}],
    ['the other law', [C, 'm=audio 4000 RTP/AVP 0 8'], { codec: 'PCMU', payloadType: 0 }],
    ['other codecs first', [C, 'm=audio 4000 RTP/AVP 18 9 8 0'], {}],
    [
      'their own numbers',
      [C, 'm=audio 4000 RTP/AVP 96 100', 'a=rtpmap:100 Telephone-Event/8000', 'a=rtpmap:96 pcma/8000/1'],
      { payloadType: 96, eventType: 100 },
    ],
    [
      'a number of ours with a new meaning',
      [C, 'm=audio 4000 RTP/AVP 0 101', 'a=rtpmap:0 PCMA/8000', 'a=rtpmap:101 iLBC/8000'],
      { payloadType: 0 },
    ],
    ['key presses that are not in the list', [C, 'm=audio 4000 RTP/AVP 8', 'a=rtpmap:101 telephone-event/8000'], {}],
    ['key presses at another rate', [C, 'm=audio 4000 RTP/AVP 8 101', 'a=rtpmap:101 telephone-event/16000'], {}],
    ['an address for this line', [C, 'm=audio 4000 RTP/AVP 8', 'c=IN IP4 192.0.2.7'], { address: '192.0.2.7' }],
    ['an address of IPv6', ['c=IN IP6 2001:db8::2', 'm=audio 4000 RTP/AVP 8'], { address: '2001:db8::2' }],
    [
      'an address for this line alone',
      ['m=audio 4000 RTP/AVP 8', C, 'm=video 5000 RTP/AVP 31', 'c=IN IP4 192.0.2.7'],
      {},
    ],
    ['two ports', [C, 'm=audio 4000/2 RTP/AVP 8'], {}],
    ['feedback', [C, 'm=audio 4000 RTP/AVPF 8'], {}],
    ['video before', [C, 'm=video 5000 RTP/AVP 31', 'a=rtpmap:31 PCMA/8000', 'm=audio 4000 RTP/AVP 8'], {}],
    ['a line that is refused, and one that is not', [C, 'm=audio 0 RTP/AVP 0', 'm=audio 4000 RTP/AVP 8'], {}],
    ['hold of this line', [C, 'm=audio 4000 RTP/AVP 8', 'a=sendonly'], { held: true }],
    ['hold of the session', [C, 'a=inactive', 'm=audio 4000 RTP/AVP 8'], { held: true, mute: true }],
    ['hold of another line', [C, 'm=audio 4000 RTP/AVP 8', 'm=video 0 RTP/AVP 31', 'a=inactive'], {}],
    ['hold of the session, not of this line', [C, 'a=sendonly', 'm=audio 4000 RTP/AVP 8', 'a=sendrecv'], {}],
    ['listening alone', [C, 'm=audio 4000 RTP/AVP 8', 'a=recvonly'], { mute: true }],
    ['hold by no address', ['c=IN IP4 0.0.0.0', 'm=audio 4000 RTP/AVP 8'], { held: true, address: '0.0.0.0' }],
    ['hold by no address of IPv6', ['c=IN IP6 ::', 'm=audio 4000 RTP/AVP 8'], { held: true, address: '::' }],
  ])('%s', (_, lines, changed) => {
    expect(parseAnswer(sdp(...lines))).toEqual({ kind: 'ok', answer: { ...target, ...changed } });
  });

  test.each([
    ['nothing', '', 'unreadable'],
    ['something else', '<audio/>', 'unreadable'],
    ['another version', 'v=1\r\n', 'unreadable'],
    ['no audio', sdp(C, 'm=video 4000 RTP/AVP 8'), 'no_line'],
    ['a refusal', sdp(C, 'm=audio 0 RTP/AVP 8'), 'refused'],
    ['SRTP', sdp(C, 'm=audio 4000 RTP/SAVP 8'), 'secured'],
    ['T.38', sdp(C, 'm=audio 4000 udptl t38'), 'secured'],
    ['other codecs', sdp(C, 'm=audio 4000 RTP/AVP 18 9'), 'no_codec'],
    ['stereo', sdp(C, 'm=audio 4000 RTP/AVP 96', 'a=rtpmap:96 PCMA/8000/2'), 'no_codec'],
    ['a number beyond all', sdp(C, 'm=audio 4000 RTP/AVP 128', 'a=rtpmap:128 PCMA/8000'), 'no_codec'],
    ['no number of a codec', sdp(C, 'm=audio 4000 RTP/AVP 8x 128 -8'), 'no_codec'],
    ['key presses alone', sdp(C, 'm=audio 4000 RTP/AVP 101', 'a=rtpmap:101 telephone-event/8000'), 'no_codec'],
    ['no address', sdp('m=audio 4000 RTP/AVP 8'), 'no_address'],
    ['an address that is a name', sdp('c=IN IP4 host.example', 'm=audio 4000 RTP/AVP 8'), 'no_address'],
    ['a group', sdp('c=IN IP4 224.2.1.1/127', 'm=audio 4000 RTP/AVP 8'), 'no_address'],
    ['everyone', sdp('c=IN IP4 255.255.255.255', 'm=audio 4000 RTP/AVP 8'), 'no_address'],
    ['a group of IPv6', sdp('c=IN IP6 ff02::1', 'm=audio 4000 RTP/AVP 8'), 'no_address'],
    ['another network', sdp('c=ATM NSAP 47', 'm=audio 4000 RTP/AVP 8'), 'no_address'],
    ['no port', sdp(C, 'm=audio x RTP/AVP 8'), 'unreadable'],
    ['a port beyond all', sdp(C, 'm=audio 65536 RTP/AVP 8'), 'unreadable'],
    ['half a line', sdp(C, 'm=audio'), 'unreadable'],
  ])('%s is no audio', (_, text, reason) => {
    expect(parseAnswer(text)).toEqual({ kind: 'no_audio', reason });
  });

  test('lines may end with LF, and no other line matters', () => {
    expect(parseAnswer(`v=0\nb=AS:64\nm=audio 4000 RTP/AVP 8\nx\n=\nc=IN IP4 192.0.2.9\na=\na=rtpmap:x y\n\n`)).toEqual(
      {
        kind: 'ok',
        answer: target,
      },
    );
  });
});

describe('our answer to an offer of theirs', () => {
  const ours = { address: '192.0.2.1', port: 40_000, sessionId: '9', version: 2 };
  const linesOf = (offer: string) => writeAnswer(offer, ours)?.split('\r\n').slice(5);

  test('has their lines in their order, and their numbers', () => {
    const offer = sdp(
      C,
      'm=video 5000 RTP/AVP 31 32',
      'm=audio 4000 RTP/AVP 18 96 97',
      'a=rtpmap:96 PCMU/8000',
      'a=rtpmap:97 telephone-event/8000',
      'm=audio 4002 RTP/AVP 8',
    );
    expect(linesOf(offer)).toEqual([
      'm=video 0 RTP/AVP 31 32',
      'm=audio 40000 RTP/AVP 96 97',
      'a=rtpmap:96 PCMU/8000',
      'a=rtpmap:97 telephone-event/8000',
      'a=fmtp:97 0-15',
      'a=ptime:20',
      'a=sendrecv',
      'm=audio 0 RTP/AVP 8',
      '',
    ]);
  });

  test('names their profile', () => {
    expect(linesOf(sdp(C, 'm=audio 4000 RTP/AVPF 8'))?.[0]).toBe('m=audio 40000 RTP/AVPF 8');
  });

  test.each([
    ['sendonly', 'recvonly'],
    ['recvonly', 'sendonly'],
    ['inactive', 'inactive'],
    ['sendrecv', 'sendrecv'],
  ])('to %s is %s', (theirs, answer) => {
    expect(linesOf(sdp(C, `a=${theirs}`, 'm=audio 4000 RTP/AVP 8'))).toContain(`a=${answer}`);
  });

  test.each(['', sdp(C), sdp(C, 'm=audio 4000 RTP/SAVP 8'), sdp(C, 'm=audio 0 RTP/AVP 8')])(
    'to %j is none',
    (offer) => {
      expect(writeAnswer(offer, ours)).toBeNull();
    },
  );
});

test('any text is read, and an answer to it can be read', () => {
  const line = fc.oneof(
    fc.constantFrom(C, 'c=IN IP6 ::1', 'm=audio 4000 RTP/AVP 8 0 96', 'm=video 1 RTP/AVP 31', 'a=rtpmap:96 PCMA/8000'),
    fc.constantFrom('a=sendonly', 'a=inactive', 'm=audio 0 RTP/AVP 8', 'a=rtpmap:96 telephone-event/8000', 'c=', 'm='),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = sdp(...lines);
      const answer = parseAnswer(text);
      const written = writeAnswer(text, { address: '192.0.2.1', port: 4, sessionId: '1', version: 1 });
      expect(written === null).toBe(answer.kind === 'no_audio');
      if (answer.kind === 'no_audio' || written === null) return;
      const { codec, payloadType } = answer.answer;
      expect(parseAnswer(written)).toMatchObject({ kind: 'ok', answer: { codec, payloadType, port: 4 } });
    }),
    { numRuns: 2_000 },
  );
});
