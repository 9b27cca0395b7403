// The words of our pages: tables of languages, so that a missing word is an error of the compiler, and how their values are filled in. It
// needs no browser, so that its tests run without one.

export const languages = ['en', 'fr', 'ar'] as const;

export type Language = (typeof languages)[number];

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** Where a count changes the word: its form for each of the language's plural rules, `other` where there is none. */
type Counted = Readonly<{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>>;

export type Word = string | Counted;

/** A table of words: every language has every key of the English one. */
export type Words<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, Word>>>>;

export type Values = Readonly<Record<string, string | number>>;

const rules: Readonly<Record<Language, Intl.PluralRules>> = {
  en: new Intl.PluralRules('en'),
  fr: new Intl.PluralRules('fr'),
  ar: new Intl.PluralRules('ar'),
};

/** A phone number, or digits and keys in groups. */
const groups = /^(?:\+[\d ]+|[\d*#]+(?: [\d*#]+)+)$/;

/**
 * A number as it stands in a text of the language. Between Arabic words each group of digits is a number of its own, and the groups are drawn
 * from right to left: U+2066 and U+2069 isolate them. They are characters, since notifications and labels have no elements.
 */
const isolated = (language: Language, value: string): string =>
  directionOf(language) === 'rtl' && groups.test(value) ? `\u2066${value}\u2069` : value;

/** The word with each `{name}` replaced by the value of that name; `{count}` chooses its form. */
export function filled(language: Language, word: Word, values: Values): string {
  const text = typeof word === 'string' ? word : (word[rules[language].select(Number(values.count))] ?? word.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => isolated(language, String(values[name] ?? whole)));
}
