// Why something happened to a session, as a code with values and as a sentence of English. The pages translate by the code; the terminal
// prints the sentence. A word of the wire that is not known here is shown as it came.

/** Each with its sentence; `{name}` is replaced by the value of that name. */
export const english = {
  waiting: 'waiting for the receipt',
  on_its_way: 'on its way to {carrier}',
  call_ringing: 'the phone rings',
  call_talking: 'the call is answered',
  delivered: '{carrier} says {word}',
  delivered_late: '{carrier} says {word}, {seconds} s too late',
  heard: 'the code was heard',
  no_receipt: 'no receipt in {seconds} s',
  not_picked_up: 'not picked up in {seconds} s',
  not_taken: '{carrier} did not take it in {seconds} s',
  in_doubt: 'no receipt in {seconds} s, and nobody knows whether {carrier} has it',
  receipt: '{carrier} says {word} {error}',
  delivered_elsewhere: 'the code arrived otherwise',
  resent: 'sent again',
  not_needed: 'not sent any more',
  session_verified: 'the code was right',
  session_expired: 'the time of the code ran out',
  session_canceled: 'canceled',
  session_failed: 'too many wrong codes',

  call_busy: 'the line is busy',
  call_no_answer: 'not picked up',
  call_rejected: 'the call was declined',
  call_hung_up: 'hung up before the code was heard',
  call_no_key: 'no key was pressed, as on voicemail',
  call_canceled: 'the call was stopped',
  call_unreachable: 'the phone can not be reached',
  call_media_lost: 'the audio of the call was lost',

  sender_id_refused: '{carrier} refused the sender',
  submit_refused: '{carrier} refused it {error}',
  timeout: '{carrier} did not answer in time',
  connection_lost: 'the connection to {carrier} broke',
  process_lost: 'the process that was sending it died',
  unreadable_answer: '{carrier} gave an answer that can not be read',
  unencodable: 'the text has no form that {carrier} takes',
  not_on_app: 'the number is not on WhatsApp',
  throttled: '{carrier} asks to slow down',
  channel_down: '{carrier} does not serve this deployment now',
  misconfigured: '{carrier} can not use what is set up',
  internal_error: 'a fault of this service',
  account_suspended: 'the account is suspended',
  not_delivered_in_time: '{carrier} did not deliver it in its time',

  channel_not_configured: 'there is no such channel here',
  no_operator: 'no operator serves the number',
  sender_id_not_approved: 'the sender name is not approved at {carrier}',
  operator_down: '{carrier} can not be reached now',
  operator_maintenance: '{carrier} is switched off for now',
  in_country_only: 'only channels that stay in the country are allowed',
  budget_exhausted: 'a budget has too little left for it',

  other: '{word} {error}',
} as const;

export type ReasonCode = keyof typeof english;

/** `carrier`: the operator's name, else the channel's. `word`: as it came on the wire. Empty where there is none. */
export interface Why {
  code: ReasonCode;
  carrier: string;
  word: string;
  error: string;
  seconds: number;
}

const channelNames: Readonly<Record<string, string>> = {
  sms: 'the operator',
  whatsapp: 'WhatsApp',
  voice: 'the trunk',
};

export const carrierName = (channel: string, operator: string): string => operator || channelNames[channel] || channel;

const isReason = (word: string): word is ReasonCode => Object.hasOwn(english, word) && word !== 'other';

/** The sentence of a template, without the blanks that empty values leave. */
export const sentence = (template: string, why: Why): string =>
  template
    .replace(/\{(\w+)\}/g, (_, name: string) => String(why[name as keyof Why] ?? ''))
    .replace(/ {2,}/g, ' ')
    .trim();

export const inEnglish = (why: Why): string => sentence(english[why.code], why);

export const noReason: Why = { code: 'other', carrier: '', word: '', error: '', seconds: 0 };

/** Receipts after which a leg is not waited for any more (SMPP v3.4 section 5.2.28). */
export const negative: readonly string[] = ['EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD'];

/** Failures from before the carrier took the message; every other one is a failure of delivery. */
export const refusals: readonly string[] = [
  'submit_refused',
  'sender_id_refused',
  'not_on_app',
  'throttled',
  'channel_down',
  'misconfigured',
  'unencodable',
];

/** The platform's number for a phone that the app can not reach. */
const notOnApp = '131026';

/** A receipt after which the leg is over, as a reason. */
export const badReceipt = (why: Why, channel: string, state: string | undefined): Why =>
  callEnd(state, why.carrier) ??
  (channel === 'whatsapp' && why.error.startsWith(notOnApp) ? { ...why, code: 'not_on_app' } : why);

/** The end of a call as a reason; null for a word that is no end, or not known here. */
export function callEnd(state: string | undefined, carrier: string): Why | null {
  const code = `call_${state}`;
  return state !== 'ringing' && isReason(code) ? { ...noReason, carrier, code, word: state ?? '' } : null;
}

/** Reasons of a skipped leg that are about the number's operator, which `detail` names. */
const ofOperator: readonly string[] = ['operator_down', 'operator_maintenance', 'sender_id_not_approved'];

/** The reason that an entry of the timeline has; a word without a sentence is shown as it came. */
export function givenReason({ reason, detail }: { reason?: Text; detail?: Text }, carrier: string): Why {
  const word = reason ?? '';
  // A leg that is skipped has no message that would name its operator.
  const named = (ofOperator.includes(word) && detail) || carrier;
  return { ...noReason, carrier: named, code: isReason(word) ? word : 'other', word, error: detail ?? '' };
}

type Text = string | null | undefined;

/** Tenths below ten seconds. */
export const seconds = (ms: number): number => (ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000));
