// Random stories: steps that are chosen blindly and then aimed at what the session holds at that moment, so that most of
// them mean something and some (late answers, repeated receipts, unknown ids) do not.
import fc from 'fast-check';
import { type CallReport, callStates } from '../../src/core/verify/call.ts';
import type { Event } from '../../src/core/verify/event.ts';
import type { IncomingReceipt, Message } from '../../src/core/verify/session.ts';
import { callReport, callTariff, type Story, tariff, wholeCascade } from './session.ts';

type Aim = { at: number };
export type Step =
  | { kind: 'wait'; ms: number }
  | { kind: 'waitForDeadline'; early: number }
  | { kind: 'skips'; mask: number }
  | { kind: 'receipt'; aim: Aim; receipt: IncomingReceipt }
  | { kind: 'message'; aim: Aim; event: (messageId: string) => Event }
  | { kind: 'event'; event: Event };

const channels = ['sms', 'whatsapp', 'voice'] as const;

export const receiptSteps: fc.Arbitrary<IncomingReceipt> = fc.record({
  status: fc.constantFrom('ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD'),
  providerStatus: fc.constantFrom(null, 'sent'),
  detail: fc.constantFrom(null, null, 'read', 'answered'),
  errorCode: fc.constantFrom(null, '000', '001', '045'),
  operatorTimestamp: fc.option(fc.constantFrom(60_000, 120_000)),
  receivedAt: fc.constantFrom(60_000, 61_000, 125_000),
  providerMessageId: fc.constantFrom(null, 'p'),
  operatorAmount: fc.option(
    fc.record({ amount: fc.constantFrom('0', '1.75', '2.50', 'junk'), currency: fc.constantFrom('DZD', 'EUR') }),
  ),
  raw: fc.constant('stat:X'),
});

const callReports: fc.Arbitrary<CallReport> = fc.record({
  state: fc.constantFrom(...callStates),
  ringMs: fc.constantFrom(null, 5_000),
  answeredAt: fc.constantFrom(null, 5_000),
  talkSeconds: fc.constantFrom(null, 0, 24),
  sipCode: fc.constantFrom(null, 200, 486),
  q850: fc.constantFrom(null, 17),
  keys: fc.constantFrom(0, 1),
  readings: fc.constantFrom(0, 1, 2),
  trunk: fc.constantFrom('atlas', 'sahara'),
  ended: fc.boolean(),
});

/** Receipts of a call: each one has a report. */
export const callReceiptSteps: fc.Arbitrary<IncomingReceipt> = fc
  .tuple(receiptSteps, callReports)
  .map(([receipt, call]) => ({ ...receipt, call: { ...call } }));

const aim: fc.Arbitrary<Aim> = fc.record({ at: fc.nat({ max: 3 }) });

const busy = 'ESME_RTHROTTLED';
const messageEvents: fc.Arbitrary<(messageId: string) => Event> = fc.constantFrom<((messageId: string) => Event)[]>(
  ...writing(),
  ...writing(),
  (messageId) => ({ kind: 'accepted', messageId, providerMessageId: null, parts: 2, tariff: null }),
  (messageId) => ({ kind: 'rejected', messageId, reason: 'submit_refused', errorCode: '11' }),
  (messageId) => ({ kind: 'sender_refused', messageId, fallback: 'Info', errorCode: '10' }),
  (messageId) => ({ kind: 'unknown', messageId, reason: 'connection_lost' }),
  (messageId) => ({ kind: 'not_sent', messageId, holder: 'prc_1' }),
  (messageId) => ({ kind: 'not_sent', messageId, holder: 'prc_1', busy }),
  ...calling(),
  ...calling(),
);

/** Of messages of any channel: nothing here asks whether a message is a call. */
function calling(): ((messageId: string) => Event)[] {
  const call = callReport({ state: 'answered', answeredAt: 5_000 });
  const ringing = { providerMessageId: null, parts: 0, tariff: callTariff, call: callReport() };
  return [
    (messageId) => ({ kind: 'submitting', messageId, holder: 'prc_1' }),
    (messageId) => ({ kind: 'accepted', messageId, ...ringing }),
    (messageId) => ({ kind: 'answered', messageId, call, holdUntil: 120_000 }),
    (messageId) => ({ kind: 'holder_lost', messageId, holder: 'prc_1' }),
  ];
}

function writing(): ((messageId: string) => Event)[] {
  return [
    (messageId) => ({ kind: 'submitting', messageId, holder: 'prc_1' }),
    (messageId) => ({ kind: 'accepted', messageId, providerMessageId: 'p1', parts: 1, tariff }),
  ];
}

const sessionEvents: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Event>({ kind: 'deadline' }, { kind: 'check', correct: false }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Event>(
      ...(['replaced', 'reported_fraud'] as const).map((reason) => ({ kind: 'cancel' as const, reason })),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<Event>({ kind: 'check', correct: true }, { kind: 'reported_verified' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('resend' as const),
      channel: fc.option(fc.constantFrom(...channels)),
      asked: fc.constantFrom({}, {}, { language: 'fr' }),
    }),
  },
);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('message' as const), aim, event: messageEvents }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('receipt' as const), aim, receipt: receiptSteps }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('receipt' as const), aim, receipt: callReceiptSteps }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('event' as const), event: sessionEvents }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('waitForDeadline' as const), early: fc.nat({ max: 1 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 7_000, 31_000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('skips' as const), mask: fc.nat({ max: 7 }) }) },
  ),
  { minLength: 1, maxLength: 40 },
);

/** Where a story begins: its cascade, and how long it lives. */
export const beginnings = fc.record({
  cascade: fc.constantFrom(wholeCascade, wholeCascade.slice(0, 1), wholeCascade.slice(1)),
  ttlMs: fc.constantFrom(60_000, 600_000),
});

export function play(story: Story, list: readonly Step[]): void {
  for (const step of list) playStep(story, step);
}

function playStep(story: Story, step: Step): void {
  switch (step.kind) {
    case 'wait':
      story.clock += step.ms;
      return;
    case 'waitForDeadline':
      story.clock = Math.max(story.clock, (story.session.nextAt ?? story.clock) - step.early);
      story.do({ kind: 'deadline' });
      return;
    case 'skips':
      story.skip = Object.fromEntries(
        channels.flatMap((channel, bit) => (step.mask & (1 << bit) ? [[channel, 'not_usable']] : [])),
      );
      return;
    case 'receipt': {
      const messageId = aimed(story, step.aim).id;
      story.do({ kind: 'receipt', messageId, receipt: step.receipt, receiptId: `rcp_${story.all.length}` });
      return;
    }
    case 'message':
      story.do(step.event(aimed(story, step.aim).id));
      return;
    case 'event':
      story.do(step.event);
  }
}

/** Mostly the last message, sometimes one before it. */
function aimed({ session }: Story, { at }: Aim): Message {
  const { messages } = session;
  return (at > 1 ? messages[messages.length - at] : undefined) ?? (messages.at(-1) as Message);
}
