// Words of the form with which one sends a code of one's own.

import type { Words } from '../../ui/languages.ts';

type FormWord =
  | 'form'
  | 'operator'
  | 'to'
  | 'toHint'
  | 'language'
  | 'sender'
  | 'channel'
  | 'firstOfCascade'
  | 'sms'
  | 'voice'
  | 'cascade'
  | 'preset'
  | 'fast'
  | 'usual'
  | 'service'
  | 'secondsOf'
  | 'send';

export const formWords: Words<FormWord> = {
  en: {
    form: 'Send a code of your own',
    operator: 'Operator',
    to: 'Number',
    toHint: 'The next free one; any other is fine.',
    language: 'Language',
    sender: 'Sender',
    channel: 'First channel',
    firstOfCascade: 'as in the cascade',
    sms: 'SMS',
    voice: 'Call',
    cascade: 'Cascade, and how long legs wait',
    preset: 'Preset of the cascade',
    fast: 'Fast 3 s',
    usual: 'Usual 15 s',
    service: 'Account’s',
    secondsOf: '{channel}: seconds to wait',
    send: 'Send a code',
  },
  fr: {
    form: 'Envoyer votre propre code',
    operator: 'Opérateur',
    to: 'Numéro',
    toHint: 'Le prochain libre ; tout autre convient.',
    language: 'Langue',
    sender: 'Expéditeur',
    channel: 'Premier canal',
    firstOfCascade: 'selon la cascade',
    sms: 'SMS',
    voice: 'Appel',
    cascade: 'Cascade et attentes',
    preset: 'Modèle de cascade',
    fast: 'Rapide 3 s',
    usual: 'Usuelle 15 s',
    service: 'Compte',
    secondsOf: '{channel} : secondes d’attente',
    send: 'Envoyer un code',
  },
  ar: {
    form: 'أرسل رمزاً من عندك',
    operator: 'المتعامل',
    to: 'الرقم',
    toHint: 'الرقم الحر التالي، وأي رقم آخر يصلح.',
    language: 'اللغة',
    sender: 'المرسل',
    channel: 'القناة الأولى',
    firstOfCascade: 'حسب التسلسل',
    sms: 'رسالة قصيرة',
    voice: 'مكالمة',
    cascade: 'التسلسل ومدد الانتظار',
    preset: 'تسلسل جاهز',
    fast: 'سريع 3 ث',
    usual: 'معتاد 15 ث',
    service: 'الحساب',
    secondsOf: '{channel}: ثواني الانتظار',
    send: 'أرسل رمزاً',
  },
};
