import { describe, expect, it } from 'vitest';
import { open } from '../../../../src/core/verify/open.ts';
import { request, Story, wholeCascade } from '../../../support/session.ts';

describe('one call sends', () => {
  it('send → accepted → DELIVRD → check', () => {
    const story = new Story();
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_1', route: 'sms/atlas' }]);
    expect(story.session).toMatchObject({ status: 'pending', delivery: 'sending', run: 1, position: 0, sends: 1 });
    expect(story.session).toMatchObject({ legEndsAt: 15_000, nextAt: 15_000, firstSendAt: null });

    story.clock = 100;
    story.accept();
    expect(story.last).toMatchObject({ status: 'submitted', submittedAt: 100, providerMessageId: 'p-msg_1' });
    expect(story.last.cost).toMatchObject({ amount: '0.00', final: false });
    expect(story.session.firstSendAt).toBe(100);

    story.clock = 900;
    expect(story.receipt('DELIVRD')).toEqual({ kind: 'done' });
    expect(story.last).toMatchObject({ status: 'delivered', finalAt: 900, errorCode: '000' });
    expect(story.last.cost).toMatchObject({ amount: '2.50', final: true, revision: 2 });
    expect(story.session).toMatchObject({ status: 'pending', delivery: 'delivered', legEndsAt: null, nextAt: 600_000 });

    story.clock = 5_000;
    const outcome = story.do({ kind: 'check', correct: true });
    expect(outcome).toMatchObject({ kind: 'checked', valid: true, reason: null });
    expect(story.session).toMatchObject({ status: 'verified', verifiedAt: 5_000, nextAt: null });
    expect(story.told).toEqual(['message.submitted', 'receipt.updated', 'session.verified']);
    expect(story.kinds).toEqual([
      'session_opened',
      'leg_started',
      'message_submitted',
      'receipt_received',
      'delivery_delivered',
      'code_checked',
      'session_verified',
    ]);
  });

  it('tells the receipt with its cost, its run and the id the operator gave', () => {
    const story = new Story().accept();
    story.receipt('DELIVRD', undefined, { operatorTimestamp: 77 });
    const emitted = story.effects.find((effect) => effect.kind === 'emit');
    expect(emitted).toMatchObject({ type: 'receipt.updated', sequence: 2, messageId: 'msg_1' });
    expect(emitted).toMatchObject({ receipt: { status: 'DELIVRD', operatorTimestamp: 77, run: 1, channel: 'sms' } });
    expect(emitted).toMatchObject({ receipt: { cost: { amount: '2.50', final: true }, providerMessageId: 'p-msg_1' } });
  });

  it('makes no session where no leg can be taken', () => {
    const story = new Story();
    story.skip = { sms: 'no_operator', whatsapp: 'channel_not_configured', voice: 'channel_not_configured' };
    const reasons = ['no_operator', 'channel_not_configured', 'channel_not_configured'];
    expect(open(request, story.world())).toEqual({ kind: 'no_route', reasons });
  });
});

describe('the cascade', () => {
  it('goes to the next leg when no receipt came in time', () => {
    const story = new Story().accept();
    expect(story.deadlineAt(14_999)).toEqual({ kind: 'ignored', reason: 'nothing is due' });
    expect(story.deadlineAt(15_000)).toEqual({ kind: 'done' });
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_2', route: 'whatsapp/atlas' }]);
    expect(story.session).toMatchObject({ position: 1, legEndsAt: 30_000, nextAt: 30_000, delivery: 'sending' });
    expect(story.statuses).toEqual(['sms submitted', 'whatsapp queued']);
    expect(story.kinds.slice(-2)).toEqual(['leg_timed_out', 'leg_started']);
  });

  it('starts the clock of a leg that is late when it starts', () => {
    const story = new Story().accept();
    story.deadlineAt(40_000);
    expect(story.session).toMatchObject({ position: 1, legEndsAt: 55_000 });
  });

  it('names the operator that keeps a leg from being taken: no message of the leg does', () => {
    const story = new Story({ skip: { sms: 'operator_down' } });
    expect(story.session.timeline).toContainEqual(
      expect.objectContaining({ kind: 'leg_skipped', channel: 'sms', reason: 'operator_down', detail: 'atlas' }),
    );
  });

  it('skips what cannot be used, and says why', () => {
    const story = new Story({ skip: { whatsapp: 'in_country_only' } }).accept();
    story.deadlineAt(15_000);
    expect(story.statuses).toEqual(['sms submitted', 'voice queued']);
    expect(story.session.position).toBe(2);
    expect(story.session.timeline).toContainEqual(
      expect.objectContaining({ kind: 'leg_skipped', channel: 'whatsapp', position: 1, reason: 'in_country_only' }),
    );
  });

  it('is exhausted once per run; the session stays pending, because a late code still verifies', () => {
    const story = new Story({ request: { cascade: wholeCascade.slice(0, 1) } }).accept();
    story.deadlineAt(15_000);
    expect(story.session).toMatchObject({ status: 'pending', delivery: 'exhausted', legEndsAt: null, nextAt: 600_000 });
    story.deadlineAt(20_000);
    story.receipt('UNDELIV');
    expect(story.told.filter((type) => type === 'session.delivery_exhausted')).toHaveLength(1);
    expect(story.do({ kind: 'check', correct: true })).toMatchObject({ valid: true });
  });

  it('withdraws what is not out yet when its leg ends, and leaves what is being written to its answer', () => {
    const story = new Story();
    story.deadlineAt(15_000);
    expect(story.effects[0]).toMatchObject({ kind: 'withdraw', messageId: 'msg_1', channel: 'sms', why: 'leg_over' });
    story.do({ kind: 'submitting', messageId: 'msg_2', holder: 'prc_1' });
    story.deadlineAt(30_000);
    expect(story.statuses).toEqual(['sms withdrawn', 'whatsapp submitting', 'voice queued']);
    expect(story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' })).toMatchObject({ kind: 'ignored' });
    story.do({ kind: 'not_sent', messageId: 'msg_2', holder: 'prc_1' });
    expect(story.statuses).toEqual(['sms withdrawn', 'whatsapp withdrawn', 'voice queued']);
  });

  it('writes nothing from the millisecond on in which the leg ends, though its deadline was not done yet', () => {
    const story = new Story();
    story.clock = 15_000;
    expect(story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' })).toEqual({
      kind: 'ignored',
      reason: 'leg is over',
    });
  });

  it('a delivery on the first leg stops the second one and all further ones', () => {
    const story = new Story().accept();
    story.deadlineAt(15_000);
    story.clock = 16_000;
    story.receipt('DELIVRD', 'msg_1');
    expect(story.statuses).toEqual(['sms delivered', 'whatsapp withdrawn']);
    const withdrawn = { kind: 'withdraw', messageId: 'msg_2', channel: 'whatsapp', why: 'delivered_elsewhere' };
    expect(story.effects).toContainEqual({ ...withdrawn, holder: null });
    expect(story.session).toMatchObject({ delivery: 'delivered', nextAt: 600_000 });
    story.deadlineAt(30_000);
    expect(story.session.messages).toHaveLength(2);
  });

  it('a delivery cancels a ringing call', () => {
    const story = new Story({ request: { cascade: [wholeCascade[0]!, wholeCascade[2]!] } }).accept();
    story.deadlineAt(15_000);
    story.ring();
    story.receipt('DELIVRD', 'msg_1');
    const stopped = { kind: 'withdraw', messageId: 'msg_2', channel: 'voice', why: 'delivered_elsewhere' };
    expect(story.effects).toContainEqual({ ...stopped, holder: 'prc_1' });
    expect(story.statuses).toEqual(['sms delivered', 'voice submitted']);
  });

  it('what is being written when the delivery comes is neither sent again nor followed by a leg', () => {
    const story = new Story().accept();
    story.deadlineAt(15_000);
    story.do({ kind: 'submitting', messageId: 'msg_2', holder: 'prc_1' });
    story.receipt('DELIVRD', 'msg_1');
    story.do({ kind: 'rejected', messageId: 'msg_2', reason: 'not_on_app', errorCode: '131026' });
    expect(story.statuses).toEqual(['sms delivered', 'whatsapp rejected']);
    expect(story.session).toMatchObject({ delivery: 'delivered', status: 'pending' });
    expect(story.told.at(-1)).toBe('message.failed');
  });

  it('is delivered after all when a receipt comes after it was exhausted', () => {
    const story = new Story({ request: { cascade: wholeCascade.slice(0, 1) } }).accept();
    story.deadlineAt(15_000);
    story.clock = 25_000;
    story.receipt('DELIVRD');
    expect(story.session.delivery).toBe('delivered');
    expect(story.resend()).toMatchObject({ kind: 'resend_too_soon', resendAfter: 30_000 });
  });
});
