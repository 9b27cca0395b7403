// SIP, SIPS and TEL URIs, read and written.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUri, phoneUri, writeHost } from '../../../src/sip/uri.ts';

describe('read', () => {
  test.each([
    ['sip:b', 'sip', null, 'b', null, {}],
    ['SIP:A@B.Example:5070', 'sip', 'A', 'b.example', 5070, {}],
    ['sips:a:secret@b', 'sips', 'a', 'b', null, {}],
    ['sip:+213550000001@192.0.2.1;user=phone;LR', 'sip', '+213550000001', '192.0.2.1', null, { user: 'phone', lr: '' }],
    ['sip:a@[2001:db8::1]:5060;transport=tcp', 'sip', 'a', '2001:db8::1', 5060, { transport: 'tcp' }],
    ['sip:a%40b%C3%A9%zz@c', 'sip', 'a@b\xc3\xa9%zz', 'c', null, {}],
    ['sip:a@b?Subject=x;y', 'sip', 'a', 'b', null, {}],
    ['sip:a?b;c@d', 'sip', 'a?b;c', 'd', null, {}],
    ['sip:a@b;;x=1;x=2;=3', 'sip', 'a', 'b', null, { x: '1' }],
    [
      'tel:+213550000001;phone-context=example.com',
      'tel',
      '+213550000001',
      '',
      null,
      { 'phone-context': 'example.com' },
    ],
  ])('%s', (text, scheme, user, host, port, parameters) => {
    const uri = parseUri(text);
    expect(uri).toMatchObject({ scheme, user, host, port });
    expect(Object.fromEntries(uri?.parameters ?? [])).toEqual(parameters);
  });

  test.each([
    '',
    'sip:',
    'sip:@b',
    'sip:a@',
    'sip:a@b@c',
    'sip:a@b:',
    'sip:a@b:0',
    'sip:a@b:65536',
    'sip:a@b:x',
    'sip:a@::1',
    'sip:a@[192.0.2.1]',
    'sip:a@[::1',
    'sip:a@b c',
    'sip:a@b\r\nTo: c',
    '<sip:a@b>',
    'tel:',
    'tel:;a',
    'http://a',
    'a@b',
  ])('%j is none', (text) => {
    expect(parseUri(text)).toBeNull();
  });
});

describe('written', () => {
  test.each([
    [phoneUri('+213550000001', '192.0.2.1'), 'sip:+213550000001@192.0.2.1'],
    [
      phoneUri('+213550000001', 'sip.example', { port: 5070, parameters: { user: 'phone', lr: '' } }),
      'sip:+213550000001@sip.example:5070;user=phone;lr',
    ],
    [phoneUri('a', '2001:db8::1', { scheme: 'sips', port: 5061 }), 'sips:a@[2001:db8::1]:5061'],
    [phoneUri('a b@c:d%\r\n\u010d', 'b'), 'sip:a%20b%40c%3Ad%25%0D%0A%C4%8D@b'],
    [phoneUri('a', 'b', { parameters: { x: ';y=1' } }), 'sip:a@b;x=%3By%3D1'],
  ])('%s', (written, expected) => {
    expect(written).toBe(expected);
  });

  test('a host that is none is a mistake of the caller', () => {
    expect(() => phoneUri('a', 'b c')).toThrow(TypeError);
    expect(() => phoneUri('a', '')).toThrow(TypeError);
    expect(() => phoneUri('a', 'b', { parameters: { 'x;': '' } })).toThrow(TypeError);
  });

  test('hosts get brackets where they need them', () => {
    expect(['::1', '192.0.2.1', 'a.example'].map(writeHost)).toEqual(['[::1]', '192.0.2.1', 'a.example']);
  });
});

test('what is written is read again', () => {
  const host = fc.oneof(fc.constantFrom('a.example', '192.0.2.1'), fc.ipV6());
  const user = fc.string({ unit: fc.nat(0x2ff).map((code) => String.fromCharCode(code)), minLength: 1, maxLength: 20 });
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }));
  fc.assert(
    fc.property(user, host, port, fc.string({ minLength: 1 }), (called, at, on, value) => {
      const uri = parseUri(phoneUri(called, at, { port: on, parameters: { value } }));
      // Characters beyond U+00FF are read as their UTF-8 octets, others as they were.
      const octets = called.replace(/[\u0100-\uffff]+/g, (wide) => Buffer.from(wide).toString('latin1'));
      expect(uri).toMatchObject({ user: octets, host: at.toLowerCase(), port: on });
      expect(uri?.parameters.get('value')).toBe(value);
    }),
  );
});
