import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  mixesAfter,
  overflow,
  type RegisteredWording,
  type Room,
  receiptKeyIn,
  type WordingInUse,
  wantedWording,
  withChange,
  wordingInUse,
  wordingProblem,
} from '../../../../src/core/accounts/wording.ts';
import type { Language } from '../../../../src/core/verify/session.ts';
import { smsText } from '../../../../src/core/verify/text.ts';

const registered = (change: Partial<RegisteredWording>): RegisteredWording => ({
  kind: 'brand',
  value: 'My Shop',
  status: 'approved',
  reason: null,
  wanted: true,
  ...change,
});

describe('what is in use', () => {
  it('is what was approved, until what is wanted is approved, too', () => {
    const old = registered({ value: 'Old', wanted: false });
    const inUse = (...wordings: RegisteredWording[]) => wordingInUse(wordings).brand;
    expect(inUse()).toBeNull();
    expect(inUse(registered({ status: 'pending' }))).toBeNull();
    expect(inUse(old, registered({ status: 'pending' }))).toBe('Old');
    expect(inUse(registered({ status: 'rejected' }), old)).toBe('Old');
    expect(inUse(registered({}), old)).toBe('My Shop');
  });

  it('is by language for texts', () => {
    const texts = [
      registered({ kind: 'fr', value: 'a {code}' }),
      registered({ kind: 'ar', value: 'b {code}', status: 'pending' }),
    ];
    expect([...wordingInUse(texts).texts]).toEqual([['fr', 'a {code}']]);
    expect([...wantedWording(texts).texts.keys()]).toEqual(['ar', 'fr']);
  });

  it('changes by what is given, and null takes away', () => {
    const before: WordingInUse = { brand: 'A', texts: new Map([['fr', 'x {code}']]) };
    expect(withChange(before, { brand: 'B' })).toEqual({ ...before, brand: 'B' });
    expect(withChange(before, { brand: null, fr: null, en: 'y {code}' })).toEqual({
      brand: null,
      texts: new Map([['en', 'y {code}']]),
    });
  });
});

describe('what sends may say after a change', () => {
  const inUse = [registered({ value: 'Old' }), registered({ kind: 'fr', value: 'a {code}' })];
  const mixes = (...args: Parameters<typeof mixesAfter>) =>
    mixesAfter(...args).map(({ brand, texts }) => `${brand} ${texts.get('fr') ?? 'usual'}`);

  it('is each brand beside each text, because they are approved one by one', () => {
    expect(mixes(inUse, { brand: 'New', fr: 'b {code}' }, false)).toEqual([
      'New b {code}',
      'New a {code}',
      'Old b {code}',
    ]);
    expect(mixes([], { brand: 'New', fr: 'b {code}' }, false)).toEqual(['New b {code}', 'New usual', 'null b {code}']);
  });

  it('is without what is taken away at once', () => {
    expect(mixes(inUse, { brand: 'New', fr: null }, false)).toEqual([
      'New usual',
      'New usual',
      'Old usual',
      'Old usual',
    ]);
    expect(mixes(inUse, { brand: null, fr: 'b {code}' }, false)).toContain('null a {code}');
  });

  it('is what the change has a part in, or all of it', () => {
    expect(mixes(inUse, { brand: 'New' }, false)).toEqual(['New a {code}', 'New a {code}']);
    expect(mixes(inUse, { brand: 'New' }, true)).toContain('Old a {code}');
    expect(mixes(inUse, {}, false)).toEqual([]);
  });
});

describe('a brand or a text by itself', () => {
  const hosts = ['shop.example'];
  test.each([
    ['brand', 'My Shop'],
    ['brand', 'متجر'],
    ['brand', 'Shop.example'],
    ['brand', 'H&M 24'],
    ['fr', '{code} est votre code {brand}. Ne le communiquez à personne.'],
    ['fr', 'Bonjour, {code}'],
    ['en', 'Your shop.example code: {code}.'],
    ['ar', '{code} هو رمز {brand}'],
  ] as const)('%s %s', (kind, value) => expect(wordingProblem(kind, value, hosts)).toBeNull());

  test.each([
    ['fr', 'Bonjour', /must contain \{code\}/],
    ['fr', '{code} {code}', /only once/],
    ['fr', '{code} {brand} {brand}', /only once/],
    ['fr', '{code} {name}', /brace/],
    ['fr', '1{code}', /space or a sign/],
    ['fr', '{brand}{code}', /space or a sign/],
    ['fr', '{code}\n@evil.example #123', /line breaks/],
    ['fr', '{code} \u202e', /direction marks/],
    ['fr', '{code} 2024', /four digits/],
    ['en', 'Your id: {code}', /must not contain "id:"/],
    ['en', 'Done date :{code}', /"date :"/],
    ['fr', '{code} ٢٠٢٤', /four digits/],
    ['fr', '{code} https://shop.example', /address https:\/\/shop\.example/],
    ['fr', '{code} shop.example/x', /address shop\.example\/x/],
    ['fr', '{code} evil.example', /address evil\.example/],
    ['fr', '{code} www.shop', /address www\.shop/],
    ['fr', '{code} ou {brand}.com', /address brand\.com/],
    ['fr', '{code} www.{brand}', /address www\.brand/],
    ['fr', '{code} shop.example/{brand}', /address shop\.example\/brand/],
    ['fr', '{code}.com', /address code\.com/],
    ['fr', 'https://shop.example/{code}', /address https:\/\/shop\.example\/code/],
    ['fr', '{code} 203.0.113.7/x', /address 203\.0\.113\.7\/x/],
    ['fr', '{code} аррӏе.com', /address аррӏе\.com/],
    ['brand', ' Shop', /begin or end with a space/],
    ['brand', 'Shop {code}', /braces/],
    ['brand', 'Shop 2024', /four digits/],
    ['brand', 'evil.example', /address/],
    ['brand', 'Shop\n', /line breaks/],
  ] as const)('not %s %j', (kind, value, problem) => expect(wordingProblem(kind, value, hosts)).toMatch(problem));
});

const room: Room = { codeLength: 10, defaultBrand: 'Ramz', autofill: [] };
const wording = (brand: string | null, texts: Partial<Record<Language, string>> = {}): WordingInUse => ({
  brand,
  texts: new Map(Object.entries(texts) as [Language, string][]),
});

describe('what an operator writes in receipts', () => {
  it('is not made of a brand and the colon behind it', () => {
    expect(receiptKeyIn(wording('Mobile ID'), room)).toEqual({ kind: 'brand', language: 'fr', key: 'ID :' });
    expect(receiptKeyIn(wording('Mobile ID', { fr: '{code} est votre code {brand}.' }), room)).toBeNull();
    expect(receiptKeyIn(wording('Sub', { en: '{brand}: {code}', fr: '{code}' }), room)).toEqual({
      kind: 'en',
      language: 'en',
      key: 'Sub:',
    });
    expect(receiptKeyIn(wording(null, { en: '{brand}: {code}' }), { ...room, defaultBrand: 'Err' })).toMatchObject({
      kind: 'en',
    });
    expect(receiptKeyIn(wording('My Shop', { en: '{brand}: {code}' }), room)).toBeNull();
    expect(receiptKeyIn(wording('Grid'), room)).toBeNull();
  });
});

describe('one segment in every language', () => {
  it('names the language and how much is too much', () => {
    expect(overflow(wording('My Shop'), room)).toBeNull();
    // رمز … هو and ten digits between two marks leave 50 characters.
    expect(overflow(wording('x'.repeat(50)), room)).toBeNull();
    expect(overflow(wording('x'.repeat(53)), room)).toEqual({
      kind: 'brand',
      language: 'ar',
      autofill: {},
      by: 3,
      costly: [],
    });
  });

  it('counts the line of each site and app that is registered', () => {
    const webOrigin = `https://${'a'.repeat(27)}.dz`;
    const found = overflow(wording('My Grand Shop'), { ...room, autofill: [{ webOrigin }] });
    expect(found).toMatchObject({ kind: 'brand', language: 'ar', autofill: { webOrigin } });
  });

  it('says which letters leave 70 characters', () => {
    const fr = '{code} est le code de votre reçu chez {brand}, ne le communiquez à personne';
    expect(overflow(wording(null, { fr }), room)).toMatchObject({ kind: 'fr', language: 'fr', costly: ['ç'] });
    expect(overflow(wording(null, { fr: fr.replace('ç', 'c') }), room)).toBeNull();
  });

  it('counts the deployment’s brand in a text that names one', () => {
    const ar = `{code} ${'ب'.repeat(45)} {brand}`;
    expect(overflow(wording(null, { ar }), { ...room, defaultBrand: 'R' })).toBeNull();
    expect(overflow(wording(null, { ar }), { ...room, defaultBrand: 'A Long Brand' })).toMatchObject({ kind: 'ar' });
  });

  it('holds: what is not refused is sent as it was asked for, whatever the code', () => {
    const language = fc.constantFrom<Language>('ar', 'fr', 'en');
    const words = fc.string({ unit: fc.constantFrom(...'متجر Shop&éçΔ€.'), maxLength: 60 });
    const lines = fc.subarray([{}, { androidAppHash: 'FA+9qCX9VSu' }, { webOrigin: 'https://shop.example' }]);
    let kept = 0;
    fc.assert(
      fc.property(
        language,
        words,
        words,
        words,
        fc.boolean(),
        lines,
        (inLanguage, before, after, brand, named, autofill) => {
          const template = `${before} {code} ${named ? '{brand} ' : ''}${after}`;
          fc.pre(wordingProblem(inLanguage, template, []) === null && wordingProblem('brand', brand, []) === null);
          if (overflow(wording(brand, { [inLanguage]: template }), { ...room, autofill })) return;
          kept += 1;
          for (const line of [{}, ...autofill]) {
            for (const code of ['1234', '0123456789']) {
              expect(smsText({ language: inLanguage, code, brand, template, autofill: line })).toMatchObject({
                says: 'template',
              });
              for (const other of ['ar', 'fr', 'en'] as const) {
                expect(smsText({ language: other, code, brand, autofill: line })).toMatchObject({
                  says: other === inLanguage ? expect.any(String) : 'brand',
                });
              }
            }
          }
        },
      ),
      { numRuns: 600 },
    );
    expect(kept).toBeGreaterThan(20);
  });
});
