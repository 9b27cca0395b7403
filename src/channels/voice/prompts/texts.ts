// What a bank says: its clips, and the words of each in every language a call can have. The recording kit, the recorder's page and the
// script that makes the placeholders take the words from here, so that a bank of any origin says the same.

import type { ClipName } from '../clip.ts';

export const promptLanguages = ['ar', 'fr'] as const;

export type PromptLanguage = (typeof promptLanguages)[number];

/** A digit is one word; every other clip is one or two sentences. */
export const isDigit = (name: ClipName): boolean => name.length === 1;

export interface ClipText {
  /** As people write it. */
  text: string;
  /** The same in Latin letters, as people type Arabic on a phone; only where `text` is Arabic. */
  latin?: string;
  /** What espeak-ng is given, where it needs another spelling than people do. */
  spoken?: string;
}

// `press` is spoken before anything of the code; `again` once the code has been read twice, or before the second time: it fits both.
const french: Record<ClipName, ClipText> = {
  0: { text: 'zéro' },
  1: { text: 'un' },
  2: { text: 'deux' },
  3: { text: 'trois' },
  4: { text: 'quatre' },
  5: { text: 'cinq' },
  6: { text: 'six' },
  7: { text: 'sept' },
  8: { text: 'huit' },
  9: { text: 'neuf' },
  intro: { text: 'Bonjour. Ceci est un appel pour vous donner votre code de vérification.' },
  press: { text: 'Pour entendre le code, appuyez sur une touche du téléphone.' },
  again: { text: 'Pour entendre le code encore une fois, appuyez sur 1.' },
  bye: { text: 'Ne donnez ce code à personne. Au revoir.' },
};

// The dialect of Algiers and its region. `spoken` has espeak-ng's own phonemes, because its rules for the standard language say "tlatat" for
// tlata, drop vowels beside a doubled consonant, and end seven of the ten digits in the same long [aː].
const arabic: Record<ClipName, ClipText> = {
  0: { text: 'صفر', latin: 'sifr', spoken: "[[s['efaR]]" },
  1: { text: 'واحد', latin: 'wahed', spoken: "[[w'a:Hid]]" },
  2: { text: 'زوج', latin: 'zouj', spoken: "[[z'oudZ]]" },
  3: { text: 'تلاتة', latin: 'tlata', spoken: "[[tl'a:ta]]" },
  4: { text: 'ربعة', latin: 'reb3a', spoken: "[[R'abAa]]" },
  5: { text: 'خمسة', latin: 'khamsa', spoken: "[[X'amsa]]" },
  6: { text: 'ستة', latin: 'setta', spoken: "[[s'it:a]]" },
  7: { text: 'سبعة', latin: 'seb3a', spoken: "[[s'abAa]]" },
  8: { text: 'تمنية', latin: 'tmenya', spoken: "[[tm'a:nja]]" },
  9: { text: 'تسعة', latin: 'tes3a', spoken: "[[t'isAa]]" },
  intro: {
    text: 'السلام عليكم. هادي مكالمة باش نعطيولك كود التحقق تاعك.',
    latin: 'Salam 3likoum. Hadi moukalama bach na3tiwlek code et-taha9o9 ta3ek.',
    spoken: "[[sal'a:mu Aal'i:kum]]. [[h'a:di mukal'ama ba:S naAt['i:wlak ku:d attaH'aquq t'a:Aak]].",
  },
  press: {
    text: 'باش تسمع الكود، ابرك على أي رقم في التيليفون.',
    latin: 'Bach tesma3 el-code, berrek 3la ay ra9m fe-téléphone.',
    spoken: "[[ba:S t'asmaA lk'u:d]], [[b'aRRak Al'a: ?'ai R'aqam fi tilif'u:n]].",
  },
  again: {
    text: 'باش تسمع الكود مرة أخرى، ابرك على واحد.',
    latin: 'Bach tesma3 el-code marra okhra, berrek 3la wahed.',
    spoken: "[[ba:S t'asmaA lk'u:d m'aRRa ?'uXRa]], [[b'aRRak Al'a: w'a:Hid]].",
  },
  bye: {
    text: 'ما تعطي هاد الكود حتى لواحد. بالسلامة.',
    latin: 'Ma ta3ti had el-code hatta l-wahed. Beslama.',
    spoken: "[[ma: t'aAt[i: had lk'u:d H'atta lw'a:Hid]]. [[bassl'a:ma]].",
  },
};

export const promptTexts: Record<PromptLanguage, Record<ClipName, ClipText>> = { ar: arabic, fr: french };
