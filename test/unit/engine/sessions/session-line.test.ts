// Which answer a change keeps under an Idempotency-Key.
import { expect, test } from 'vitest';
import type { Event } from '../../../../src/core/verify/event.ts';
import { advanceAll, type Job } from '../../../../src/engine/sessions/session-line.ts';
import { Story } from '../../../support/session.ts';

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
  expect([next.status, outcomes[0]?.outcome]).toEqual(['expired', { kind: 'open_new' }]);
  expect(extras.idempotency).toBeNull();
});
