// The script of a test message: a scenario's words for a channel, turned into an answer and a report. It is pure, so that each
// scenario can be checked without a clock; test.ts plays it.

import type { CallReport, CallState } from '../../core/verify/call.ts';
import type { AppScript, Scenario, SmsScript, VoiceScript } from '../../core/verify/scenarios.ts';
import type { Channel, IncomingReceipt, MessageReason } from '../../core/verify/session.ts';

/** The report on a message, and when it comes. */
export interface TestReport extends Pick<IncomingReceipt, 'status' | 'providerStatus' | 'detail' | 'errorCode'> {
  /** From the answer on, ms; an `early` report comes before the answer. */
  delayMs: number;
  early: boolean;
}

/** The course of a call from the moment at which the phone rings. */
export interface CallScript {
  /** To the answer, or to the end where nobody answers. */
  ringMs: number;
  /** Null where nobody answers. `heardAfterMs`: from the answer to the end of the first reading, null where there is none. */
  answered: { heardAfterMs: number | null; hangUpAfterMs: number } | null;
  /** The state that the call ends in. */
  end: CallState;
  /** The final SIP answer. */
  sipCode: number;
}

export type TestScript =
  | { answer: 'reject'; reason: MessageReason; errorCode: string; call?: CallReport }
  | { answer: 'ring'; call: CallScript }
  /** `answerAfterMs`: the delay of a throttled submit until it is sent again and taken. */
  | { answer: 'accept'; answerAfterMs: number; report: TestReport | null };

/** Between a refusal as too fast and the next try, roughly as on real binds. */
const throttledMs = 250;
/** From the key press to the end of the first reading. */
const readingMs = 500;
/** From what the callee hears last to the hang-up. */
const hangUpMs = 300;
/** A call asks for a key twice and waits 10 s each time, with a sentence before each wait. */
const noKeyMs = 25_000;
/** A call that is not picked up is given up before a voicemail box would take it. */
const ringForMs = 25_000;

const plain = { providerStatus: null, detail: null, early: false } as const;

export function testScript(channel: Channel, scenario: Scenario): TestScript {
  switch (channel) {
    case 'sms':
      return smsScript(scenario.sms);
    case 'whatsapp':
      return appScript(scenario.app);
    case 'voice':
      return voiceScript(scenario.voice);
  }
}

function smsScript(sms: SmsScript): TestScript {
  if (sms.answer === 'reject') return { answer: 'reject', reason: 'submit_refused', errorCode: 'ESME_RINVDSTADR' };
  const answerAfterMs = sms.answer === 'throttle_then_accept' ? throttledMs : 0;
  if (sms.receipt === 'none') return { answer: 'accept', answerAfterMs, report: null };
  const { status, errorCode, when, delayMs } = sms.receipt;
  const report = { ...plain, status, errorCode, delayMs, early: when === 'before_answer' };
  return { answer: 'accept', answerAfterMs, report };
}

function appScript(app: AppScript): TestScript {
  // 131026 is the platform's own number for a phone it can't reach.
  if (app.answer === 'reject') return { answer: 'reject', reason: app.reason, errorCode: '131026' };
  if (app.status === 'none') return { answer: 'accept', answerAfterMs: 0, report: null };
  const report: TestReport = {
    ...plain,
    status: 'DELIVRD',
    providerStatus: app.status,
    errorCode: null,
    delayMs: app.delayMs,
  };
  return { answer: 'accept', answerAfterMs: 0, report };
}

/** A call answered is not yet a code heard: only a reading to the end is a delivery. */
function voiceScript(voice: VoiceScript): TestScript {
  switch (voice.call) {
    case 'busy':
      return { answer: 'reject', reason: 'submit_refused', errorCode: '486', call: busy };
    case 'no_answer':
      return { answer: 'ring', call: { ringMs: ringForMs, answered: null, end: 'no_answer', sipCode: 480 } };
    case 'rejected':
      return { answer: 'ring', call: { ringMs: voice.ringMs, answered: null, end: 'rejected', sipCode: 603 } };
    case 'answered':
      return { answer: 'ring', call: { ringMs: voice.ringMs, sipCode: 200, ...calleeScript(voice.callee) } };
  }
}

function calleeScript(callee: Extract<VoiceScript, { call: 'answered' }>['callee']) {
  switch (callee) {
    case 'presses_key':
      return { answered: { heardAfterMs: readingMs, hangUpAfterMs: hangUpMs }, end: 'heard' } as const;
    case 'hangs_up':
      return { answered: { heardAfterMs: null, hangUpAfterMs: hangUpMs }, end: 'hung_up' } as const;
    case 'voicemail':
      return { answered: { heardAfterMs: null, hangUpAfterMs: noKeyMs }, end: 'no_key' } as const;
  }
}

/** A call as the phone begins to ring. */
export const ringing: CallReport = {
  state: 'ringing',
  ringMs: null,
  answeredAt: null,
  talkSeconds: null,
  sipCode: null,
  q850: null,
  keys: 0,
  readings: 0,
  trunk: 'test',
  ended: false,
};

const busy: CallReport = { ...ringing, state: 'busy', ringMs: 0, talkSeconds: 0, sipCode: 486, q850: 17, ended: true };
