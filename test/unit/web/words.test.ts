// The words of the pages with their values: numbers that are read from left to right in Arabic, too, and the forms that a count asks for.
import { describe, expect, it } from 'vitest';
import { shownNumber } from '../../../web/phones/phones/numbers.ts';
import { phoneWords } from '../../../web/phones/phones/words.ts';
import { pictureWord } from '../../../web/session/timeline/words.ts';
import { paneWords } from '../../../web/session/words.ts';
import { filled, type Language, languages, type Values, type Words } from '../../../web/ui/words.ts';

const say = <Key extends string>(words: Words<Key>, language: Language, key: Key, values: Values) =>
  filled(language, words[language][key], values);

/** As they are isolated from the text around them. */
const apart = (number: string) => `\u2066${number}\u2069`;

describe('numbers in Arabic', () => {
  const number = shownNumber('+213550000001');

  it('stand apart from the words, so that their groups are drawn from left to right', () => {
    expect(say(phoneWords, 'ar', 'rings', { number })).toBe(`الهاتف ${apart('+213 550 00 00 01')} يرن`);
    const arrived = say(phoneWords, 'ar', 'arrived', { app: 'SMS', from: '+213 21 00 00 00', number });
    expect(arrived).toBe(`SMS من ${apart('+213 21 00 00 00')} على ${apart(number)}`);
    expect(say(paneWords, 'ar', 'noneYet', { to: '+213550000001' })).toContain(apart('+213550000001'));
    expect(filled('ar', 'رمزك: {code}', { code: '481 516' })).toBe(`رمزك: ${apart('481 516')}`);
    expect(say(phoneWords, 'ar', 'pressed', { keys: '1 * #' })).toBe(`ضُغط ${apart('1 * #')}`);
  });

  it('of one group need nothing, nor do words', () => {
    expect(say(phoneWords, 'ar', 'copy', { code: '123456' })).toBe('نسخ الرمز 123456');
    expect(say(paneWords, 'ar', 'codeValid', { time: '9:41' })).toBe('الرمز صالح 9:41');
    expect(say(phoneWords, 'ar', 'scenario', { name: 'يرن 2' })).toBe('السيناريو: يرن 2');
  });

  it('are left as they are in the other languages', () => {
    expect(say(phoneWords, 'en', 'rings', { number })).toBe('The phone +213 550 00 00 01 rings');
    expect(say(phoneWords, 'fr', 'rings', { number })).toBe('Le téléphone +213 550 00 00 01 sonne');
  });
});

describe('words with a count', () => {
  const forms = (word: (language: Language, count: number) => string) =>
    Object.fromEntries(languages.map((language) => [language, [1, 2, 3, 11].map((count) => word(language, count))]));

  it('tries that are left', () => {
    expect(forms((language, count) => say(paneWords, language, 'attempts', { count }))).toEqual({
      en: ['1 try left', '2 tries left', '3 tries left', '11 tries left'],
      fr: ['1 essai restant', '2 essais restants', '3 essais restants', '11 essais restants'],
      ar: ['بقيت محاولة واحدة', 'بقيت محاولتان', 'بقيت 3 محاولات', 'بقيت 11 محاولة'],
    });
    expect(languages.map((language) => say(paneWords, language, 'attempts', { count: 0 }))).toEqual([
      '0 tries left',
      '0 essai restant',
      'لم تبق محاولة',
    ]);
  });

  it('phones that are not drawn', () => {
    expect(forms((language, count) => say(phoneWords, language, 'more', { count }).replace(/ ?:.*/, ''))).toEqual({
      en: ['1 more phone', '2 more phones', '3 more phones', '11 more phones'],
      fr: ['1 autre téléphone', '2 autres téléphones', '3 autres téléphones', '11 autres téléphones'],
      ar: ['هاتف آخر', 'هاتفان آخران', '3 هواتف أخرى', '11 هاتفاً آخر'],
    });
  });

  it('keys that were pressed', () => {
    expect(forms((language, count) => pictureWord(language, 'keys', { count }))).toEqual({
      en: ['keys pressed: 1', 'keys pressed: 2', 'keys pressed: 3', 'keys pressed: 11'],
      fr: ['1 touche', '2 touches', '3 touches', '11 touches'],
      ar: ['أزرار مضغوطة: 1', 'أزرار مضغوطة: 2', 'أزرار مضغوطة: 3', 'أزرار مضغوطة: 11'],
    });
  });

  it('what is new in an app', () => {
    expect(forms((language, count) => say(phoneWords, language, 'unseen', { app: 'SMS', count }))).toEqual({
      en: ['SMS, 1 new', 'SMS, 2 new', 'SMS, 3 new', 'SMS, 11 new'],
      fr: ['SMS, 1 nouveau', 'SMS, 2 nouveaux', 'SMS, 3 nouveaux', 'SMS, 11 nouveaux'],
      ar: ['SMS، الجديد: 1', 'SMS، الجديد: 2', 'SMS، الجديد: 3', 'SMS، الجديد: 11'],
    });
  });
});
