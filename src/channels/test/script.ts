// The script of a test message: a scenario's words for a channel, turned into an answer and a report. It is pure, so that each
// scenario can be checked without a clock; test.ts plays it.

import type { AppScript, Scenario, SmsScript, VoiceScript } from '../../core/verify/scenarios.ts';
import type { Channel, IncomingReceipt, MessageReason } from '../../core/verify/session.ts';

/** The report on a message, and when it comes. */
export interface TestReport extends Pick<IncomingReceipt, 'status' | 'providerStatus' | 'detail' | 'errorCode'> {
  /** From the answer on, ms; an `early` report comes before the answer. */
  delayMs: number;
  early: boolean;
  /** A call that rings until the report comes: it can still be canceled. */
  ringing: boolean;
}

export type TestScript =
  | { answer: 'reject'; reason: MessageReason; errorCode: string }
  /** `answerAfterMs`: the delay of a throttled submit until it is sent again and taken. */
  | { answer: 'accept'; answerAfterMs: number; report: TestReport | null };

/** Between a refusal as too fast and the next try, roughly as on real binds. */
const throttledMs = 250;
/** From the key press to the end of the first reading. */
const readingMs = 500;
/** A call that is not picked up is given up before a voicemail box would take it. */
const ringForMs = 25_000;

const plain = { providerStatus: null, detail: null, early: false, ringing: false } as const;

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

/** A call answered is not yet a code heard: only a reading to the end is a delivery. Error codes are SIP's. */
function voiceScript(voice: VoiceScript): TestScript {
  const undelivered = (providerStatus: string, errorCode: string | null, delayMs: number): TestScript => ({
    answer: 'accept',
    answerAfterMs: 0,
    report: { ...plain, status: 'UNDELIV', providerStatus, errorCode, delayMs, ringing: true },
  });
  if (voice.call === 'busy') return undelivered('busy', '486', 0);
  if (voice.call === 'no_answer') return undelivered('no_answer', '480', ringForMs);
  if (voice.callee === 'hangs_up') return undelivered('hung_up', null, voice.ringMs);
  const heard = { status: 'DELIVRD', providerStatus: 'heard', detail: 'answered', errorCode: null } as const;
  return {
    answer: 'accept',
    answerAfterMs: 0,
    report: { ...plain, ...heard, delayMs: voice.ringMs + readingMs, ringing: true },
  };
}
