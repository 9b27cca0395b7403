// Words on and around the phones.

import type { Words } from '../../ui/words.ts';

type PhoneWord =
  | 'phone'
  | 'show'
  | 'apps'
  | 'messages'
  | 'calls'
  | 'unseen'
  | 'nothing'
  | 'waiting'
  | 'answerMyself'
  | 'copy'
  | 'copied'
  | 'copyCode'
  | 'business'
  | 'noMessages'
  | 'noCalls'
  | 'call'
  | 'heard'
  | 'heardNothing'
  | 'pressed'
  | 'missed'
  | 'declined'
  | 'busy'
  | 'play'
  | 'pause'
  | 'incoming'
  | 'byItself'
  | 'answer'
  | 'decline'
  | 'connected'
  | 'hangUp'
  | 'keypad'
  | 'key'
  | 'pressHint'
  | 'listen'
  | 'stopListening'
  | 'arrived'
  | 'rings'
  | 'scenario'
  | 'more';

export const phoneWords: Words<PhoneWord> = {
  en: {
    phone: 'Phone {number}',
    show: 'Show the session of {number}',
    apps: 'Apps of {number}',
    messages: 'Messages',
    calls: 'Calls',
    unseen: '{app}, {count} new',
    nothing: 'Nothing arrived yet',
    waiting: 'A code is on its way',
    answerMyself: 'I answer calls myself',
    copy: 'Copy code {code}',
    copied: 'Code {code} copied',
    copyCode: 'Copy code',
    business: 'Business account',
    noMessages: 'No messages',
    noCalls: 'No calls',
    call: 'Call · {time}',
    heard: 'heard {digits}',
    heardNothing: 'no code heard',
    pressed: 'pressed {keys}',
    missed: 'Missed call',
    declined: 'Declined call',
    busy: 'Line was busy',
    play: 'Play the call',
    pause: 'Pause',
    incoming: 'Incoming call',
    byItself: 'The scenario decides what happens',
    answer: 'Answer',
    decline: 'Decline',
    connected: 'Call under way',
    hangUp: 'Hang up',
    keypad: 'Keypad',
    key: 'Press {key}',
    pressHint: 'Press a key to hear the code',
    listen: 'Listen',
    stopListening: 'Mute',
    arrived: '{app} from {from} on {number}',
    rings: 'The phone {number} rings',
    scenario: 'Scenario: {name}',
    more: {
      one: '{count} more phone: filter by number to see it.',
      other: '{count} more phones: filter by number to see them.',
    },
  },
  fr: {
    phone: 'Téléphone {number}',
    show: 'Afficher la session de {number}',
    apps: 'Applications de {number}',
    messages: 'Messages',
    calls: 'Appels',
    unseen: { one: '{app}, {count} nouveau', other: '{app}, {count} nouveaux' },
    nothing: 'Rien reçu pour l’instant',
    waiting: 'Un code est en route',
    answerMyself: 'Je réponds moi-même',
    copy: 'Copier le code {code}',
    copied: 'Code {code} copié',
    copyCode: 'Copier le code',
    business: 'Compte professionnel',
    noMessages: 'Aucun message',
    noCalls: 'Aucun appel',
    call: 'Appel · {time}',
    heard: 'entendu {digits}',
    heardNothing: 'aucun code entendu',
    pressed: 'touche {keys}',
    missed: 'Appel manqué',
    declined: 'Appel refusé',
    busy: 'Ligne occupée',
    play: 'Écouter l’appel',
    pause: 'Pause',
    incoming: 'Appel entrant',
    byItself: 'Le scénario décide de la suite',
    answer: 'Répondre',
    decline: 'Refuser',
    connected: 'Appel en cours',
    hangUp: 'Raccrocher',
    keypad: 'Clavier',
    key: 'Touche {key}',
    pressHint: 'Une touche pour entendre le code',
    listen: 'Écouter',
    stopListening: 'Couper le son',
    arrived: '{app} de {from} sur {number}',
    rings: 'Le téléphone {number} sonne',
    scenario: 'Scénario : {name}',
    more: {
      one: '{count} autre téléphone : filtrez par numéro.',
      other: '{count} autres téléphones : filtrez par numéro.',
    },
  },
  ar: {
    phone: 'الهاتف {number}',
    show: 'عرض جلسة {number}',
    apps: 'تطبيقات {number}',
    messages: 'الرسائل',
    calls: 'المكالمات',
    unseen: '{app}، الجديد: {count}',
    nothing: 'لم يصل شيء بعد',
    waiting: 'الرمز في الطريق',
    answerMyself: 'أردّ على المكالمات بنفسي',
    copy: 'نسخ الرمز {code}',
    copied: 'نُسخ الرمز {code}',
    copyCode: 'نسخ الرمز',
    business: 'حساب أعمال',
    noMessages: 'لا رسائل',
    noCalls: 'لا مكالمات',
    call: 'مكالمة · {time}',
    heard: 'سُمع {digits}',
    heardNothing: 'لم يُسمع رمز',
    pressed: 'ضُغط {keys}',
    missed: 'مكالمة فائتة',
    declined: 'مكالمة مرفوضة',
    busy: 'كان الخط مشغولاً',
    play: 'تشغيل المكالمة',
    pause: 'إيقاف مؤقت',
    incoming: 'مكالمة واردة',
    byItself: 'السيناريو يقرر ما يحدث',
    answer: 'رد',
    decline: 'رفض',
    connected: 'مكالمة جارية',
    hangUp: 'إنهاء المكالمة',
    keypad: 'لوحة المفاتيح',
    key: 'اضغط {key}',
    pressHint: 'اضغط زراً لسماع الرمز',
    listen: 'استماع',
    stopListening: 'كتم الصوت',
    arrived: '{app} من {from} على {number}',
    rings: 'الهاتف {number} يرن',
    scenario: 'السيناريو: {name}',
    more: {
      one: 'هاتف آخر: رشّح بالرقم لرؤيته.',
      two: 'هاتفان آخران: رشّح بالرقم لرؤيتهما.',
      few: '{count} هواتف أخرى: رشّح بالرقم لرؤيتها.',
      many: '{count} هاتفاً آخر: رشّح بالرقم لرؤيتها.',
      other: '{count} هاتف آخر: رشّح بالرقم لرؤيتها.',
    },
  },
};
