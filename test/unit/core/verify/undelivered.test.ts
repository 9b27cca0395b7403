// A message at WhatsApp whose delivery nobody reports: it is over when the platform has dropped it, whatever became of its session.
import { describe, expect, it } from 'vitest';
import { Story, type StoryOptions } from '../../../support/session.ts';

const app = { channel: 'whatsapp', timeoutMs: 15_000 } as const;
const voice = { channel: 'voice', timeoutMs: 45_000 } as const;

/** A session by the app, taken by the platform after a second. */
function taken(options: StoryOptions = {}): Story {
  const story = new Story({ request: { cascade: [app] }, rules: { appDeliveryMs: 90_000 }, ...options });
  story.clock = 1_000;
  return story.accept();
}

const failures = ({ told }: Story) => told.filter((type) => type === 'message.failed').length;

describe('a message that nobody reports as delivered', () => {
  it('is over when its time is, at no cost, and says so once', () => {
    const story = taken();
    story.deadlineAt(15_000);
    expect(story.session).toMatchObject({ delivery: 'exhausted', nextAt: 91_000 });
    expect(story.deadlineAt(90_999)).toMatchObject({ kind: 'ignored' });
    expect(story.last).toMatchObject({ status: 'submitted', finalAt: null, cost: { final: false } });
    expect(story.deadlineAt(91_000)).toEqual({ kind: 'done' });
    expect(story.last).toMatchObject({
      status: 'expired',
      reason: 'not_delivered_in_time',
      finalAt: 91_000,
      cost: { amount: '0.00', final: true, revision: 2 },
    });
    expect(story.session.timeline.at(-1)).toMatchObject({
      at: 91_000,
      kind: 'message_failed',
      channel: 'whatsapp',
      messageId: story.last.id,
      reason: 'not_delivered_in_time',
    });
    expect(story.session.nextAt).toBe(600_000);
    story.deadlineAt(600_000);
    expect(failures(story)).toBe(1);
  });

  it('ends after its session, too, which has a deadline until then', () => {
    const story = taken();
    story.clock = 2_000;
    story.do({ kind: 'check', correct: true });
    expect(story.session).toMatchObject({ status: 'verified', legEndsAt: null, nextAt: 91_000 });
    story.deadlineAt(91_000);
    expect(story.last).toMatchObject({ status: 'expired', cost: { amount: '0.00', final: true } });
    expect(story.session).toMatchObject({ status: 'verified', nextAt: null });
    expect(story.told.at(-1)).toBe('message.failed');
  });

  it('ends with its session where both are due', () => {
    const story = taken({ request: { cascade: [app], ttlMs: 60_000 } });
    story.deadlineAt(200_000);
    expect(story.told.slice(-2)).toEqual(['session.expired', 'message.failed']);
    expect(story.session.nextAt).toBeNull();
  });

  it('moves the cascade on where its leg is longer than its time', () => {
    const story = taken({ request: { cascade: [{ ...app, timeoutMs: 300_000 }, voice] } });
    story.deadlineAt(91_000);
    expect(story.statuses).toEqual(['whatsapp expired', 'voice queued']);
    expect(story.session).toMatchObject({ position: 1, legEndsAt: 136_000 });
  });
});

describe('what is heard in time', () => {
  it.each(['DELIVRD', 'UNDELIV'] as const)('%s takes the deadline away', (status) => {
    const story = taken();
    story.clock = 5_000;
    story.do({ kind: 'check', correct: true });
    story.receipt(status);
    expect(story.session.nextAt).toBeNull();
    expect(story.deadlineAt(91_000)).toMatchObject({ kind: 'ignored' });
    expect(story.last.status).not.toBe('expired');
  });

  it('`sent` does not: the platform has it, and not the phone', () => {
    const story = taken();
    story.receipt('ACCEPTD');
    story.deadlineAt(91_000);
    expect(story.last.status).toBe('expired');
  });
});

describe('a status that comes too late', () => {
  it('still corrects the message and its cost', () => {
    const story = taken();
    story.deadlineAt(91_000);
    story.clock = 200_000;
    story.receipt('DELIVRD');
    expect(story.last).toMatchObject({
      status: 'delivered',
      reason: null,
      finalAt: 200_000,
      cost: { amount: '2.50', final: true, revision: 3 },
    });
    expect(story.session.delivery).toBe('delivered');
  });

  it('a refusal says more than that time ran out', () => {
    const story = taken();
    story.deadlineAt(91_000);
    story.receipt('UNDELIV');
    expect(story.last).toMatchObject({ status: 'undelivered', reason: null, cost: { amount: '0.00', final: true } });
  });
});

it('only WhatsApp drops messages without a word', () => {
  const story = new Story().accept();
  story.do({ kind: 'check', correct: true });
  expect(story.session.nextAt).toBeNull();
});

it('a deadline that new settings have moved rings again', () => {
  const rules = { appDeliveryMs: 90_000 };
  const story = taken({ rules });
  story.do({ kind: 'check', correct: true });
  rules.appDeliveryMs = 120_000;
  story.deadlineAt(91_000);
  expect(story.session.nextAt).toBe(121_000);
  story.deadlineAt(121_000);
  expect(story.last.status).toBe('expired');
});
