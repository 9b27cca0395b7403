// The writer of messages: what is written is read again as the same, and no value can make a header of its own.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../../src/sip/message.ts';
import { type HeaderLine, writeRequest, writeResponse } from '../../../src/sip/writer.ts';

const text = (octets: Buffer) => octets.toString('latin1');

test('a request, octet by octet', () => {
  const written = writeRequest('INVITE', 'sip:a@b', [
    ['Via', 'SIP/2.0/UDP c;branch=z9hG4bK1'],
    ['Subject', ''],
  ]);
  expect(text(written)).toBe(
    'INVITE sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP c;branch=z9hG4bK1\r\nSubject: \r\nContent-Length: 0\r\n\r\n',
  );
});

test('a response, octet by octet', () => {
  expect(text(writeResponse(200, 'OK', [['To', '<sip:a@b>']], 'h\xe9'))).toBe(
    'SIP/2.0 200 OK\r\nTo: <sip:a@b>\r\nContent-Length: 2\r\n\r\nh\xe9',
  );
  expect(text(writeResponse(486, '', []))).toBe('SIP/2.0 486 \r\nContent-Length: 0\r\n\r\n');
});

describe('lengths', () => {
  test('of octets, where a body has wider characters', () => {
    const message = parseMessage(writeResponse(200, 'OK', [], 'é صفر 🎉'));
    expect(message?.headers.get('content-length')).toEqual(['13']);
    expect(message?.body).toHaveLength(13);
  });

  test('are written once, whatever the caller says', () => {
    const named = [['Content-Length', '7'] as const, ['l', '8'] as const, ['CONTENT-LENGTH', '9'] as const];
    expect(parseMessage(writeRequest('BYE', 'sip:a@b', named, 'x'))?.headers.get('content-length')).toEqual(['1']);
  });
});

describe('nothing ends its line', () => {
  test.each(['\r\n', '\n', '\r', '\r\n\r\n', '\n ', '\u010d\u010a', '\u0d0a', 'č'])('%j in a value', (end) => {
    const evil = `a${end}Evil: 1${end}${end}body`;
    for (const octets of [
      writeRequest('BYE', 'sip:a@b', [['Subject', evil]]),
      writeRequest('BYE', `sip:a@b${evil}`, [['Subject', 'a']]),
      writeResponse(200, evil, [['Subject', 'a']]),
    ]) {
      const message = parseMessage(octets);
      expect([...(message?.headers.keys() ?? [])]).toEqual(['subject', 'content-length']);
      expect(message?.body).toBe('');
    }
  });

  test('a blank in a request URI is escaped', () => {
    expect(parseMessage(writeRequest('BYE', 'sip:a b@c\téč', []))?.uri).toBe('sip:a%20b@c%09%E9%C4%8D');
  });
});

test.each(['', 'A B', 'A\r\nB', 'A:', 'é'])('a method or a header called %j is a mistake of the caller', (name) => {
  expect(() => writeRequest(name, 'sip:a@b', [])).toThrow(TypeError);
  expect(() => writeRequest('BYE', 'sip:a@b', [[name, '1']])).toThrow(TypeError);
  expect(() => writeResponse(200, 'OK', [[name, '1']])).toThrow(TypeError);
});

test.each([0, 99, 700, 200.5, Number.NaN])('the status %s is a mistake of the caller', (status) => {
  expect(() => writeResponse(status, 'x', [])).toThrow(TypeError);
});

const token = fc.stringMatching(/^[-A-Za-z0-9.!%*_+`'~]{2,12}$/).filter((name) => !/^content-length$/i.test(name));
const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\r', '\n', '\0', ' ', ':', '"'),
    fc.nat(0x2ff).map((code) => String.fromCharCode(code)),
  ),
});
const lines: fc.Arbitrary<HeaderLine[]> = fc.array(fc.tuple(token, anything), { maxLength: 12 });

/** As it arrives: wide characters as UTF-8 octets, line ends as blanks. */
const arrives = (value: string): string => {
  const octets = [...value].map((each) => (each > '\xff' ? Buffer.from(each).toString('latin1') : each)).join('');
  return octets.replace(/[\r\n]+/g, ' ').replace(/^[ \t]+|[ \t]+$/g, '');
};

test('what is written is read as the same', () => {
  fc.assert(
    fc.property(token, lines, anything, fc.integer({ min: 100, max: 699 }), (method, headers, body, status) => {
      const expected = new Map<string, string[]>();
      for (const [name, value] of headers) {
        const values = expected.get(name.toLowerCase()) ?? [];
        expected.set(name.toLowerCase(), [...values, arrives(value)]);
      }
      const request = parseMessage(writeRequest(method, 'sip:a@b', headers, body));
      const response = parseMessage(writeResponse(status, body, headers, body));
      expect(request).toMatchObject({ method, uri: 'sip:a@b', status: 0 });
      expect(response).toMatchObject({ method: null, status, reason: arrives(body) });
      for (const message of [request, response]) {
        const written = [...body].map((each) => (each > '\xff' ? Buffer.from(each).toString('latin1') : each)).join('');
        expect(message?.body).toBe(written);
        expected.set('content-length', [String(written.length)]);
        expect(message?.headers).toEqual(expected);
      }
    }),
    { numRuns: 1_000 },
  );
});
