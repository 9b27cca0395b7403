// SIP as strangers send it. `sip` reads one message with every reader there is and writes it again; `sip-frames` tears a stream;
// `sdp` reads a session description and answers it.
import { authorization, parseChallenges, strongest } from '../../../src/sip/digest.ts';
import { faultOf } from '../../../src/sip/fault.ts';
import { Framer } from '../../../src/sip/framing.ts';
import {
  header,
  parseCSeq,
  parseNameAddr,
  parseSessionExpires,
  parseVia,
  q850Of,
  retryAfterOf,
  tagOf,
  values,
} from '../../../src/sip/headers.ts';
import { parseMessage, type SipMessage } from '../../../src/sip/message.ts';
import { parseAnswer, writeAnswer, writeOffer } from '../../../src/sip/sdp.ts';
import { parseUri, phoneUri } from '../../../src/sip/uri.ts';
import { type HeaderLine, writeRequest, writeResponse } from '../../../src/sip/writer.ts';
import { invalid } from '../../unit/sip/torture-invalid.ts';
import { meaning } from '../../unit/sip/torture-meaning.ts';
import { valid } from '../../unit/sip/torture-valid.ts';
import type { Random } from '../random.ts';
import { hold, type Target } from '../target.ts';

const challenged = writeResponse(401, 'Unauthorized', [
  ['v', 'SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1;rport=5062;received=192.0.2.7'],
  ['f', '"a, b" <sip:a@b>;tag=1'],
  ['t', 'sip:+213550000001@c;user=phone;tag=2'],
  ['i', 'x@y'],
  ['CSeq', '1 INVITE'],
  ['WWW-Authenticate', 'Digest realm="r, \\"s\\"", nonce="n", algorithm=SHA-256, qop="auth,auth-int", Basic realm="b"'],
  ['Proxy-Authenticate', 'Digest realm=r, nonce=n, stale=true, opaque=""'],
  ['Reason', 'SIP;cause=486, Q.850;cause=17;text="User busy"'],
  ['Session-Expires', '1800;refresher=uas'],
  ['Retry-After', '120 (later);duration=3600'],
]);
const seeds = [challenged, ...Object.values(valid), ...Object.values(invalid), ...Object.values(meaning)];
const offer = writeOffer({ address: '192.0.2.1', port: 40_000, sessionId: '1', version: 1 });
const words = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\n\n',
    '\r\n ',
    ': ',
    ';',
    ',',
    '"',
    '\\"',
    '<',
    '>',
    '@',
    '[',
    ']',
    '=',
    '%00',
    '\0',
    '\xa0',
  ],
  ...[
    'SIP/2.0',
    'SIP/2.0 200 OK\r\n',
    'INVITE sip:a@b SIP/2.0\r\n',
    'Content-Length: ',
    'l: 0\r\n',
    'v: ',
    'Via: SIP/2.0/UDP ',
  ],
  ...[
    'tag=',
    'branch=z9hG4bK',
    'sip:',
    'tel:',
    '[::1]',
    'Digest ',
    'nonce="',
    'Q.850;cause=',
    '4294967296',
    '-1',
    '__proto__',
  ],
];
const sdpWords = [
  ...[
    '\r\n',
    '\n',
    'm=audio ',
    'm=video 0 RTP/AVP 31',
    'c=IN IP4 192.0.2.1',
    'c=IN IP6 ::',
    'c=IN IP4 224.0.0.1/1',
    ' 8',
    ' 0',
    ' 101',
  ],
  ...[
    'a=rtpmap:',
    ' PCMA/8000',
    ' telephone-event/8000',
    'a=sendonly',
    'a=inactive',
    'RTP/AVP',
    'RTP/SAVP',
    '65536',
    'a=__proto__',
  ],
];

/** Lines picked from real messages, in any order, with a start line and a length that are mostly right. */
function randomMessage(random: Random): Buffer {
  const lines = Array.from({ length: random.below(14) }, () => {
    const [head = ''] = random.pick(seeds).toString('latin1').split('\r\n\r\n', 1);
    return random.pick(head.split(/\r\n(?![ \t])/));
  });
  const start = random.chance(0.9) ? random.pick(['BYE sip:a@b SIP/2.0', 'SIP/2.0 200 OK']) : '';
  const body = random.chance(0.5) ? offer : '';
  const length = random.chance(0.9) ? `Content-Length: ${body.length}` : `l: ${random.below(100_000)}`;
  return Buffer.from([start, ...lines, length, '', body].join('\r\n'), 'latin1');
}

const at = (message: SipMessage): HeaderLine[] =>
  [...message.headers].flatMap(([name, all]) => all.map((value) => [name, value] as const));
const written = (message: SipMessage): Buffer =>
  message.method === null
    ? writeResponse(message.status, message.reason, at(message), message.body)
    : writeRequest(message.method, message.uri ?? '', at(message), message.body);
const withoutLength = (message: SipMessage) => at(message).filter(([name]) => name !== 'content-length');

function readsItsOwnWriting(message: SipMessage): void {
  if (message.body.length > 60_000) return;
  const again = parseMessage(written(message));
  hold(again, 'what was written can not be read');
  const isPlain = message.uri === null || /^[!-~]+$/.test(message.uri);
  hold(!isPlain || again.uri === message.uri, 'the URI is another');
  const compared = ({ method, status, reason, body }: SipMessage) => JSON.stringify([method, status, reason, body]);
  hold(compared(again) === compared(message), 'what was written is read as something else');
  hold(JSON.stringify(withoutLength(again)) === JSON.stringify(withoutLength(message)), 'the headers are others');
}

function readsEveryHeader(message: SipMessage): void {
  for (const value of [...at(message).map(([, line]) => line), message.uri ?? '']) {
    const uri = parseUri(parseNameAddr(value)?.uri ?? value);
    if (uri && uri.scheme !== 'tel' && uri.user !== null) {
      const again = parseUri(phoneUri(uri.user, uri.host, { port: uri.port }));
      hold(
        again?.user === uri.user && again.host === uri.host && again.port === uri.port,
        'the URI is read as another',
      );
    }
    const via = parseVia(value);
    hold(via?.port === undefined || via.port === null || via.port < 65_536, 'a port that is none');
    const cseq = parseCSeq(value);
    hold(cseq === null || Number.isSafeInteger(cseq.number), 'a CSeq that is none');
    hold(tagOf(value) !== '', 'an empty tag');
    parseSessionExpires(value);
    const chosen = strongest(parseChallenges([value]));
    const input = { username: 'u', password: 'secret', method: 'BYE', uri: 'sip:a', nonceCount: 1, cnonce: 'c' };
    hold(!chosen || !authorization(chosen, input).includes('secret'), 'the password is in the answer');
  }
  const [cause, seconds] = [q850Of(message), retryAfterOf(message)];
  hold(cause === null || (cause >= 0 && cause <= 127), 'a cause that is none');
  hold(seconds === null || Number.isSafeInteger(seconds), 'a time that is none');
  for (const name of message.headers.keys())
    hold(
      values(message, name).every((value) => value !== ''),
      'an empty value',
    );
}

export const sip: Target = {
  name: 'sip',
  weight: 30,
  seeds,
  dictionary: words,
  generate: randomMessage,
  run(input) {
    const before = Buffer.from(input);
    const message = parseMessage(input);
    hold(input.equals(before), 'reading changed the octets');
    if (message === null) return;
    hold((message.method === null) === message.status > 0, 'a request and a response at once');
    hold(message.status === 0 || (message.status >= 100 && message.status <= 699), 'a status that is none');
    for (const [name, value] of at(message)) hold(!/[\r\n]/.test(name + value), 'a line end in a header');
    if (faultOf(message) === null) hold(tagOf(header(message, 'from')) !== '', 'a message without From');
    readsItsOwnWriting(message);
    readsEveryHeader(message);
    describes(message.body);
  },
};

/** However a stream is torn, the same messages come out of it, and the same fault. */
export const sipFrames: Target = {
  name: 'sip-frames',
  weight: 10,
  seeds: [...seeds, Buffer.concat([challenged, Buffer.from('\r\n\r\n'), challenged, valid.wsinv])],
  dictionary: words,
  generate: (random) => Buffer.concat(Array.from({ length: 1 + random.below(4) }, () => randomMessage(random))),
  run(input) {
    const limit = 4_096;
    const whole = new Framer(limit);
    const expected = whole.push(input);
    for (const message of expected) hold(message.length <= limit, 'a message beyond the limit');
    for (const step of [1, 2, 3, 5, 17]) {
      const framer = new Framer(limit);
      const found: Buffer[] = [];
      for (let place = 0; place < input.length; place += step)
        found.push(...framer.push(input.subarray(place, place + step)));
      hold(found.length === expected.length, `torn every ${step} octets, messages are cut elsewhere`);
      hold(Buffer.concat(found).equals(Buffer.concat(expected)), `torn every ${step} octets, other messages come out`);
      hold(framer.broken === whole.broken, `torn every ${step} octets, the fault is another`);
      hold(framer.keepAlives === whole.keepAlives, `torn every ${step} octets, keep-alives are counted otherwise`);
      if (input.length > 600) return; // two ways are enough for a long one
    }
  },
};

function describes(text: string): void {
  const read = parseAnswer(text);
  const answer = writeAnswer(text, { address: '192.0.2.1', port: 40_000, sessionId: '1', version: 2 });
  hold((answer === null) === (read.kind === 'no_audio'), 'one of reader and writer found audio');
  if (read.kind === 'no_audio' || answer === null) return;
  const { address, port, codec, payloadType, eventType } = read.answer;
  hold(/^[0-9A-Fa-f.:%]+$/.test(address.split('%', 1)[0] ?? ''), 'an address that is none');
  hold(port >= 1 && port <= 65_535, 'a port that is none');
  hold(payloadType >= 0 && payloadType <= 127 && payloadType !== eventType, 'a payload type that is none');
  const again = parseAnswer(answer);
  hold(
    again.kind === 'ok' && again.answer.port === 40_000 && again.answer.address === '192.0.2.1',
    'our answer says another place',
  );
  hold(again.answer.codec === codec && again.answer.payloadType === payloadType, 'our answer names another codec');
  hold(again.answer.eventType === eventType, 'our answer names other key presses');
}

export const sdp: Target = {
  name: 'sdp',
  weight: 10,
  seeds: [
    Buffer.from(offer),
    Buffer.from(offer.replaceAll('101', '96').replace('sendrecv', 'sendonly')),
    ...seeds.map((seed) => seed.subarray(seed.indexOf('\r\n\r\n') + 4)).filter((body) => body.length > 0),
  ],
  dictionary: sdpWords,
  run: (input) => describes(input.toString('latin1')),
};
