// Values of the contract in plain words: statuses for badges, and the errors that the pane's own calls may get. One that is not known here
// is shown as the service says it.

import { ConnectError } from '@connectrpc/connect';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';

/** Those of ui/languages.ts, which needs a browser; this file does not, so that its tests run without one. */
type Language = 'ar' | 'en' | 'fr';

type Table = Readonly<Record<string, string>>;

const tables: Readonly<Record<Language, Table>> = {
  en: {
    pending: 'waiting for the code',
    verified: 'verified',
    expired: 'expired',
    canceled: 'canceled',
    failed: 'failed',
    sending: 'on its way',
    delivered: 'delivered',
    exhausted: 'not delivered',
    incorrect_code: 'Wrong: it is another code.',
    too_many_attempts: 'Every try is used up.',
    already_verified: 'This code was already used.',
    check_expired: 'Too late: the time of the code ran out.',
    check_canceled: 'The session was canceled.',
    status_too_many_attempts: 'every try used up',
    status_canceled_by_client: 'canceled by a call',
    status_replaced: 'replaced by a newer session',
    status_superseded: 'replaced by one with another code',
    status_reported_fraud: 'reported as fraud',
    status_number_erased: 'the number was erased',
    resend_too_soon: 'Too soon: the last send was just now.',
    too_many_sends: 'It was sent as often as a session allows.',
    session_not_pending: 'The session is over.',
    session_not_found: 'There is no such session.',
    session_differs: 'A running session to this number asks for something else.',
    no_route: 'No channel can be used for this number.',
    number_rate_limited: 'Too many sends to this number; wait a while.',
    number_locked: 'Too many wrong codes for this number; wait a while.',
    number_needs_unlock: 'Too many wrong codes in a row: the operator of the service has to unlock this number.',
    invalid_code: 'A code has 4 to 10 digits.',
    overloaded: 'The service is busy; try again.',
    unreachable: 'The service can not be reached.',
  },
  fr: {
    pending: 'attend le code',
    verified: 'vérifié',
    expired: 'expiré',
    canceled: 'annulé',
    failed: 'échoué',
    sending: 'en route',
    delivered: 'remis',
    exhausted: 'non remis',
    incorrect_code: 'Faux : c’est un autre code.',
    too_many_attempts: 'Tous les essais sont épuisés.',
    already_verified: 'Ce code a déjà servi.',
    check_expired: 'Trop tard : le code a expiré.',
    check_canceled: 'La session a été annulée.',
    status_too_many_attempts: 'essais épuisés',
    status_canceled_by_client: 'annulé par un appel',
    status_replaced: 'remplacé par une session plus récente',
    status_superseded: 'remplacé par une session avec un autre code',
    status_reported_fraud: 'signalé comme fraude',
    status_number_erased: 'le numéro a été effacé',
    resend_too_soon: 'Trop tôt : le dernier envoi vient de partir.',
    too_many_sends: 'Une session ne permet pas plus d’envois.',
    session_not_pending: 'La session est terminée.',
    session_not_found: 'Cette session n’existe pas.',
    session_differs: 'Une session en cours vers ce numéro demande autre chose.',
    no_route: 'Aucun canal ne convient à ce numéro.',
    number_rate_limited: 'Trop d’envois vers ce numéro ; attendez un peu.',
    number_locked: 'Trop de codes faux pour ce numéro ; attendez un peu.',
    number_needs_unlock: 'Trop de codes faux de suite : l’opérateur du service doit débloquer ce numéro.',
    invalid_code: 'Un code a 4 à 10 chiffres.',
    overloaded: 'Le service est chargé ; réessayez.',
    unreachable: 'Le service est injoignable.',
  },
  ar: {
    pending: 'بانتظار الرمز',
    verified: 'تم التحقق',
    expired: 'انتهت المدة',
    canceled: 'أُلغيت',
    failed: 'فشلت',
    sending: 'في الطريق',
    delivered: 'وصل',
    exhausted: 'لم يصل',
    incorrect_code: 'خطأ: ليس هذا هو الرمز.',
    too_many_attempts: 'نفدت كل المحاولات.',
    already_verified: 'استُعمل هذا الرمز من قبل.',
    check_expired: 'فات الأوان: انتهت مدة الرمز.',
    check_canceled: 'أُلغيت الجلسة.',
    status_too_many_attempts: 'نفدت المحاولات',
    status_canceled_by_client: 'أُلغيت بطلب',
    status_replaced: 'حلت محلها جلسة أحدث',
    status_superseded: 'حلت محلها جلسة برمز آخر',
    status_reported_fraud: 'أُبلغ عنها كاحتيال',
    status_number_erased: 'مُحي الرقم',
    resend_too_soon: 'مبكر جدا: أُرسل للتو.',
    too_many_sends: 'أُرسل بقدر ما تسمح به الجلسة.',
    session_not_pending: 'انتهت الجلسة.',
    session_not_found: 'لا توجد هذه الجلسة.',
    session_differs: 'جلسة جارية إلى هذا الرقم تطلب شيئا آخر.',
    no_route: 'لا قناة تصلح لهذا الرقم.',
    number_rate_limited: 'إرسالات كثيرة إلى هذا الرقم؛ انتظر قليلا.',
    number_locked: 'رموز خاطئة كثيرة لهذا الرقم؛ انتظر قليلا.',
    number_needs_unlock: 'رموز خاطئة كثيرة متتالية: على مشغّل الخدمة أن يفتح هذا الرقم.',
    invalid_code: 'الرمز من 4 إلى 10 أرقام.',
    overloaded: 'الخدمة مشغولة؛ أعد المحاولة.',
    unreachable: 'تعذر الوصول إلى الخدمة.',
  },
};

export const plainWord = (language: Language, word: string): string => {
  const table = tables[language];
  return Object.hasOwn(table, word) ? (table[word] as string) : word;
};

/** A word that reads otherwise in its place: the reason of a check (`check_…`) or of a status (`status_…`). */
export function wordIn(language: Language, place: 'check' | 'status', word: string): string {
  const own = plainWord(language, `${place}_${word}`);
  return own === `${place}_${word}` ? plainWord(language, word) : own;
}

/** An error of a call in plain words; one that is not known here in the service's own. */
export function plainError(language: Language, error: unknown): string {
  const found = ConnectError.from(error);
  const [info] = found.findDetails(ErrorInfoSchema);
  if (!info) return plainWord(language, 'unreachable');
  // A lock that no waiting ends.
  const reason = info.metadata.needs_unlock === 'true' ? 'number_needs_unlock' : info.reason;
  const word = plainWord(language, reason);
  return word === reason ? found.rawMessage : word;
}
