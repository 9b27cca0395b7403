// The framer: however a stream is torn, the same messages come out of it, and once it is broken nothing does.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Framer } from '../../../src/sip/framing.ts';
import { MAX_MESSAGE_OCTETS } from '../../../src/sip/message.ts';
import { writeRequest, writeResponse } from '../../../src/sip/writer.ts';
import { cpuMs } from '../../support/cpu.ts';

const octets = (text: string) => Buffer.from(text, 'latin1');
const ringing = writeResponse(180, 'Ringing', [['To', '<sip:a@b>']]);
const invite = writeRequest('INVITE', 'sip:a@b', [['Via', 'SIP/2.0/TCP c']], 'v=0\r\n\r\nSIP/2.0 200 OK\r\n\r\n');
const stream = Buffer.concat([octets('\r\n\r\n'), ringing, invite, octets('\r\n'), ringing, octets('\r\n\r\n')]);

/** What comes out of `bytes` in pieces of these sizes, which begin again when they are used up. */
function framed(bytes: Buffer, sizes: readonly number[]) {
  const framer = new Framer();
  const messages: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    messages.push(...framer.push(bytes.subarray(at, end)));
    at = end;
  }
  return { messages, broken: framer.broken, keepAlives: framer.keepAlives };
}

test('split at every octet, the same messages', () => {
  const expected = { messages: [ringing, invite, ringing], broken: null, keepAlives: 5 };
  expect(framed(stream, [stream.length])).toEqual(expected);
  for (let first = 1; first < stream.length; first += 1) {
    expect(framed(stream, [first, stream.length])).toEqual(expected);
  }
  expect(framed(stream, [1])).toEqual(expected);
});

test('split at random, the same messages', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, (each) => {
      expect(framed(stream, each)).toEqual(framed(stream, [stream.length]));
    }),
  );
});

test('a long stream in long pieces, the same messages', () => {
  const long = Buffer.concat(Array.from({ length: 60 }, () => stream));
  const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 });
  const expected = framed(long, [long.length]);
  expect(expected.messages).toHaveLength(180);
  fc.assert(
    fc.property(sizes, (each) => {
      expect(framed(long, each)).toEqual(expected);
    }),
  );
});

test('a message is handed out as soon as it is whole', () => {
  const framer = new Framer();
  expect(framer.push(invite.subarray(0, -1))).toEqual([]);
  expect(framer.push(invite.subarray(-1))).toEqual([invite]);
});

test('what is handed out stays as it was', () => {
  const framer = new Framer();
  const chunk = Buffer.from(ringing);
  const [first] = framer.push(chunk);
  chunk.fill(0);
  framer.push(Buffer.concat([invite, invite]));
  expect(first).toEqual(ringing);
});

describe('a message', () => {
  test.each([
    ['without a length has no body', 'SIP/2.0 100 Trying\r\nVia: a\r\n\r\n'],
    ['may name its length in compact form', 'SIP/2.0 200 OK\r\nl : 3\r\n\r\nabc'],
    ['may fold its length', 'SIP/2.0 200 OK\r\nContent-Length:\r\n 3\r\n\r\nabc'],
    ['may end its lines with LF', 'SIP/2.0 200 OK\nl: 3\n\nabc'],
    ['may mix line ends', 'SIP/2.0 200 OK\r\nl: 3\n\r\nabc'],
    ['may be of another version', 'BYE sip:a@b SIP/3.0\r\nl: 3\r\n\r\nabc'],
    ['may have a start line that is unreadable', 'INVITE sip:a@b; lr SIP/2.0\r\nl: 3\r\n\r\nabc'],
  ])('%s', (_, text) => {
    const twice = octets(text + text);
    for (const sizes of [[1], [twice.length]]) {
      expect(framed(twice, sizes)).toMatchObject({ messages: [octets(text), octets(text)], broken: null });
    }
  });
});

describe('broken', () => {
  test.each([
    ['a negative length', 'SIP/2.0 200 OK\r\nl: -1\r\n\r\n', 'content_length'],
    ['a length that is no number', 'SIP/2.0 200 OK\r\nl: x\r\n\r\n', 'content_length'],
    ['a head beyond the limit', `HTTP\r\n${'b: 1\r\n'.repeat(12_000)}\r\n`, 'too_large'],
    ['two lengths', 'SIP/2.0 200 OK\r\nl: 1\r\nl: 2\r\n\r\nab', 'content_length'],
    ['an empty length', 'SIP/2.0 200 OK\r\nl:\r\n\r\n', 'content_length'],
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n', 'not_sip'],
    ['a length that is too small', 'SIP/2.0 200 OK\r\nl: 1\r\n\r\nabc\r\n\r\n', 'not_sip'],
    ['a length beyond the limit', 'SIP/2.0 200 OK\r\nl: 65535\r\n\r\n', 'too_large'],
    ['a length beyond all', 'SIP/2.0 200 OK\r\nl: 99999999999\r\n\r\n', 'content_length'],
    ['too many headers', `SIP/2.0 200 OK\r\n${'b: 1\r\n'.repeat(257)}\r\n`, 'not_sip'],
    ['a fold without a header', 'SIP/2.0 200 OK\r\n a\r\n\r\n', 'not_sip'],
  ])('by %s', (_, text, fault) => {
    for (const sizes of [[1], [7], [text.length]]) expect(framed(octets(text), sizes).broken).toBe(fault);
  });

  test('by a head without an end', () => {
    const head = octets(`SIP/2.0 200 OK\r\n${`b: ${'x'.repeat(995)}\r\n`.repeat(66)}`);
    const framer = new Framer();
    expect(framer.push(head.subarray(0, MAX_MESSAGE_OCTETS))).toEqual([]);
    expect(framer.broken).toBeNull();
    framer.push(head.subarray(MAX_MESSAGE_OCTETS, MAX_MESSAGE_OCTETS + 1));
    expect(framer.broken).toBe('too_large');
  });

  test('nothing comes out any more, and what came before is good', () => {
    const framer = new Framer();
    expect(framer.push(Buffer.concat([ringing, octets('SIP/2.0 200 OK\r\nl: -1\r\n\r\n'), ringing]))).toEqual([
      ringing,
    ]);
    expect(framer.push(ringing)).toEqual([]);
    expect(framer.broken).toBe('content_length');
  });

  test('as large as allowed is whole', () => {
    const head = 'SIP/2.0 200 OK\r\nl: 65000\r\nb: ';
    const fill = 'x'.repeat(MAX_MESSAGE_OCTETS - 65_000 - head.length - 4);
    const message = octets(`${head}${fill}\r\n\r\n${'y'.repeat(65_000)}`);
    expect(message).toHaveLength(MAX_MESSAGE_OCTETS);
    expect(framed(Buffer.concat([message, message]), [1_460])).toMatchObject({
      messages: [message, message],
      broken: null,
    });
    expect(framed(octets(`${head}${fill}x\r\n\r\n`), [1_460]).broken).toBe('too_large');
  });
});

test('the time for a stream grows with its length alone', () => {
  const tookMs = cpuMs(() => {
    const slow = octets(`SIP/2.0 200 OK\r\nb: ${'x'.repeat(65_000)}`);
    expect(framed(slow, [1])).toMatchObject({ messages: [], broken: null });
    const many = Buffer.concat(Array.from({ length: 20_000 }, () => ringing));
    expect(framed(many, [many.length]).messages).toHaveLength(20_000);
    expect(framed(octets('\r\n'.repeat(500_000)), [3]).keepAlives).toBe(500_000);
  });
  expect(tookMs).toBeLessThan(5_000);
});
