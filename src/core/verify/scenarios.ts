// Scenario numbers: the one table of what the network does to a message. The test-mode channel plays it in production, and the
// sandbox's SMSCs and platform play it for live keys; each turns these words into its own protocol, so that both behave alike.

export const scenarioNames = [
  'sms_delivered',
  'sms_late',
  'sms_silent',
  'sms_rejected',
  'sms_undelivered',
  'sms_throttled',
  'sms_early_receipt',
  'app_unreachable',
  'voice_busy',
  'voice_no_answer',
  'voice_hangs_up',
  'voice_voicemail',
  'voice_rejected',
] as const;

export type ScenarioName = (typeof scenarioNames)[number];

export interface SmsReceiptScript {
  status: 'DELIVRD' | 'UNDELIV';
  /** The `err` of the receipt, as operators write it. */
  errorCode: string;
  /**
   * `at_once`: after the submit answer. `before_answer`: written before it. `after_timeout`: when the leg is over; a player
   * that doesn't know the leg's timeout takes `delayMs`, which is beyond the default timeout.
   */
  when: 'at_once' | 'before_answer' | 'after_timeout';
  /** From the submit on. */
  delayMs: number;
}

/** The SMSC's answer to a submit. `throttle_then_accept`: refuses the first one as throttled, takes the next. */
export type SmsScript =
  | { answer: 'accept' | 'throttle_then_accept'; receipt: SmsReceiptScript | 'none' }
  /** Refused for good: no such destination. */
  | { answer: 'reject' };

/** The messaging platform's part. */
export type AppScript =
  | { answer: 'accept'; status: 'delivered'; delayMs: number }
  /** Taken; no status ever follows. */
  | { answer: 'accept'; status: 'none' }
  /** The number has no account on the app. */
  | { answer: 'reject'; reason: 'not_on_app' };

/** The part of the person at the phone; ringing lasts `ringMs`. A voicemail box answers and presses no key. */
export type VoiceScript =
  | { call: 'answered'; ringMs: number; callee: 'presses_key' | 'hangs_up' | 'voicemail' }
  /** Before the phone rings. */
  | { call: 'busy' }
  /** Declined at the phone: SIP 603. */
  | { call: 'rejected'; ringMs: number }
  /** Rings until the caller gives up. */
  | { call: 'no_answer' };

export interface Scenario {
  name: ScenarioName;
  description: string;
  sms: SmsScript;
  app: AppScript;
  voice: VoiceScript;
}

/** Tens of ms, as a near network takes: long enough to see the states pass, short enough for a test. */
const networkDelayMs = 40;
/** Beyond the 15 s an SMS leg waits by default. */
const lateMs = 20_000;

const delivered: SmsReceiptScript = {
  status: 'DELIVRD',
  errorCode: '000',
  when: 'at_once',
  delayMs: networkDelayMs,
};
const silentSms: SmsScript = { answer: 'accept', receipt: 'none' };
const appDelivers: AppScript = { answer: 'accept', status: 'delivered', delayMs: networkDelayMs };
const silentApp: AppScript = { answer: 'accept', status: 'none' };
const callHeard: VoiceScript = { call: 'answered', ringMs: 200, callee: 'presses_key' };

const everythingWorks = { sms: { answer: 'accept', receipt: delivered }, app: appDelivers, voice: callHeard } as const;
const onlyVoiceLeft = { sms: silentSms, app: silentApp } as const;

const table: Record<ScenarioName, Omit<Scenario, 'name'>> = {
  sms_delivered: { ...everythingWorks, description: 'The SMS is delivered at once.' },
  sms_late: {
    ...everythingWorks,
    description: 'The SMS is delivered only after the cascade has moved on; WhatsApp delivers too.',
    sms: { answer: 'accept', receipt: { ...delivered, when: 'after_timeout', delayMs: lateMs } },
  },
  sms_silent: {
    ...everythingWorks,
    description: 'The SMS is taken and no receipt ever comes; WhatsApp delivers.',
    sms: silentSms,
  },
  sms_rejected: {
    ...everythingWorks,
    description: 'The operator refuses the SMS, so the cascade moves on without waiting; WhatsApp delivers.',
    sms: { answer: 'reject' },
  },
  sms_undelivered: {
    ...everythingWorks,
    description: 'A receipt says the SMS could not be delivered, so the cascade moves on at once; WhatsApp delivers.',
    sms: { answer: 'accept', receipt: { ...delivered, status: 'UNDELIV', errorCode: '001' } },
  },
  sms_throttled: {
    ...everythingWorks,
    description: 'The operator refuses the first submit as too fast, takes the second and delivers it.',
    sms: { answer: 'throttle_then_accept', receipt: delivered },
  },
  sms_early_receipt: {
    ...everythingWorks,
    description: 'The delivery receipt arrives before the answer to the submit.',
    sms: { answer: 'accept', receipt: { ...delivered, when: 'before_answer' } },
  },
  app_unreachable: {
    sms: silentSms,
    app: { answer: 'reject', reason: 'not_on_app' },
    voice: callHeard,
    description: 'No receipt for the SMS, the number is not on WhatsApp, the call is answered and heard.',
  },
  voice_busy: {
    ...onlyVoiceLeft,
    voice: { call: 'busy' },
    description: 'SMS and WhatsApp stay silent, the line is busy.',
  },
  voice_no_answer: {
    ...onlyVoiceLeft,
    voice: { call: 'no_answer' },
    description: 'SMS and WhatsApp stay silent, nobody picks up the call.',
  },
  voice_hangs_up: {
    ...onlyVoiceLeft,
    voice: { call: 'answered', ringMs: 200, callee: 'hangs_up' },
    description: 'SMS and WhatsApp stay silent, the call is answered and hung up before the code was read.',
  },
  voice_voicemail: {
    ...onlyVoiceLeft,
    voice: { call: 'answered', ringMs: 200, callee: 'voicemail' },
    description:
      'SMS and WhatsApp stay silent, a voicemail box answers the call: no key is pressed, and the code is not spoken.',
  },
  voice_rejected: {
    ...onlyVoiceLeft,
    voice: { call: 'rejected', ringMs: 200 },
    description: 'SMS and WhatsApp stay silent, the phone rings and the call is declined.',
  },
};

export const scenarios: readonly Scenario[] = scenarioNames.map((name) => ({ name, ...table[name] }));

/** The scenario of every other number. */
export const defaultScenario: Scenario = { name: 'sms_delivered', ...table.sms_delivered };

/** `prefix`, five zeros, and the row's place in the table from 01 on: `+21355` → `+213550000001`. */
const numberOf = (prefix: string, index: number): string => `${prefix}00000${String(index + 1).padStart(2, '0')}`;

/** Every scenario's number under a configured prefix such as `+21355`. */
export function scenarioNumbers(prefix: string): Record<ScenarioName, string> {
  const entries = scenarioNames.map((name, index) => [name, numberOf(prefix, index)]);
  return Object.fromEntries(entries) as Record<ScenarioName, string>;
}

/** The scenario a number stands for, undefined for any other number. */
export function scenarioOf(e164: string, prefix: string): Scenario | undefined {
  return scenarios.find((_, index) => numberOf(prefix, index) === e164);
}
