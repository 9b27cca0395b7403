// The texts of the signup page, in each language. The texts about a link that failed are for the business: what happened, and
// what to do.

import type { WabaReason, WabaStep } from '../../core/waba/link.ts';

export interface SignupWords {
  title: string;
  /** `{account}`: the account's name here. */
  for: string;
  intro: string;
  start: string;
  in_window: string;
  working: string;
  connected: string;
  canceled: string;
  failed: string;
  incomplete: string;
  /** The link to the dialog that takes the whole page. */
  without_window: string;
  /** The browser opened no window. */
  blocked: string;
  no_answer: string;
  no_number: string;
  sdk_missing: string;
  unavailable: string;
  broken: string;
  /** Shown where the link that led here is used up. */
  restart: string;
  later: string;
  /** The page for a state that is not good any more. */
  gone_title: string;
  gone: string;
  steps: Record<WabaStep, string>;
  errors: Record<'invalid_state' | 'already_connected' | 'number_taken' | 'not_offered', string>;
  reasons: Partial<Record<WabaReason, string>>;
}

const en: SignupWords = {
  title: 'Connect your WhatsApp account',
  for: 'for {account}',
  intro:
    "Your customers then receive their codes from your own number and under your own name. The platform's window opens: sign in, choose your business account and your number.",
  start: 'Connect WhatsApp',
  in_window: "Go on in the platform's window.",
  working: 'The account is being set up. This takes a moment; you may close this page.',
  connected: 'Your account is connected. You can close this page.',
  canceled: 'You stopped before the end. Nothing was connected.',
  failed: 'The platform reported a problem. Nothing was connected.',
  incomplete: "The platform's answer was not complete. Nothing was connected; try again.",
  without_window: 'Go on without a window',
  blocked: 'Your browser opened no window. Go on without one, by the link under the button.',
  no_answer: "The platform's window gave no answer. Nothing was connected: start again, or go on without a window.",
  no_number: 'The account was made without a phone number, and codes need one. Start again and choose a number.',
  sdk_missing: "The platform's window can't be loaded. Switch off what blocks its scripts, then load this page again.",
  unavailable: "The service can't be reached. Start again in a moment.",
  broken: 'The account could not be connected.',
  restart: 'To try again, start the connection again where you began it.',
  later: 'This takes longer than usual. It goes on by itself; you may close this page.',
  gone_title: 'This link is no longer good',
  gone: 'It was used already, or is older than ten minutes. Start the connection again where you began it.',
  steps: {
    exchange_code: 'Confirm your permission',
    check_number: 'Check your phone number',
    subscribe: 'Receive delivery reports',
    verify_number: 'Verify the number',
    register: 'Register the number',
    create_templates: 'Create the message templates',
    await_approval: 'Wait for their approval',
  },
  errors: {
    invalid_state: 'This link was used already, or is too old. Start the connection again where you began it.',
    already_connected: 'An account is connected already. Disconnect it first.',
    number_taken: 'This number is connected to another account. Choose another number.',
    not_offered: 'Accounts can not be connected here at the moment.',
  },
  reasons: {
    code_expired: 'The permission was not confirmed in time.',
    code_refused: 'The platform did not accept the permission.',
    permission_missing: 'A permission is missing: allow everything that is asked for.',
    number_not_found: 'The account does not have this number.',
    number_ambiguous:
      'The platform did not say which number you chose, and the account has several. Choose it in the window.',
    phone_number_taken: 'This number is connected to another account.',
    number_unverified:
      'The number is not verified yet: verify it in WhatsApp Manager (Phone numbers), and this page goes on.',
    account_deleted: 'The account was deleted at the platform.',
    pin_refused: 'The number has a two-step verification PIN: switch it off in WhatsApp Manager.',
    registration_refused: 'The platform did not register the number.',
    template_refused: 'The platform did not accept the message templates.',
    templates_rejected: 'The platform rejected the message templates.',
    platform_unavailable: 'The platform could not be reached.',
    uninstalled: 'The permission was withdrawn at the platform.',
  },
};

const fr: SignupWords = {
  title: 'Connectez votre compte WhatsApp',
  for: 'pour {account}',
  intro:
    "Vos clients recevront leurs codes depuis votre propre numéro et sous votre nom. La fenêtre de la plateforme s'ouvre : connectez-vous, choisissez votre compte professionnel et votre numéro.",
  start: 'Connecter WhatsApp',
  in_window: 'Continuez dans la fenêtre de la plateforme.',
  working: 'Le compte est en cours de configuration. Cela prend un instant ; vous pouvez fermer cette page.',
  connected: 'Votre compte est connecté. Vous pouvez fermer cette page.',
  canceled: "Vous vous êtes arrêté avant la fin. Rien n'a été connecté.",
  failed: "La plateforme a signalé un problème. Rien n'a été connecté.",
  incomplete: "La réponse de la plateforme était incomplète. Rien n'a été connecté ; réessayez.",
  without_window: 'Continuer sans fenêtre',
  blocked: "Votre navigateur n'a ouvert aucune fenêtre. Continuez sans fenêtre, par le lien sous le bouton.",
  no_answer:
    "La fenêtre de la plateforme n'a pas répondu. Rien n'a été connecté : recommencez, ou continuez sans fenêtre.",
  no_number:
    'Le compte a été créé sans numéro de téléphone, or les codes en ont besoin. Recommencez et choisissez un numéro.',
  sdk_missing:
    'La fenêtre de la plateforme ne peut pas être chargée. Désactivez ce qui bloque ses scripts, puis rechargez la page.',
  unavailable: 'Le service est injoignable. Recommencez dans un instant.',
  broken: "Le compte n'a pas pu être connecté.",
  restart: "Pour réessayer, relancez la connexion là où vous l'avez commencée.",
  later: "C'est plus long que d'habitude. Cela continue tout seul ; vous pouvez fermer cette page.",
  gone_title: "Ce lien n'est plus valable",
  gone: "Il a déjà servi ou date de plus de dix minutes. Recommencez la connexion là où vous l'avez lancée.",
  steps: {
    exchange_code: 'Confirmer votre autorisation',
    check_number: 'Vérifier votre numéro',
    subscribe: 'Recevoir les accusés de remise',
    verify_number: 'Vérifier que le numéro est à vous',
    register: 'Enregistrer le numéro',
    create_templates: 'Créer les modèles de message',
    await_approval: 'Attendre leur approbation',
  },
  errors: {
    invalid_state: "Ce lien a déjà servi ou est trop ancien. Recommencez la connexion là où vous l'avez lancée.",
    already_connected: "Un compte est déjà connecté. Déconnectez-le d'abord.",
    number_taken: 'Ce numéro est connecté à un autre compte. Choisissez-en un autre.',
    not_offered: 'Aucun compte ne peut être connecté ici pour le moment.',
  },
  reasons: {
    code_expired: "L'autorisation n'a pas été confirmée à temps.",
    code_refused: "La plateforme n'a pas accepté l'autorisation.",
    permission_missing: 'Une autorisation manque : acceptez tout ce qui est demandé.',
    number_not_found: "Le compte n'a pas ce numéro.",
    number_ambiguous:
      "La plateforme n'a pas dit quel numéro vous avez choisi, et le compte en a plusieurs. Choisissez-le dans la fenêtre.",
    phone_number_taken: 'Ce numéro est connecté à un autre compte.',
    number_unverified:
      "Le numéro n'est pas encore vérifié : vérifiez-le dans WhatsApp Manager (Numéros de téléphone), et cette page continue.",
    account_deleted: 'Le compte a été supprimé sur la plateforme.',
    pin_refused: 'Le numéro a un code PIN de vérification en deux étapes : désactivez-le dans WhatsApp Manager.',
    registration_refused: "La plateforme n'a pas enregistré le numéro.",
    template_refused: "La plateforme n'a pas accepté les modèles de message.",
    templates_rejected: 'La plateforme a rejeté les modèles de message.',
    platform_unavailable: "La plateforme n'a pas pu être jointe.",
    uninstalled: "L'autorisation a été retirée sur la plateforme.",
  },
};

const ar: SignupWords = {
  title: 'اربط حساب واتساب الخاص بك',
  for: 'لحساب {account}',
  intro: 'بعدها تصل الرموز إلى زبائنك من رقمك وباسمك. ستفتح نافذة المنصة: سجّل الدخول، ثم اختر حسابك التجاري ورقمك.',
  start: 'ربط واتساب',
  in_window: 'تابع في نافذة المنصة.',
  working: 'يجري إعداد الحساب. يستغرق ذلك لحظات، ويمكنك إغلاق هذه الصفحة.',
  connected: 'تم ربط حسابك. يمكنك إغلاق هذه الصفحة.',
  canceled: 'توقفت قبل النهاية. لم يُربط أي حساب.',
  failed: 'أبلغت المنصة عن مشكلة. لم يُربط أي حساب.',
  incomplete: 'كان جواب المنصة ناقصاً. لم يُربط أي حساب، حاول من جديد.',
  without_window: 'المتابعة دون نافذة',
  blocked: 'لم يفتح متصفحك أي نافذة. تابع دون نافذة عبر الرابط تحت الزر.',
  no_answer: 'لم تُجب نافذة المنصة. لم يُربط أي حساب: ابدأ من جديد أو تابع دون نافذة.',
  no_number: 'أُنشئ الحساب دون رقم هاتف، والرموز تحتاج إلى رقم. ابدأ من جديد واختر رقماً.',
  sdk_missing: 'تعذّر تحميل نافذة المنصة. عطّل ما يحجب برامجها ثم أعد تحميل الصفحة.',
  unavailable: 'تعذّر الوصول إلى الخدمة. حاول من جديد بعد قليل.',
  broken: 'تعذّر ربط الحساب.',
  restart: 'للمحاولة من جديد ابدأ الربط من حيث بدأته.',
  later: 'يستغرق الأمر وقتاً أطول من المعتاد، وسيستمر من تلقاء نفسه. يمكنك إغلاق هذه الصفحة.',
  gone_title: 'لم يعد هذا الرابط صالحاً',
  gone: 'استُعمل من قبل أو مضت عليه عشر دقائق. ابدأ الربط من جديد من حيث بدأته.',
  steps: {
    exchange_code: 'تأكيد الإذن',
    check_number: 'التحقق من الرقم',
    subscribe: 'تلقّي إشعارات التسليم',
    verify_number: 'إثبات ملكية الرقم',
    register: 'تسجيل الرقم',
    create_templates: 'إنشاء قوالب الرسائل',
    await_approval: 'انتظار الموافقة عليها',
  },
  errors: {
    invalid_state: 'استُعمل هذا الرابط من قبل أو انتهت مدته. ابدأ الربط من جديد من حيث بدأته.',
    already_connected: 'هناك حساب مرتبط بالفعل. افصله أولاً.',
    number_taken: 'هذا الرقم مرتبط بحساب آخر. اختر رقماً آخر.',
    not_offered: 'لا يمكن ربط الحسابات هنا في الوقت الحالي.',
  },
  reasons: {
    code_expired: 'لم يُؤكَّد الإذن في الوقت المحدد.',
    code_refused: 'لم تقبل المنصة الإذن.',
    permission_missing: 'هناك إذن ناقص: اقبل كل ما يُطلب.',
    number_not_found: 'هذا الرقم ليس في الحساب.',
    number_ambiguous: 'لم تذكر المنصة أي رقم اخترت، وفي الحساب عدة أرقام. اختره في النافذة.',
    phone_number_taken: 'هذا الرقم مرتبط بحساب آخر.',
    number_unverified: 'لم يتم التحقق من الرقم بعد: تحقق منه في مدير واتساب (أرقام الهاتف)، وستواصل هذه الصفحة.',
    account_deleted: 'حُذف الحساب لدى المنصة.',
    pin_refused: 'للرقم رمز تحقق بخطوتين: عطّله في مدير واتساب.',
    registration_refused: 'لم تسجّل المنصة الرقم.',
    template_refused: 'لم تقبل المنصة قوالب الرسائل.',
    templates_rejected: 'رفضت المنصة قوالب الرسائل.',
    platform_unavailable: 'تعذّر الوصول إلى المنصة.',
    uninstalled: 'سُحب الإذن لدى المنصة.',
  },
};

const words = { ar, fr, en } as const;
export type SignupLanguage = keyof typeof words;

/** English where the language is not known. */
export const languageOf = (code: string | null): SignupLanguage =>
  code !== null && Object.hasOwn(words, code) ? (code as SignupLanguage) : 'en';

export const wordsOf = (language: SignupLanguage): SignupWords => words[language];
