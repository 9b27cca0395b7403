// The reasons of a story in the languages of the pages. English is the story's own.

import { useCallback } from 'react';
import { english, type ReasonCode, sentence, type Why } from '../../src/story/reasons.ts';
import { type Language, useWords, type Words } from '../ui/languages.ts';

const fr: Record<ReasonCode, string> = {
  waiting: 'attend l’accusé',
  on_its_way: 'en route vers {carrier}',
  call_ringing: 'le téléphone sonne',
  call_talking: 'l’appel est décroché',
  delivered: '{carrier} dit {word}',
  delivered_late: '{carrier} dit {word}, {seconds} s trop tard',
  heard: 'le code a été entendu',
  no_receipt: 'aucun accusé en {seconds} s',
  not_picked_up: 'pas décroché en {seconds} s',
  not_taken: '{carrier} ne l’a pas pris en {seconds} s',
  in_doubt: 'aucun accusé en {seconds} s, et nul ne sait si {carrier} l’a reçu',
  receipt: '{carrier} dit {word} {error}',
  delivered_elsewhere: 'le code est arrivé autrement',
  resent: 'renvoyé',
  not_needed: 'plus envoyé',
  session_verified: 'le code était juste',
  session_expired: 'le code a expiré',
  session_canceled: 'annulé',
  session_failed: 'trop de codes faux',
  call_busy: 'la ligne est occupée',
  call_no_answer: 'pas décroché',
  call_rejected: 'l’appel a été refusé',
  call_hung_up: 'raccroché avant d’entendre le code',
  call_no_key: 'aucune touche, comme sur un répondeur',
  call_canceled: 'l’appel a été arrêté',
  call_unreachable: 'le téléphone est injoignable',
  call_media_lost: 'le son de l’appel a été perdu',
  sender_id_refused: '{carrier} a refusé l’expéditeur',
  submit_refused: '{carrier} l’a refusé {error}',
  timeout: '{carrier} n’a pas répondu à temps',
  connection_lost: 'la connexion à {carrier} s’est rompue',
  process_lost: 'le processus qui l’envoyait est mort',
  unreadable_answer: '{carrier} a donné une réponse illisible',
  unencodable: 'le texte n’a pas de forme que {carrier} accepte',
  not_on_app: 'le numéro n’est pas sur WhatsApp',
  throttled: '{carrier} demande de ralentir',
  channel_down: '{carrier} ne sert pas ce déploiement pour le moment',
  misconfigured: '{carrier} ne peut pas utiliser ce qui est configuré',
  internal_error: 'une faute de ce service',
  account_suspended: 'le compte est suspendu',
  not_delivered_in_time: '{carrier} ne l’a pas livré dans son délai',
  channel_not_configured: 'ce canal n’existe pas ici',
  no_operator: 'aucun opérateur ne dessert le numéro',
  operator_down: '{carrier} est injoignable pour le moment',
  operator_maintenance: '{carrier} est mis hors service pour le moment',
  sender_id_not_approved: 'l’expéditeur n’est pas approuvé chez {carrier}',
  in_country_only: 'seuls les canaux du pays sont permis',
  budget_exhausted: 'un budget n’y suffit plus',
  other: '{word} {error}',
};

const ar: Record<ReasonCode, string> = {
  waiting: 'بانتظار الإشعار',
  on_its_way: 'في الطريق إلى {carrier}',
  call_ringing: 'الهاتف يرن',
  call_talking: 'تم الرد على المكالمة',
  delivered: '{carrier}: {word}',
  delivered_late: '{carrier}: {word}، متأخرا {seconds} ث',
  heard: 'سُمع الرمز',
  no_receipt: 'لا إشعار خلال {seconds} ث',
  not_picked_up: 'لم يُرد عليها خلال {seconds} ث',
  not_taken: 'لم يأخذها {carrier} خلال {seconds} ث',
  in_doubt: 'لا إشعار خلال {seconds} ث، ولا يُعرف إن كانت قد وصلت إلى {carrier}',
  receipt: '{carrier}: {word} {error}',
  delivered_elsewhere: 'وصل الرمز بطريق آخر',
  resent: 'أُعيد الإرسال',
  not_needed: 'لم تعد تُرسل',
  session_verified: 'كان الرمز صحيحا',
  session_expired: 'انتهت مدة الرمز',
  session_canceled: 'أُلغيت',
  session_failed: 'رموز خاطئة كثيرة',
  call_busy: 'الخط مشغول',
  call_no_answer: 'لم يُرد عليها',
  call_rejected: 'رُفضت المكالمة',
  call_hung_up: 'أُغلق الخط قبل سماع الرمز',
  call_no_key: 'لم يُضغط أي زر، كما في البريد الصوتي',
  call_canceled: 'أُوقفت المكالمة',
  call_unreachable: 'تعذر الوصول إلى الهاتف',
  call_media_lost: 'انقطع صوت المكالمة',
  sender_id_refused: 'رفض {carrier} المرسل',
  submit_refused: 'رفضها {carrier} {error}',
  timeout: 'لم يجب {carrier} في الوقت',
  connection_lost: 'انقطع الاتصال مع {carrier}',
  process_lost: 'ماتت العملية التي كانت ترسلها',
  unreadable_answer: 'أعطى {carrier} جوابا لا يُقرأ',
  unencodable: 'لا صيغة للنص يقبلها {carrier}',
  not_on_app: 'الرقم ليس على واتساب',
  throttled: 'يطلب {carrier} الإبطاء',
  channel_down: 'لا يخدم {carrier} هذا النظام الآن',
  misconfigured: 'لا يستطيع {carrier} استعمال ما ضُبط',
  internal_error: 'خلل في هذه الخدمة',
  account_suspended: 'الحساب موقوف',
  not_delivered_in_time: 'لم يسلمها {carrier} في المهلة',
  channel_not_configured: 'لا توجد هذه القناة هنا',
  no_operator: 'لا مشغل يخدم الرقم',
  operator_down: 'لا يمكن الوصول إلى {carrier} الآن',
  operator_maintenance: '{carrier} موقوف حاليا',
  sender_id_not_approved: 'المرسل غير معتمد لدى {carrier}',
  in_country_only: 'لا يُسمح إلا بقنوات البلد',
  budget_exhausted: 'لم يبق في الميزانية ما يكفيها',
  other: '{word} {error}',
};

const templates: Record<Language, Readonly<Record<ReasonCode, string>>> = { en: english, fr, ar };

/** The story's own words for a carrier without a name. */
const carriers: Words<'the operator' | 'the trunk' | 'WhatsApp'> = {
  en: { 'the operator': 'the operator', 'the trunk': 'the trunk', WhatsApp: 'WhatsApp' },
  fr: { 'the operator': 'l’opérateur', 'the trunk': 'la liaison', WhatsApp: 'WhatsApp' },
  ar: { 'the operator': 'المشغل', 'the trunk': 'خط المكالمات', WhatsApp: 'واتساب' },
};

/** A reason in the language shown. */
export function useReason(language: Language): (why: Why) => string {
  const say = useWords(carriers);
  return useCallback(
    (why) => {
      const { carrier } = why;
      const name = carrier in carriers.en ? say(carrier as keyof typeof carriers.en) : carrier;
      return sentence(templates[language][why.code], { ...why, carrier: name });
    },
    [language, say],
  );
}
