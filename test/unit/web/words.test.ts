// The words of the pages with their values: numbers that are read from left to right in Arabic, too.
import { describe, expect, it } from 'vitest';
import { shownNumber } from '../../../web/phones/phones/numbers.ts';
import { phoneWords } from '../../../web/phones/phones/words.ts';
import { paneWords } from '../../../web/session/words.ts';
import { filled, type Language, type Values, type Words } from '../../../web/ui/words.ts';

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
