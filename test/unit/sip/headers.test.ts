// Values of headers: lists, addresses, Via, CSeq, Reason, Session-Expires, Retry-After.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../../../src/sip/fault.ts';
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
import { parseUri } from '../../../src/sip/uri.ts';

const of = (name: string, ...lines: string[]) => ({ headers: new Map([[name, lines]]) });

test('a header that is not there is empty', () => {
  expect(header(of('to'), 'to')).toBe('');
  expect(header(of('to', 'a', 'b'), 'to')).toBe('a');
  expect(header(of('to', 'a'), 'from')).toBe('');
  expect(values(of('to', 'a'), 'from')).toEqual([]);
});

test.each([
  [
    ['a, b', 'c'],
    ['a', 'b', 'c'],
  ],
  [['"a, b" <sip:a,b@c>, <sip:d>'], ['"a, b" <sip:a,b@c>', '<sip:d>']],
  [['"a\\", b", c'], ['"a\\", b"', 'c']],
  [['a;x="1,2", b'], ['a;x="1,2"', 'b']],
  [['<sip:a"b>, c"d,e"'], ['<sip:a"b>', 'c"d,e"']],
  [[', ,a,,', ''], ['a']],
  [
    ['"never closed, b', 'c'],
    ['"never closed, b', 'c'],
  ],
  [['<never closed, b'], ['<never closed, b']],
  [['ends with \\"\\'], ['ends with \\"\\']],
])('the list %j has the values %j', (lines, expected) => {
  expect(values(of('contact', ...lines), 'contact')).toEqual(expected);
});

describe('addresses', () => {
  test.each([
    ['sip:a@b', null, 'sip:a@b', {}],
    ['<sip:a@b>', null, 'sip:a@b', {}],
    ['<sip:a@b;lr>;tag=x', null, 'sip:a@b;lr', { tag: 'x' }],
    ['sip:a@b;lr;tag=x', null, 'sip:a@b', { lr: '', tag: 'x' }],
    ['Bob Smith <tel:+213550000001>;TAG = "q \\" d"', 'Bob Smith', 'tel:+213550000001', { tag: 'q " d' }],
    ['"a <sip:x@y>; \\\\" <sip:a@b>', 'a <sip:x@y>; \\', 'sip:a@b', {}],
    ['"" <sip:a@b>', null, 'sip:a@b', {}],
    ['\xe9t\xe9 <sip:a@b>', '\xe9t\xe9', 'sip:a@b', {}],
    ['voil\xc3\xa0 <sip:a@b>;x=\xa0', 'voil\xc3\xa0', 'sip:a@b', { x: '\xa0' }],
    ['<sip:a@b>, <sip:c@d>', null, 'sip:a@b', {}],
    ['<sip:a@b>;tag=1;tag=2', null, 'sip:a@b', { tag: '1' }],
    ['<sip:a@b> odd;tag=1', null, 'sip:a@b', { tag: '1' }],
    ['<sip:[2001:db8::1]:5070>', null, 'sip:[2001:db8::1]:5070', {}],
  ])('%s', (text, display, uri, parameters) => {
    const address = parseNameAddr(text);
    expect(address).toMatchObject({ display, uri });
    expect(Object.fromEntries(address?.parameters ?? [])).toEqual(parameters);
  });

  test.each([
    '',
    '*',
    'a@b',
    '<>',
    '<sip:>',
    '<sip:a b@c>',
    '<sip:a@b',
    '"a" sip:a@b',
    '"a <sip:a@b>',
    '<sip:a@b>;tag="x',
    'sip:a@b?To=c',
    'sip:a@b>',
    '9sip:a@b',
    'sip:a\0@b',
  ])('%j is none', (text) => {
    expect(parseNameAddr(text)).toBeNull();
  });

  test('a tag', () => {
    expect(tagOf('<sip:a@b>;tag=x')).toBe('x');
    expect(tagOf('<sip:a@b;tag=x>')).toBeNull();
    expect(tagOf('<sip:a@b>;tag')).toBeNull();
    expect(tagOf('nothing')).toBeNull();
  });
});

test.each([
  ['1 INVITE', { number: 1, method: 'INVITE' }],
  ['  0004711\t BYE ', { number: 4711, method: 'BYE' }],
  ['4294967295 ACK', { number: 4294967295, method: 'ACK' }],
  ['4294967296 ACK', null],
  ['-1 ACK', null],
  ['1.5 ACK', null],
  ['1', null],
  ['ACK', null],
  ['1 A(CK', null],
  ['1 ACK x', null],
  ['', null],
])('CSeq %j', (text, expected) => {
  expect(parseCSeq(text)).toEqual(expected);
});

describe('Via', () => {
  test.each([
    ['SIP/2.0/UDP 192.0.2.1;rport;branch=z9hG4bK1', 'UDP', '192.0.2.1', null, 'z9hG4bK1'],
    ['SIP/2.0/tcp host.example:5070 ;branch = x', 'TCP', 'host.example', 5070, 'x'],
    ['SIP / 2.0 / TLS  [2001:db8::1] : 5061', 'TLS', '2001:db8::1', 5061, null],
    ['SIP/2.0/UDP [::1];received=[::2]', 'UDP', '::1', null, null],
    ['SIP/2.0/UDP a, SIP/2.0/UDP b', 'UDP', 'a', null, null],
    ['SIP/2.0/UDP a;branch', 'UDP', 'a', null, null],
  ])('%s', (text, transport, host, port, branch) => {
    expect(parseVia(text)).toMatchObject({ transport, host, port, branch });
  });

  test('what was added on the way', () => {
    const parameters = parseVia('SIP/2.0/UDP a;rport=5062;received=192.0.2.7;branch=b')?.parameters;
    expect(parameters?.get('rport')).toBe('5062');
    expect(parameters?.get('received')).toBe('192.0.2.7');
  });

  test.each([
    '',
    'SIP/2.0/UDP',
    'SIP/2.0/UDP ;branch=a',
    'SIP/3.0/UDP a',
    'HTTP/2.0/UDP a',
    'SIP/2.0/UDP a:',
    'SIP/2.0/UDP a:b',
    'SIP/2.0/UDP a:65536',
    'SIP/2.0/UDP [::1',
    'SIP/2.0/UDP a b',
    'SIP/2.0/UDP a;branch="b',
  ])('%j is none', (text) => {
    expect(parseVia(text)).toBeNull();
  });
});

test.each([
  [['Q.850;cause=16;text="Terminated"'], 16],
  [['SIP ;cause=200 ;text="a, Q.850;cause=1", q.850 ; cause = 17'], 17],
  [['SIP;cause=487', 'Q.850;cause=0'], 0],
  [['Q.850;cause=128'], null],
  [['Q.850;cause=x', 'Q.850;cause=31'], 31],
  [['Q.850'], null],
  [['SIP;cause=17'], null],
  [[], null],
])('Reason %j is cause %j', (lines, cause) => {
  expect(q850Of(of('reason', ...lines))).toBe(cause);
});

test.each([
  ['1800', { seconds: 1800, refresher: null }],
  ['1800;refresher=uac', { seconds: 1800, refresher: 'uac' }],
  ['90 ; Refresher = UAS;x', { seconds: 90, refresher: 'uas' }],
  ['90;refresher=both', { seconds: 90, refresher: null }],
  ['', null],
  ['-1', null],
  ['4294967296', null],
])('Session-Expires %j', (text, expected) => {
  expect(parseSessionExpires(text)).toEqual(expected);
});

test.each([
  ['120', 120],
  ['18000;duration=3600', 18000],
  ['120 (in a meeting, "sorry")', 120],
  ['soon', null],
  ['99999999999', null],
])('Retry-After %j', (text, seconds) => {
  expect(retryAfterOf(of('retry-after', text))).toBe(seconds);
});

describe('faults', () => {
  const lines = {
    via: 'SIP/2.0/UDP a;branch=b',
    from: '<sip:a@b>;tag=1',
    to: '<sip:c@d>',
    'call-id': 'x@y',
    cseq: '1 BYE',
    'max-forwards': '70',
  };
  const read = (changed: Partial<Record<keyof typeof lines, string | null>>, start = 'BYE sip:a@b SIP/2.0') => {
    const all = Object.entries({ ...lines, ...changed }).filter(([, value]) => value !== null);
    const text = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return faultOf(parseMessage(Buffer.from(`${start}\r\n${text}\r\n`)) as SipMessage);
  };

  test('a whole message has none', () => {
    expect(read({})).toBeNull();
    expect(read({ 'max-forwards': null })).toBeNull();
    expect(read({ cseq: '7 INVITE', 'max-forwards': 'x' }, 'SIP/2.0 200 OK')).toBeNull();
  });

  test.each(['via', 'from', 'to', 'call-id', 'cseq'] as const)('%s is missing, or unreadable', (name) => {
    expect(read({ [name]: null })).toBe(`Missing ${name}`);
    expect(read({ [name]: ' ' })).toBe(`Unreadable ${name}`);
    expect(read({ [name]: ' ' }, 'SIP/2.0 200 OK')).toBe(`Unreadable ${name}`);
  });

  test.each(['from', 'to', 'call-id', 'cseq'] as const)('%s stands twice', (name) => {
    expect(read({ [name]: `${lines[name]}\r\n${name}: ${lines[name]}` })).toBe(`Several ${name}`);
  });

  test.each(['-1', '256', '7x'])('Max-Forwards %s', (value) => {
    expect(read({ 'max-forwards': value })).toBe('Unreadable max-forwards');
  });
});

test('readers never throw', () => {
  const pieces = fc.constantFrom(...'"\\<>;,=:@[]%/? \t\0\xff\u010d', 'sip:', 'SIP/2.0/UDP', 'a', '1', 'tag', 'Q.850');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      for (const read of [parseNameAddr, parseVia, parseCSeq, parseSessionExpires, parseUri, tagOf]) read(text);
      for (const read of [q850Of, retryAfterOf]) read(of('reason', text));
      expect(values(of('via', text), 'via').join('').length).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 5_000 },
  );
});

test('the time for a value grows with its length alone', () => {
  const readers = [parseNameAddr, parseVia, parseCSeq, parseSessionExpires, parseUri, tagOf];
  const pieces = [
    '"',
    '\\',
    '<',
    '>',
    ';',
    ',',
    '=',
    ' ',
    ';a=',
    '"\\',
    '<>',
    ' ;',
    'a ',
    'sip:',
    '%4',
    '@',
    ':',
    '/ ',
  ];
  const prefixes = ['', '"', 'sip:a@b;', 'SIP/2.0/UDP '];
  const slow: string[] = [];
  for (const prefix of prefixes) {
    for (const piece of pieces) {
      const text = `${prefix}${piece.repeat(Math.floor(60_000 / piece.length))}!`;
      const before = process.cpuUsage();
      for (const read of readers) read(text);
      values(of('via', text), 'via');
      q850Of(of('reason', `Q.850${text}`));
      // Of the processor, which a machine that stands still does not take.
      if (process.cpuUsage(before).user > 1_000_000) slow.push(prefix + piece);
    }
  }
  expect(slow).toEqual([]);
});
