// What a phone reads of an offer, and what it answers.
import { expect, test } from 'vitest';
import { readOffer, writeAnswer } from '../../../../src/sandbox/phones/sdp.ts';

const offer = (...media: string[]) =>
  `${['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0', ...media].join('\r\n')}\r\n`;

test.each([
  {
    name: 'our own',
    sdp: offer('m=audio 4000 RTP/AVP 8 0 101', 'a=rtpmap:8 PCMA/8000', 'a=rtpmap:101 telephone-event/8000'),
    expected: { address: '192.0.2.1', port: 4000, codec: 'PCMA', payloadType: 8, eventType: 101 },
  },
  {
    name: 'µ-law first, an address of the media, other numbers',
    sdp: offer('m=audio 4002 RTP/AVP 18 0 8 96', 'c=IN IP4 192.0.2.9', 'a=rtpmap:96 telephone-event/8000'),
    expected: { address: '192.0.2.9', port: 4002, codec: 'PCMU', payloadType: 0, eventType: 96 },
  },
  {
    name: 'a dynamic type for A-law, no keys, video before',
    sdp: offer('m=video 9 RTP/AVP 99', 'c=IN IP4 192.0.2.7', 'm=audio 4004 RTP/AVP 100', 'a=rtpmap:100 pcma/8000/1'),
    expected: { address: '192.0.2.1', port: 4004, codec: 'PCMA', payloadType: 100, eventType: null },
  },
  { name: 'another codec', sdp: offer('m=audio 4000 RTP/AVP 18'), expected: null },
  { name: 'a type renamed', sdp: offer('m=audio 4000 RTP/AVP 8', 'a=rtpmap:8 G729/8000'), expected: null },
  { name: 'port 0', sdp: offer('m=audio 0 RTP/AVP 8'), expected: null },
  { name: 'no audio', sdp: offer('m=video 9 RTP/AVP 99'), expected: null },
  { name: 'nothing', sdp: '', expected: null },
])('an offer: $name', ({ sdp, expected }) => {
  expect(readOffer(sdp)).toEqual(expected);
});

test('the answer has the one codec, and keys as they were offered', () => {
  const read = readOffer(offer('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'))!;
  const answer = writeAnswer({ host: '127.0.0.1', port: 5000, sessionId: 1, offer: read });
  expect(readOffer(answer)).toEqual({ ...read, address: '127.0.0.1', port: 5000 });
  expect(answer).toContain('m=audio 5000 RTP/AVP 0 96\r\n');
});
