// The reader of messages: its limits, folds and compact forms, line ends, and where a body ends.
import { describe, expect, test } from 'vitest';
import { MAX_MESSAGE_OCTETS, parseMessage } from '../../../src/sip/message.ts';

const read = (text: string) => parseMessage(Buffer.from(text, 'latin1'));
const START = 'SIP/2.0 200 OK\r\n';

describe('start line', () => {
  test.each([
    ['SIP/2.0 180 Ringing', { status: 180, reason: 'Ringing' }],
    ['sip/2.0 180 Ringing', { status: 180, reason: 'Ringing' }],
    ['SIP/2.0  180   Ringing  on ', { status: 180, reason: 'Ringing  on' }],
    ['SIP/2.0 486', { status: 486, reason: '' }],
    ['BYE sip:a@b SIP/2.0', { method: 'BYE', uri: 'sip:a@b' }],
    ['bye sip:a@b sip/2.0', { method: 'bye' }],
    ['BYE\tsip:a@b\tSIP/2.0', { method: 'BYE' }],
  ])('%s', (line, expected) => {
    expect(read(`${line}\r\n\r\n`)).toMatchObject(expected);
  });

  test.each([
    'SIP/2.0 099 Low',
    'SIP/2.0 700 High',
    'SIP/2.0 20 Short',
    'SIP/2.0 2000 Long',
    'SIP/2.0 200OK',
    'SIP/2.0200 OK',
    'SIP/2.00 200 OK',
    'SIP/1.0 200 OK',
    'SIP/2.0',
    ' SIP/2.0 200 OK',
    'BYE sip:a@b',
    'BYE sip:a@b HTTP/1.1',
    'BYE sip:a@b SIP/2.0 x',
    'BYE  SIP/2.0',
    'B(YE sip:a@b SIP/2.0',
    ' BYE sip:a@b SIP/2.0',
    'hello',
  ])('%s is none', (line) => {
    expect(read(`${line}\r\n\r\n`)).toBeNull();
  });
});

describe('headers', () => {
  test('every compact form has its long name', () => {
    const lines = [...'abcdefijklmnorstuvxy'].map((letter) => `${letter}: ${letter === 'l' ? 0 : letter}\r\n`);
    expect([...(read(`${START}${lines.join('')}\r\n`)?.headers.keys() ?? [])]).toEqual([
      'accept-contact',
      'referred-by',
      'content-type',
      'request-disposition',
      'content-encoding',
      'from',
      'call-id',
      'reject-contact',
      'supported',
      'content-length',
      'contact',
      'identity-info',
      'event',
      'refer-to',
      'subject',
      'to',
      'allow-events',
      'via',
      'session-expires',
      'identity',
    ]);
    const long = read(`${START}v: 1\r\nVIA: 2\r\nx: 90\r\nf: a\r\nt: b\r\ni: c\r\nm: d\r\nc: e\r\n\r\n`)?.headers;
    expect([...(long ?? [])]).toEqual([
      ['via', ['1', '2']],
      ['session-expires', ['90']],
      ['from', ['a']],
      ['to', ['b']],
      ['call-id', ['c']],
      ['contact', ['d']],
      ['content-type', ['e']],
    ]);
  });

  test('a fold is one blank', () => {
    expect(read(`${START}S: a\r\n  b\r\n\t \tc \r\n d\r\n\r\n`)?.headers.get('subject')).toEqual(['a b c d']);
    expect(read(`${START}S:\r\n a\r\n\r\n`)?.headers.get('subject')).toEqual(['a']);
    expect(read(`${START}S: a\r\n \r\nT: b\r\n\r\n`)?.headers.get('to')).toEqual(['b']);
    expect(read(`${START} folded: start line\r\n\r\n`)).toBeNull();
  });

  test('the last octet of a letter is no blank', () => {
    const letter = 'voil\xc3\xa0';
    const message = read(`SIP/2.0 200 ${letter}\r\nS: ${letter}\r\nX: a\r\n ${letter}\r\n b\r\n\r\n`);
    expect(message?.reason).toBe(letter);
    expect([...(message?.headers.values() ?? [])]).toEqual([[letter], [`a ${letter} b`]]);
  });

  test('a line that is no header is passed over, and costs no other', () => {
    const message = read(`${START}no colon\r\n: no name\r\nb(d: name\r\nTo: <sip:a@b>\r\n\r\n`);
    expect([...(message?.headers ?? [])]).toEqual([['to', ['<sip:a@b>']]]);
  });

  test('a name like a property of every object is a name', () => {
    const message = read(`${START}__proto__: 1\r\nconstructor: 2\r\n\r\n`);
    expect([...(message?.headers.keys() ?? [])]).toEqual(['__proto__', 'constructor']);
  });

  test('lines may end with LF alone; a CR within one is a blank', () => {
    const message = read('SIP/2.0 200 OK\nS: a\rb\nContent-Length: 1\n\nxy');
    expect(message).toMatchObject({ body: 'x' });
    expect(message?.headers.get('subject')).toEqual(['a b']);
  });

  test('256 lines and no more', () => {
    const lines = (count: number) => `${START}${'A: 1\r\n'.repeat(count)}\r\n`;
    expect(read(lines(256))?.headers.get('a')).toBeUndefined(); // a compact form
    expect(read(lines(256))?.headers.get('accept-contact')).toHaveLength(256);
    expect(read(lines(257))).toBeNull();
  });
});

describe('body', () => {
  test.each([
    ['the rest of a datagram without a length', '', 'abc', 'abc'],
    ['as long as it says', 'l: 2\r\n', 'abc', 'ab'],
    ['none', 'Content-Length: 0\r\n', 'abc', ''],
    ['twice the same length', 'l: 2\r\nContent-Length: 02\r\n', 'abc', 'ab'],
    ['octets, not characters', 'l: 4\r\n', '\xff\0\r\n', '\xff\0\r\n'],
  ])('%s', (_, headers, body, expected) => {
    expect(read(`${START}${headers}\r\n${body}`)?.body).toBe(expected);
  });

  test.each([
    ['shorter than it says', 'l: 4\r\n'],
    ['of two lengths', 'l: 2\r\nl: 3\r\n'],
    ['of a list of lengths', 'l: 2, 2\r\n'],
    ['of a negative length', 'l: -1\r\n'],
    ['of a length with a sign', 'l: +1\r\n'],
    ['of a hexadecimal length', 'l: 0x1\r\n'],
    ['of an empty length', 'l:\r\n'],
    ['of a length without limit', `l: ${'9'.repeat(400)}\r\n`],
  ])('%s: refused', (_, headers) => {
    expect(read(`${START}${headers}\r\nabc`)).toBeNull();
  });

  test('a head without its empty line was cut off', () => {
    expect(read(`${START}To: <sip:a@b>\r\n`)).toBeNull();
    expect(read(START)).toBeNull();
    expect(read('')).toBeNull();
  });
});

test('keep-alives before a message are passed over', () => {
  expect(read(`\r\n\r\n${START}\r\n`)).toMatchObject({ status: 200 });
  expect(read('\r\n\r\n')).toBeNull();
});

test('65,535 octets and no more', () => {
  const [head, end] = [`${START}S: `, '\r\n\r\n'];
  const fill = 'x'.repeat(MAX_MESSAGE_OCTETS - head.length - end.length);
  expect(read(`${head}${fill}${end}`)?.headers.get('subject')).toEqual([fill]);
  expect(read(`${head}${fill}x${end}`)).toBeNull();
});
