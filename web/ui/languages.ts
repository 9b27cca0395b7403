// The languages of our pages: which one is shown, and its words.

import { createContext, useCallback, useContext } from 'react';
import { keepChoice, readChoice } from './site-data.ts';
import { filled, type Language, languages, type Values, type Words } from './words.ts';

export { directionOf, type Language, languages, type Words } from './words.ts';

/** Names of the languages, each in its own. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', fr: 'Français', ar: 'العربية' };

const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);

const stored = 'ramz-language';

/** `?lang=ar` in the address, then what was chosen before, then what the browser asks for. */
export function initialLanguage(): Language {
  const asked = [new URLSearchParams(location.search).get('lang'), readChoice(stored), ...navigator.languages];
  return asked.map((text) => (text ?? '').slice(0, 2)).find(isLanguage) ?? 'en';
}

export const keepLanguage = (language: Language): void => keepChoice(stored, language);

export interface LanguageChoice {
  language: Language;
  choose(language: Language): void;
}

export const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => {} });

/** The words of the language shown. `{name}` in a word is replaced by the value of that name. */
export function useWords<Key extends string>(words: Words<Key>): (key: Key, values?: Values) => string {
  const { language } = useContext(LanguageContext);
  return useCallback((key, values = {}) => filled(language, words[language][key], values), [words, language]);
}
