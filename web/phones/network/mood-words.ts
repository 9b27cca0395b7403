// The moods in words, each with what it does to a message.

import type { Words } from '../../ui/languages.ts';
import type { MoodName } from '../door/events.ts';

type MoodWord = MoodName | `${MoodName}_line` | 'network' | 'trunk' | 'makeWell' | 'allWell';

export const moodWords: Words<MoodWord> = {
  en: {
    network: 'The network',
    trunk: 'Calls',
    makeWell: 'All well again',
    allWell: 'The whole network is well again',
    well: 'Well',
    well_line: 'Everything works.',
    slow: 'Slow',
    slow_line: 'Each answer takes three seconds.',
    throttling: 'Throttling',
    throttling_line: 'Refuses messages as too fast.',
    silent: 'Silent',
    silent_line: 'Takes everything; nothing arrives, no receipt.',
    stuck: 'Stuck',
    stuck_line: 'Stays connected and answers no message.',
    unbinding: 'Unbinding',
    unbinding_line: 'Hangs up while messages are under way.',
    down: 'Down',
    down_line: 'Connections are cut, and nobody answers.',
    refusing: 'Refusing',
    refusing_line: 'Refuses every message for good.',
  },
  fr: {
    network: 'Le réseau',
    trunk: 'Appels',
    makeWell: 'Tout rétablir',
    allWell: 'Tout le réseau est rétabli',
    well: 'Normal',
    well_line: 'Tout fonctionne.',
    slow: 'Lent',
    slow_line: 'Chaque réponse prend trois secondes.',
    throttling: 'Limite le débit',
    throttling_line: 'Refuse les messages : trop rapides.',
    silent: 'Muet',
    silent_line: 'Accepte tout ; rien n’arrive, aucun accusé.',
    stuck: 'Bloqué',
    stuck_line: 'Reste connecté et ne répond à aucun message.',
    unbinding: 'Raccroche',
    unbinding_line: 'Coupe la connexion quand des messages sont en route.',
    down: 'En panne',
    down_line: 'Connexions coupées, personne ne répond.',
    refusing: 'Refuse',
    refusing_line: 'Refuse définitivement chaque message.',
  },
  ar: {
    network: 'الشبكة',
    trunk: 'المكالمات',
    makeWell: 'إعادة كل شيء سليماً',
    allWell: 'عادت الشبكة كلها سليمة',
    well: 'سليم',
    well_line: 'كل شيء يعمل.',
    slow: 'بطيء',
    slow_line: 'كل جواب يستغرق ثلاث ثوانٍ.',
    throttling: 'يحدّ السرعة',
    throttling_line: 'يرفض الرسائل لأنها أسرع مما يقبل.',
    silent: 'صامت',
    silent_line: 'يقبل كل شيء، ولا يصل شيء ولا إشعار.',
    stuck: 'عالق',
    stuck_line: 'يبقى متصلاً ولا يجيب عن أي رسالة.',
    unbinding: 'ينهي الاتصال',
    unbinding_line: 'يقطع الاتصال والرسائل في الطريق.',
    down: 'معطل',
    down_line: 'الاتصالات مقطوعة ولا أحد يجيب.',
    refusing: 'رافض',
    refusing_line: 'يرفض كل رسالة رفضاً نهائياً.',
  },
};

/** A mood that a newer sandbox has and this page has no words for is not offered. */
export const isMoodWord = (mood: string): mood is MoodName => `${mood}_line` in moodWords.en;
