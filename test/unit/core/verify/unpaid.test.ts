// Legs that a budget can't pay for: each is skipped by name, the cascade goes on, and its end is told as any end is.
import { describe, expect, it } from 'vitest';
import { open } from '../../../../src/core/verify/open.ts';
import { request, Story } from '../../../support/session.ts';

const all = { sms: 'budget_exhausted', whatsapp: 'budget_exhausted', voice: 'budget_exhausted' } as const;

describe('a leg whose budget is exhausted', () => {
  it('is skipped, and the timeline says so; the next one is taken', () => {
    const story = new Story();
    story.accept();
    story.skip = { whatsapp: 'budget_exhausted' };
    story.deadlineAt(15_000);
    expect(story.session.timeline).toContainEqual(
      expect.objectContaining({ kind: 'leg_skipped', channel: 'whatsapp', reason: 'budget_exhausted' }),
    );
    expect(story.statuses).toEqual(['sms submitted', 'voice queued']);
  });

  it('and no other left ends the cascade, which the client hears', () => {
    const story = new Story();
    story.accept();
    story.skip = all;
    story.deadlineAt(15_000);
    expect(story.session).toMatchObject({ status: 'pending', delivery: 'exhausted', legEndsAt: null, nextAt: 600_000 });
    expect(story.told).toContain('session.delivery_exhausted');
    // A code that comes late is still good.
    expect(story.do({ kind: 'check', correct: true })).toMatchObject({ kind: 'checked', valid: true });
  });

  it('is not gone to by a resend, which changes nothing', () => {
    const story = new Story();
    story.accept();
    story.clock = 30_000;
    story.skip = all;
    const before = story.session;
    expect(story.resend()).toMatchObject({ kind: 'no_route', reason: expect.stringContaining('budget_exhausted') });
    expect(story.session).toBe(before);
  });

  it('takes no second message of one in doubt', () => {
    const story = new Story({ skip: { whatsapp: 'channel_down', voice: 'channel_down' } });
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    story.skip = all;
    story.deadlineAt(15_000);
    expect(story.session.messages).toHaveLength(1);
    expect(story.session.delivery).toBe('exhausted');
  });

  // Likewise where the account has said meanwhile that its data stays in the country, or was suspended.
  it.each(['budget_exhausted', 'in_country_only', 'account_suspended'] as const)(
    'sends nothing elsewhere: the cascade goes on (%s)',
    (reason) => {
      const story = new Story();
      story.deadlineAt(15_000);
      story.accept();
      story.skip = { whatsapp: reason };
      story.receipt('REJECTD', 'msg_2', { elsewhere: { route: 'whatsapp/platform', senderId: 'RAMZ' } });
      expect(story.kinds).toContain('leg_skipped');
      expect(story.statuses).toEqual(['sms withdrawn', 'whatsapp rejected', 'voice queued']);
    },
  );
});

it('no session is opened where none can be paid for', () => {
  const world = new Story({ request: { id: 'vrf_2' } }).world();
  const plan = () => ({ kind: 'skip', reason: 'budget_exhausted' }) as const;
  expect(open(request, { ...world, plan })).toEqual({
    kind: 'no_route',
    reasons: ['budget_exhausted', 'budget_exhausted', 'budget_exhausted'],
  });
});
