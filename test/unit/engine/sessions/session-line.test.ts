// The change that the jobs of a session make together: which answer is kept under an Idempotency-Key, and of which moment its events are.
import { expect, test } from 'vitest';
import type { Event } from '../../../../src/core/verify/event.ts';
import { advanceAll, type Job } from '../../../../src/engine/sessions/session-line.ts';
import { receiptOf, Story, tariff } from '../../../support/session.ts';

const idempotency = { route: 'send', key: 'one', hash: Buffer.alloc(32) };
const answers = { sent: () => 'sent', checked: () => 'checked' };
const job = (event: Event): Job => ({ event, options: { idempotency }, resolve: () => {}, reject: () => {} });
const resend: Event = { kind: 'resend', channel: null, asked: {} };

const keptFor = (story: Story, event: Event) =>
  advanceAll(story.session, [job(event)], { world: story.world(), held: true, answers });

test('a resend and a check keep theirs', () => {
  const story = new Story().accept();
  story.receipt('DELIVRD');
  story.clock = 30_000;
  expect(keptFor(story, resend).extras.idempotency).toEqual({ ...idempotency, answer: 'sent' });
  expect(keptFor(story, { kind: 'check', correct: true }).extras.idempotency).toMatchObject({ answer: 'checked' });
});

test('a resend that finds its session run out keeps none: the code of the new session is the answer', () => {
  const story = new Story().accept();
  story.receipt('DELIVRD');
  story.clock = 600_000;
  const { next, outcomes, extras } = keptFor(story, resend);
  expect([next.status, outcomes[0]?.outcome]).toEqual(['expired', { kind: 'open_new', reason: 'replaced' }]);
  expect(extras.idempotency).toBeNull();
});

test('a check that finds its session run out is no try: it is neither counted for its number, as a right code would be, nor kept', () => {
  const story = new Story().accept();
  story.clock = 600_000;
  for (const correct of [true, false]) {
    const { next, outcomes, extras } = keptFor(story, { kind: 'check', correct });
    expect([next.status, outcomes[0]?.outcome]).toMatchObject(['expired', { valid: false, reason: 'expired' }]);
    expect(extras).toMatchObject({ guarded: false, failures: 0, idempotency: null });
  }
});

test('a check that another process has counted is not counted once more, also where its session has run out since', () => {
  const story = new Story().accept();
  story.do({ kind: 'check', correct: false, operation: 'one' });
  story.clock = 600_000;
  const { outcomes, extras } = keptFor(story, { kind: 'check', correct: false, operation: 'one' });
  expect(outcomes[0]?.outcome).toMatchObject({ reason: 'incorrect_code', attemptsRemaining: 4 });
  expect(extras).toMatchObject({ guarded: false, failures: 0 });
});

test('events that are saved together each show the session as it was after their own', () => {
  const story = new Story();
  story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
  const events: Event[] = [
    { kind: 'accepted', messageId: 'msg_1', providerMessageId: 'p-1', parts: 1, tariff },
    { kind: 'receipt', messageId: 'msg_1', receipt: receiptOf('DELIVRD', 0), receiptId: 'rcp_1' },
    { kind: 'check', correct: true },
  ];
  const jobs = events.map((event): Job => ({ event, options: {}, resolve: () => {}, reject: () => {} }));
  const { effects } = advanceAll(story.session, jobs, { world: story.world(), held: true, answers });
  const shown = effects.flatMap((effect) =>
    effect.kind === 'emit' ? [[effect.type, effect.session.status, effect.session.messages[0]?.status]] : [],
  );
  expect(shown).toEqual([
    ['message.submitted', 'pending', 'submitted'],
    ['receipt.updated', 'pending', 'delivered'],
    ['session.verified', 'verified', 'delivered'],
  ]);
});
