// The words of our pages: tables of languages, so that a missing word is an error of the compiler, and how their values are filled in. It
// needs no browser, so that its tests run without one.

export const languages = ['en', 'fr', 'ar'] as const;

export type Language = (typeof languages)[number];

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** A table of words: every language has every key of the English one. */
export type Words<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>;

export type Values = Readonly<Record<string, string | number>>;

/** The word with each `{name}` replaced by the value of that name. */
export const filled = (word: string, values: Values): string =>
  word.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
