import { describe, expect, it } from 'vitest';
import { defaultRules } from '../../../../src/core/verify/rules.ts';
import { isTerminal } from '../../../../src/core/verify/session.ts';
import { sessionView } from '../../../../src/core/verify/view.ts';
import { Story } from '../../../support/session.ts';

const wrong = { kind: 'check', correct: false } as const;
const right = { kind: 'check', correct: true } as const;

describe('check', () => {
  it('counts five tries, and a correct fifth passes', () => {
    const story = new Story();
    for (const attemptsRemaining of [4, 3, 2, 1]) {
      const outcome = { kind: 'checked', valid: false, reason: 'incorrect_code', attemptsRemaining };
      expect(story.do(wrong)).toEqual(outcome);
    }
    expect(story.do(right)).toEqual({ kind: 'checked', valid: true, reason: null, attemptsRemaining: 0 });
    expect(story.session).toMatchObject({ status: 'verified', attempts: 5 });
  });

  it('a wrong fifth ends the session and takes back what is queued', () => {
    const story = new Story();
    for (let n = 0; n < 4; n += 1) story.do(wrong);
    expect(story.do(wrong)).toMatchObject({ valid: false, reason: 'incorrect_code', attemptsRemaining: 0 });
    expect(story.session).toMatchObject({ status: 'failed', statusReason: 'too_many_attempts', nextAt: null });
    expect(story.statuses).toEqual(['sms withdrawn']);
    expect(story.told).toEqual(['session.failed']);
    expect(story.do(right)).toMatchObject({ valid: false, reason: 'too_many_attempts' });
  });

  it('counts nothing once the session is over, and says why', () => {
    const story = new Story();
    story.do(right);
    const held = story.session;
    expect(story.do(right)).toMatchObject({ valid: false, reason: 'already_verified' });
    expect(story.session).toBe(held);
    const canceled = new Story();
    canceled.do({ kind: 'cancel', reason: 'replaced' });
    expect(canceled.do(right)).toMatchObject({ valid: false, reason: 'canceled' });
    expect(canceled.session.statusReason).toBe('replaced');
  });

  it('passes also after every leg failed', () => {
    const story = new Story({ skip: { whatsapp: 'no_operator', voice: 'no_operator' } });
    story.reject();
    expect(story.session.delivery).toBe('exhausted');
    expect(story.do(right)).toMatchObject({ valid: true });
  });
});

describe('a call that two processes do', () => {
  const by = (operation: string, correct: boolean) => ({ kind: 'check', correct, operation }) as const;

  it('is counted by the first, and answered again by the second, whatever came in between', () => {
    const story = new Story();
    const first = story.do(by('a', false));
    expect(first).toEqual({ kind: 'checked', valid: false, reason: 'incorrect_code', attemptsRemaining: 4 });
    story.do(by('b', false));
    const last = story.do(by('c', true));
    expect(last).toEqual({ kind: 'checked', valid: true, reason: null, attemptsRemaining: 2 });
    const held = story.session;
    expect([story.do(by('a', false)), story.do(by('c', true))]).toEqual([first, last]);
    expect(story.session).toBe(held);
    expect(held.attempts).toBe(3);
    expect(story.do(by('d', true))).toMatchObject({ valid: false, reason: 'already_verified' });
  });
});

describe('the end', () => {
  it('comes in the very millisecond, before whatever else happens in it', () => {
    const before = new Story();
    before.clock = 599_999;
    expect(before.do(right)).toMatchObject({ valid: true });
    const at = new Story().accept();
    at.clock = 600_000;
    expect(at.do(right)).toMatchObject({ valid: false, reason: 'expired' });
    expect(at.session).toMatchObject({ status: 'expired', attempts: 0, nextAt: null, legEndsAt: null });
    expect(at.told).toEqual(['message.submitted', 'session.expired']);
  });

  it('is expiry when a leg ends in the same millisecond', () => {
    const story = new Story({ request: { ttlMs: 15_000 } });
    expect(story.deadlineAt(15_000)).toEqual({ kind: 'done' });
    expect(story.session.status).toBe('expired');
    expect(story.statuses).toEqual(['sms withdrawn']);
    expect(story.told).toEqual(['session.expired']);
  });

  it('is expiry when a cancel, a receipt or a write comes in it', () => {
    const story = new Story();
    story.clock = 600_000;
    expect(story.do({ kind: 'cancel', reason: 'canceled_by_client' })).toMatchObject({ kind: 'ignored' });
    expect(story.session.status).toBe('expired');
    const late = new Story().accept();
    late.clock = 600_000;
    late.receipt('DELIVRD');
    expect(late.session).toMatchObject({ status: 'expired', delivery: 'delivered' });
    expect(late.told.slice(-2)).toEqual(['session.expired', 'receipt.updated']);
    const written = new Story();
    written.clock = 600_000;
    expect(written.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' })).toMatchObject({ kind: 'ignored' });
  });

  it('by cancel takes back what is queued and stops ringing calls', () => {
    const story = new Story({ request: { cascade: [{ channel: 'voice', timeoutMs: 45_000 }] } }).ring();
    expect(story.do({ kind: 'cancel', reason: 'canceled_by_client' })).toEqual({ kind: 'done' });
    const stopped = { kind: 'withdraw', messageId: 'msg_1', channel: 'voice', why: 'session_over', holder: 'prc_1' };
    expect(story.effects[0]).toEqual(stopped);
    expect(story.session).toMatchObject({ status: 'canceled', statusReason: 'canceled_by_client' });
    expect(isTerminal(story.session)).toBe(true);
    expect(story.do({ kind: 'cancel', reason: 'canceled_by_client' })).toMatchObject({ kind: 'ignored' });
    expect(story.told).toEqual(['message.submitted', 'session.canceled']);
  });
});

describe('a session whose client has checked the code by itself', () => {
  it('is verified by its report, stops what is on its way, and counts no attempt', () => {
    const story = new Story({ request: { sealedCode: 'sealed' } });
    expect(story.do({ kind: 'reported_verified' })).toEqual({ kind: 'done' });
    expect(story.session).toMatchObject({ status: 'verified', verifiedAt: 0, attempts: 0, sealedCode: '' });
    expect(story.statuses).toEqual(['sms withdrawn']);
    expect(story.session.timeline.at(-2)).toMatchObject({ kind: 'session_verified', reason: 'reported' });
    expect(story.told).toEqual(['session.verified']);
    // It is kept for the guard against pumping, and no reason that is shown.
    expect(story.session.statusReason).toBe('reported');
    expect(sessionView(story.session, defaultRules, [], story.clock).statusReason).toBe('');
    expect(story.do({ kind: 'reported_verified' })).toMatchObject({ kind: 'ignored' });
    expect(story.do({ kind: 'cancel', reason: 'reported_fraud' })).toMatchObject({ kind: 'ignored' });
  });

  it('is not verified any more once it is over', () => {
    const story = new Story();
    story.do({ kind: 'cancel', reason: 'reported_fraud' });
    expect(story.session).toMatchObject({ status: 'canceled', statusReason: 'reported_fraud' });
    expect(story.do({ kind: 'reported_verified' })).toMatchObject({ kind: 'ignored' });
    const late = new Story();
    late.clock = 600_000;
    late.do({ kind: 'reported_verified' });
    expect(late.session.status).toBe('expired');
  });
});
