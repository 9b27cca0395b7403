// What went wrong with a send, in plain words. Codes without words here are shown with the service's own sentence.

import type { Words } from '../../ui/languages.ts';

export type ProblemWord =
  | 'invalid_phone_number'
  | 'unsupported_destination'
  | 'sender_id_not_approved'
  | 'no_route'
  | 'session_differs'
  | 'resend_too_soon'
  | 'too_many_sends'
  | 'number_rate_limited'
  | 'overloaded'
  | 'unavailable';

export const problemWords: Words<ProblemWord> = {
  en: {
    invalid_phone_number: 'This is not a mobile number in international format.',
    unsupported_destination: 'No operator of the sandbox serves this number.',
    sender_id_not_approved: 'The operator of this number has not approved this sender name.',
    no_route: 'No leg of the cascade can reach this number.',
    session_differs: 'A session to this number is open with other settings. Wait, or take another number.',
    resend_too_soon: 'The last code went out a moment ago. Wait half a minute, or take another number.',
    too_many_sends: 'This session has had all its sends. Take another number.',
    number_rate_limited: 'Too many codes to this number. Take another number.',
    overloaded: 'The service is busy. Try again in a moment.',
    unavailable: 'The service does not answer. Is it running?',
  },
  fr: {
    invalid_phone_number: 'Ce n’est pas un numéro mobile au format international.',
    unsupported_destination: 'Aucun opérateur du bac à sable ne dessert ce numéro.',
    sender_id_not_approved: 'L’opérateur de ce numéro n’a pas approuvé ce nom d’expéditeur.',
    no_route: 'Aucune étape de la cascade ne peut joindre ce numéro.',
    session_differs: 'Une session vers ce numéro est ouverte avec d’autres réglages. Attendez, ou changez de numéro.',
    resend_too_soon: 'Le dernier code vient de partir. Attendez une demi-minute, ou changez de numéro.',
    too_many_sends: 'Cette session a épuisé ses envois. Changez de numéro.',
    number_rate_limited: 'Trop de codes vers ce numéro. Changez de numéro.',
    overloaded: 'Le service est occupé. Réessayez dans un instant.',
    unavailable: 'Le service ne répond pas. Est-il lancé ?',
  },
  ar: {
    invalid_phone_number: 'هذا ليس رقم هاتف محمول بالصيغة الدولية.',
    unsupported_destination: 'لا يخدم هذا الرقم أيّ متعامل في بيئة التجربة.',
    sender_id_not_approved: 'لم يوافق متعامل هذا الرقم على اسم المرسل.',
    no_route: 'لا يمكن لأي مرحلة من التسلسل بلوغ هذا الرقم.',
    session_differs: 'توجد جلسة مفتوحة لهذا الرقم بإعدادات أخرى. انتظر أو اختر رقماً آخر.',
    resend_too_soon: 'أُرسل الرمز الأخير قبل لحظة. انتظر نصف دقيقة أو اختر رقماً آخر.',
    too_many_sends: 'استنفدت هذه الجلسة مرات الإرسال. اختر رقماً آخر.',
    number_rate_limited: 'رموز كثيرة إلى هذا الرقم. اختر رقماً آخر.',
    overloaded: 'الخدمة مشغولة. أعد المحاولة بعد لحظة.',
    unavailable: 'الخدمة لا تجيب. هل هي قيد التشغيل؟',
  },
};

export const isProblemWord = (code: string): code is ProblemWord => code in problemWords.en;
