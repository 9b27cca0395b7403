// What a bank says: its clips, and the words of each in every language a call can have. The recording kit, the recorder's page and the
// script that makes the placeholders take the words from here, so that a bank of any origin says the same.

export const clipNames = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'intro', 'press', 'again', 'bye'] as const;

export type ClipName = (typeof clipNames)[number];

export const promptLanguages = ['ar', 'fr'] as const;

export type PromptLanguage = (typeof promptLanguages)[number];

/** A digit is one word; every other clip is one or two sentences. */
export const isDigit = (name: ClipName): boolean => name.length === 1;

export interface ClipText {
  /** As people write it. */
  text: string;
  /** The same in Latin letters, as people type Arabic on a phone; only where `text` is Arabic. */
  latin?: string;
  /** What a synthesiser is given, where it needs another spelling than people do. */
  spoken?: string;
}

// The reading is: intro, press, [a key], digits, again, digits, [1: digits once more], bye. So `press` comes before anything of the code,
// and `again` comes before every reading but the first.
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
  again: { text: "Je répète votre code. À la fin, appuyez sur 1 pour l'entendre encore une fois." },
  bye: { text: 'Ne donnez ce code à personne. Au revoir.' },
};

// The dialect of Algiers and its region. `spoken` has the vowels, and the final tāʾ marbūṭa that espeak-ng reads short: with a long [aː]
// at the end, seven of the ten digits sound alike.
const arabic: Record<ClipName, ClipText> = {
  0: { text: 'صفر', latin: 'sifr', spoken: 'صِفَرْ' },
  1: { text: 'واحد', latin: 'wahed', spoken: 'وَاحِدْ' },
  2: { text: 'زوج', latin: 'zouj', spoken: 'زُوجْ' },
  3: { text: 'تلاتة', latin: 'tlata', spoken: 'تْلَاتَة' },
  4: { text: 'ربعة', latin: 'reb3a', spoken: 'رَبْعَة' },
  5: { text: 'خمسة', latin: 'khamsa', spoken: 'خَمْسَة' },
  6: { text: 'ستة', latin: 'setta', spoken: 'سِتَّة' },
  7: { text: 'سبعة', latin: 'seb3a', spoken: 'سَبْعَة' },
  8: { text: 'تمنية', latin: 'tmenya', spoken: 'تْمَانْيَة' },
  9: { text: 'تسعة', latin: 'tes3a', spoken: 'تِسْعَة' },
  intro: {
    text: 'السلام عليكم. هادي مكالمة باش نعطيولك كود التحقق تاعك.',
    latin: 'Salam 3likoum. Hadi moukalama bach na3tiwlek code et-taha9o9 ta3ek.',
    spoken: 'اَلسَّلَامُ عَلَيْكُمْ. هَادِي مُكَالَمَة بَاشْ نَعْطِيوْلَكْ كُودْ اَلتَّحَقُّقْ تَاعَكْ.',
  },
  press: {
    text: 'باش تسمع الكود، ابرك على أي رقم في التيليفون.',
    latin: 'Bach tesma3 el-code, berrek 3la ay ra9m fe-téléphone.',
    spoken: 'بَاشْ تَسْمَعْ اَلْكُودْ، بَرَّكْ عْلَى أَيْ رَقَمْ فِي اَلتِّيلِيفُونْ.',
  },
  again: {
    text: 'نعاودلك الكود. في اللخر، ابرك على واحد باش تسمعو مرة أخرى.',
    latin: 'N3awedlek el-code. Fel-lekher, berrek 3la wahed bach tesma3ou marra okhra.',
    spoken: 'نْعَاوَدْلَكْ اَلْكُودْ. فِي اَللَّخَرْ، بَرَّكْ عْلَى وَاحِدْ بَاشْ تَسْمْعُو مَرَّة أُخْرَى.',
  },
  bye: {
    text: 'ما تعطي هاد الكود حتى لواحد. بالسلامة.',
    latin: 'Ma ta3ti had el-code hatta l-wahed. Beslama.',
    spoken: 'مَا تَعْطِي هَادْ اَلْكُودْ حَتَّى لْوَاحِدْ. بَالسَّلَامَة.',
  },
};

export const promptTexts: Record<PromptLanguage, Record<ClipName, ClipText>> = { ar: arabic, fr: french };
