import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxWebHostLength, parseAutofill, webHost } from '../../../../src/core/verify/autofill.ts';
import type { Autofill, Language } from '../../../../src/core/verify/session.ts';
import { smsText } from '../../../../src/core/verify/text.ts';
import { isGsm7Basic } from '../../../../src/text/gsm7-alphabet.ts';

const ok = (request: Parameters<typeof smsText>[0]) => {
  const text = smsText(request);
  if (text.kind !== 'ok') throw new Error(`refused: ${text.reason}`);
  return text;
};

describe('smsText', () => {
  it('says it in each language', () => {
    expect(ok({ language: 'en', code: '012345', brand: 'Ramz' })).toEqual({
      kind: 'ok',
      text: 'Your Ramz verification code: 012345. Do not share it with anyone.',
      encoding: 'gsm7',
      parts: 1,
      says: 'brand',
    });
    expect(ok({ language: 'fr', code: '012345', brand: 'Ramz' }).text).toBe(
      'Votre code de vérification Ramz : 012345. Ne le communiquez à personne.',
    );
    expect(ok({ language: 'ar', code: '012345', brand: 'رمز' })).toMatchObject({ encoding: 'ucs2', parts: 1 });
  });

  it('isolates the code in Arabic: marks around it, an Arabic word first and before it', () => {
    const { text } = ok({ language: 'ar', code: '0123456789', brand: 'Shop' });
    expect(text).toMatch(/^[\u0621-\u064a].*Shop.*[\u0621-\u064a]\S* \u200e0123456789\u200e/);
  });

  it('puts the autofill line last', () => {
    const android = ok({ language: 'en', code: '012345', autofill: { androidAppHash: 'FA+9qCX9VSu' } });
    expect(android.text).toMatch(/\nFA\+9qCX9VSu$/);
    const web = ok({ language: 'ar', code: '012345', autofill: { webOrigin: 'https://Shop.example' } });
    expect(web.text).toMatch(/\n@shop\.example #012345$/);
  });

  it("keeps within the 140 bytes of Android's SMS Retriever", () => {
    const brand = 'x'.repeat(70);
    const request = { language: 'en', code: '012345', brand } as const;
    expect(ok(request).text).toContain(brand);
    expect(ok({ ...request, autofill: { androidAppHash: 'FA+9qCX9VSu' } }).text).not.toContain(brand);
  });

  it.each([
    ['one that could be taken for the code', 'Shop2024'],
    ['one with Arabic digits that could be taken for the code', 'Shop٢٠٢٤'],
    ['one that breaks the line', 'Shop\nx'],
    ['one that turns the line round', 'Shop\u202e'],
    ['a blank one', '  '],
    ['one that is too long', 'x'.repeat(120)],
  ])('leaves the brand out: %s', (_, brand) => {
    expect(ok({ language: 'en', code: '012345', brand })).toEqual(ok({ language: 'en', code: '012345' }));
  });

  it('names a brand outside the alphabet of all operators by a short text, its code apart from letters that run to the left', () => {
    const text = (brand: string) => ok({ language: 'fr', code: '012345', brand });
    expect(text('متجر')).toMatchObject({ encoding: 'ucs2', text: 'Votre code متجر : \u200e012345\u200e' });
    // Short enough for the long text, in which nothing would keep name and code in their places.
    expect(text('زين')).toMatchObject({ encoding: 'ucs2', text: 'Votre code زين : \u200e012345\u200e' });
    const four = smsText({ language: 'fr', code: '0123', brand: 'زين' });
    expect(four).toMatchObject({ text: expect.stringContaining('vérification زين : \u200e0123\u200e. Ne le') });
    expect(text('Shop€').text).toMatch(/^Votre code Shop€/);
    // Δ is in the GSM alphabet, and not in the Latin-1 that some SMSCs take.
    expect(text('ΔΔΔΔ').text).toMatch(/^Votre code ΔΔΔΔ/);
    expect(text('Shop é').encoding).toBe('gsm7');
  });

  it('says what the account has asked for, code first, with the brand or without', () => {
    const own = { language: 'fr', code: '012345', brand: 'My Shop' } as const;
    expect(ok({ ...own, template: '{code} est votre code {brand}.' })).toMatchObject({
      text: '012345 est votre code My Shop.',
      encoding: 'gsm7',
      says: 'template',
    });
    expect(ok({ ...own, template: 'Bonjour : {code}' }).text).toBe('Bonjour : 012345');
    const web = { autofill: { webOrigin: 'shop.example' } };
    expect(ok({ ...own, ...web, template: '{code}, {brand}' }).text).toBe('012345, My Shop\n@shop.example #012345');
  });

  it('keeps the direction of an Arabic text that begins with the code', () => {
    const template = '{code} هو رمز {brand}';
    const { text } = ok({ language: 'ar', code: '012345', brand: 'Shop', template });
    expect(text).toBe('\u200f\u200e012345\u200e هو رمز Shop');
    const brandFirst = ok({ language: 'ar', code: '012345', brand: 'Shop', template: '{brand}: رمزك {code}' });
    expect(brandFirst.text).toBe('\u200fShop: رمزك \u200e012345\u200e');
    const wordFirst = ok({ language: 'ar', code: '012345', template: 'رمزك {code}' });
    expect(wordFirst.text).toBe('رمزك \u200e012345\u200e');
    const latin = ok({ language: 'fr', code: '012345', template: '{code} reçu' });
    expect(latin.text).toBe('\u200e012345\u200e reçu');
  });

  it('goes back to the usual text where the own one does not fit, and says nothing of a brand that can not be named', () => {
    const long = ok({ language: 'fr', code: '012345', brand: 'Shop', template: `{code} ${'x'.repeat(160)}` });
    expect(long).toEqual(ok({ language: 'fr', code: '012345', brand: 'Shop' }));
    const unnamed = ok({ language: 'fr', code: '012345', brand: 'Shop2024', template: '{code} {brand}' });
    expect(unnamed).toEqual(ok({ language: 'fr', code: '012345' }));
  });

  it('says no key of receipts, in whatever way brand and text came together', () => {
    const own = { code: '012345', brand: 'Mobile ID' } as const;
    expect(ok({ ...own, language: 'fr' })).toEqual(ok({ language: 'fr', code: '012345' }));
    expect(ok({ ...own, language: 'en' })).toMatchObject({ says: 'brand', text: expect.stringContaining('Mobile ID') });
    expect(ok({ ...own, language: 'en', template: '{brand}: {code}' })).toEqual(ok({ ...own, language: 'en' }));
    expect(ok({ ...own, language: 'fr', template: '{code}, {brand}' }).says).toBe('template');
  });

  it('drops the advice before the brand, and the brand before it refuses', () => {
    const texts = [10, 30, 60].map((n) => ok({ language: 'ar', code: '0123456789', brand: 'ب'.repeat(n) }).text);
    expect(texts.map((text) => [text.includes('لا تشاركه'), text.includes('ببب')])).toEqual([
      [true, true],
      [false, true],
      [true, false],
    ]);
  });

  it('refuses as a value', () => {
    for (const code of ['', '123', '12345678901', '12a456', '٠١٢٣٤٥']) {
      expect(smsText({ language: 'fr', code })).toEqual({ kind: 'refused', reason: 'not_a_code' });
    }
    const autofill = { androidAppHash: 'short' };
    expect(smsText({ language: 'fr', code: '123456', autofill })).toEqual({
      kind: 'refused',
      reason: 'not_an_app_hash',
    });
  });

  it('fits one segment for everything that is allowed', () => {
    const language = fc.constantFrom<Language>('ar', 'fr', 'en');
    const code = fc.integer({ min: 4, max: 10 }).chain((n) => fc.stringMatching(new RegExp(`^[0-9]{${n}}$`)));
    const brand = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'متجر Shop&é'), maxLength: 70 }),
    );
    const appHash = fc.stringMatching(/^[A-Za-z0-9+/]{11}$/);
    const host = fc
      .integer({ min: 1, max: maxWebHostLength - 3 })
      .map((n) => `${'abcdefghijklmnop.'.repeat(3).slice(0, n).replace(/\.$/, 'x')}.dz`);
    const autofill = fc.oneof(
      fc.constant<Autofill>({}),
      appHash.map((androidAppHash): Autofill => ({ androidAppHash })),
      host.map((name): Autofill => ({ webOrigin: `https://${name}` })),
    );
    fc.assert(
      fc.property(language, code, brand, autofill, (inLanguage, digits, name, asked) => {
        const { text, encoding, parts } = ok({ language: inLanguage, code: digits, brand: name, autofill: asked });
        expect(parts).toBe(1);
        if (inLanguage === 'ar') expect(encoding).toBe('ucs2');
        if (encoding === 'gsm7') expect(isGsm7Basic(text) && text.length <= 160).toBe(true);
        else expect(text.length).toBeLessThanOrEqual(70);
        if (asked.androidAppHash) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(140);
        const firstLine = text.split('\n')[0] ?? '';
        expect(firstLine.match(/[0-9]{4,}/g)).toEqual([digits]);
      }),
      { numRuns: 500 },
    );
  });

  it('still says which number is the code beside the longest host', () => {
    const webOrigin = `${'a'.repeat(maxWebHostLength - 3)}.dz`;
    const { text } = ok({ language: 'ar', code: '0123456789', autofill: { webOrigin } });
    expect(text).toHaveLength(70);
    expect(text).toMatch(/^رمزك/);
  });
});

describe('parseAutofill', () => {
  it.each([
    ['https://shop.example', 'shop.example'],
    ['shop.example', 'shop.example'],
    ['HTTPS://Login.Shop.Example', 'login.shop.example'],
    ['xn--mgbh0fb.xn--lgbbat1ad8j', 'xn--mgbh0fb.xn--lgbbat1ad8j'],
  ])('reads %s', (origin, host) => {
    expect(parseAutofill({ webOrigin: origin })).toEqual({ kind: 'web', host });
  });

  it.each([
    'http://shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example:8443',
    'https://user@shop.example',
    'localhost',
    '192.168.1.1',
    'متجر.الجزائر',
    '-shop.example',
    'shop-.example',
    'shop..example',
    'shop.example #1234',
    'shop.example\n',
    `${'a'.repeat(64)}.example`,
  ])('does not read %j', (origin) => {
    expect(webHost(origin)).toBeUndefined();
    expect(parseAutofill({ webOrigin: origin })).toMatchObject({ kind: 'invalid', field: 'web_origin' });
  });

  it('tells what is wrong', () => {
    expect(parseAutofill({})).toEqual({ kind: 'none' });
    expect(parseAutofill({ androidAppHash: '', webOrigin: '' })).toEqual({ kind: 'none' });
    expect(parseAutofill({ androidAppHash: 'FA+9qCX9VSu' })).toEqual({ kind: 'android', appHash: 'FA+9qCX9VSu' });
    for (const androidAppHash of ['FA+9qCX9VS', 'FA+9qCX9VSuu', 'FA-9qCX9VSu', 'FA+9qCX9VS=']) {
      expect(parseAutofill({ androidAppHash })).toMatchObject({ kind: 'invalid', reason: 'not_an_app_hash' });
    }
    const both = { androidAppHash: 'FA+9qCX9VSu', webOrigin: 'shop.example' };
    expect(parseAutofill(both)).toMatchObject({ kind: 'invalid', reason: 'only_one_of_both' });
    const long = { webOrigin: `${'a'.repeat(40)}.example` };
    expect(parseAutofill(long)).toMatchObject({ kind: 'invalid', reason: 'host_too_long' });
  });
});
