// Time as phones show it.

import type { Language } from '../../ui/words.ts';

/** Digits of codes and times stay Western, as on Algerian phones. */
const locales: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR', ar: 'ar-DZ-u-nu-latn' };

export const shownTime = (at: number | string, language: Language): string =>
  new Date(at).toLocaleTimeString(locales[language], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export const shownDay = (at: number, language: Language): string =>
  new Date(at).toLocaleDateString(locales[language], { weekday: 'long', day: 'numeric', month: 'long' });
