// What the platform itself writes into authentication templates: businesses choose the parts, never the words.

interface Words {
  /** `{{1}}` is the code. */
  body: string;
  recommendation: string;
  expiry(minutes: number): string;
  copy: string;
}

const words: Readonly<Record<string, Words>> = {
  en: {
    body: '*{{1}}* is your code.',
    recommendation: 'Keep it to yourself.',
    expiry: (minutes) => `Valid for ${minutes} minutes.`,
    copy: 'Copy code',
  },
  fr: {
    body: '*{{1}}* est votre code.',
    recommendation: 'Gardez-le pour vous.',
    expiry: (minutes) => `Valable ${minutes} minutes.`,
    copy: 'Copier le code',
  },
  ar: {
    body: 'رمزك هو *{{1}}*.',
    recommendation: 'احتفظ به لنفسك.',
    expiry: (minutes) => `صالح لمدة ${minutes} دقيقة.`,
    copy: 'نسخ الرمز',
  },
};

/** Languages the sandbox's platform speaks; `en_US` counts as `en`. */
export const languageOf = (code: string): Words | undefined => words[code.split('_')[0] ?? ''];

export const templateLanguages = Object.keys(words);
