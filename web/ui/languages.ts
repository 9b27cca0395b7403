// The languages of our pages: which one is shown, and which way it runs. A page's words are a table of languages, so that a missing word
// is an error of the compiler.

import { createContext, useCallback, useContext } from 'react';

export const languages = ['en', 'fr', 'ar'] as const;

export type Language = (typeof languages)[number];

/** Names of the languages, each in its own. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', fr: 'Français', ar: 'العربية' };

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** A table of words: every language has every key of the English one. */
export type Words<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>;

const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);

const stored = 'ramz-language';

/** `?lang=ar` in the address, then what was chosen before, then what the browser asks for. */
export function initialLanguage(): Language {
  const asked = [
    new URLSearchParams(location.search).get('lang'),
    localStorage.getItem(stored),
    ...navigator.languages,
  ];
  return asked.map((text) => (text ?? '').slice(0, 2)).find(isLanguage) ?? 'en';
}

export const keepLanguage = (language: Language): void => localStorage.setItem(stored, language);

export interface LanguageChoice {
  language: Language;
  choose(language: Language): void;
}

export const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => {} });

/** The words of the language shown. `{name}` in a word is replaced by the value of that name. */
export function useWords<Key extends string>(
  words: Words<Key>,
): (key: Key, values?: Record<string, string | number>) => string {
  const { language } = useContext(LanguageContext);
  return useCallback(
    (key, values = {}) =>
      words[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)),
    [words, language],
  );
}
