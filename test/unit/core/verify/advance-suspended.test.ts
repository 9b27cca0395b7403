// A session whose account is suspended while it runs: nothing more is written, whatever happens, and the timeline says why.
import { expect, test } from 'vitest';
import { Story, wholeCascade } from '../../../support/session.ts';

const reasons = ({ session }: Story) =>
  session.timeline.flatMap(({ kind, channel, reason }) =>
    reason === 'account_suspended' ? [`${kind} ${channel}`] : [],
  );

test('what waits in line is taken back, and no leg follows', () => {
  const story = new Story();
  story.suspended = true;
  expect(story.do({ kind: 'submitting', messageId: story.last.id, holder: 'prc_1' }).kind).toBe('ignored');
  expect(story.session).toMatchObject({ status: 'pending', delivery: 'exhausted', legEndsAt: null });
  expect(story.session.messages).toMatchObject([{ status: 'withdrawn', reason: 'account_suspended' }]);
  expect(reasons(story)).toEqual(['message_withdrawn sms', 'leg_skipped whatsapp', 'leg_skipped voice']);
  expect(story.told).toEqual(['session.delivery_exhausted']);
  expect(story.effects.filter(({ kind }) => kind === 'send')).toEqual([]);
});

test('what waits in line for WhatsApp is taken back where the account stays in the country, and the next leg follows', () => {
  const story = new Story({
    request: { cascade: wholeCascade.toSorted(({ channel }) => (channel === 'whatsapp' ? -1 : 0)) },
  });
  story.skip.whatsapp = 'in_country_only';
  expect(story.do({ kind: 'submitting', messageId: story.last.id, holder: 'prc_1' }).kind).toBe('ignored');
  expect(story.session.messages).toMatchObject([
    { channel: 'whatsapp', status: 'withdrawn', reason: 'in_country_only', submittedAt: null },
    { channel: 'sms', status: 'queued' },
  ]);
  expect(story.do({ kind: 'submitting', messageId: story.last.id, holder: 'prc_1' }).kind).toBe('done');
});

test('a budget that was used up meanwhile takes nothing back: the message in line is paid for', () => {
  const story = new Story();
  story.skip.sms = 'budget_exhausted';
  expect(story.do({ kind: 'submitting', messageId: story.last.id, holder: 'prc_1' }).kind).toBe('done');
  expect(story.session.messages).toMatchObject([{ channel: 'sms', status: 'submitting' }]);
});

test.each([
  ['its time is up', (story: Story) => story.deadlineAt(15_000)],
  ['it was refused', (story: Story) => story.do({ ...refused, messageId: story.last.id })],
  ['its phone can not be reached', (story: Story) => story.receipt('UNDELIV')],
])('no leg follows a message that was out: %s', (_, happens) => {
  const story = new Story();
  story.do({ kind: 'submitting', messageId: story.last.id, holder: 'prc_1' });
  if (_ !== 'it was refused') {
    const accepted = { kind: 'accepted', messageId: story.last.id, providerMessageId: 'p', parts: 1 } as const;
    story.do({ ...accepted, tariff: null });
  }
  story.suspended = true;
  happens(story);
  expect(story.session.messages).toHaveLength(1);
  expect(story.session.delivery).toBe('exhausted');
  expect(reasons(story)).toEqual(['leg_skipped whatsapp', 'leg_skipped voice']);
});

const refused = { kind: 'rejected', reason: 'submit_refused', errorCode: '11' } as const;

test('the sender refused: not once more under the default name', () => {
  const story = new Story();
  const messageId = story.last.id;
  story.do({ kind: 'submitting', messageId, holder: 'prc_1' });
  story.suspended = true;
  story.do({ kind: 'sender_refused', messageId, fallback: 'OTHER', errorCode: '10' });
  story.do({ kind: 'submitting', messageId, holder: 'prc_1' });
  expect(story.session.messages).toMatchObject([{ status: 'withdrawn', reason: 'account_suspended' }]);
});

test('a resend finds no leg; once the account is resumed it does', () => {
  const story = new Story();
  story.accept();
  story.suspended = true;
  story.clock = 31_000;
  expect(story.resend()).toMatchObject({ kind: 'no_route', reason: expect.stringContaining('account_suspended') });
  story.suspended = false;
  expect(story.resend().kind).toBe('resent');
});

test('a message that was out may still be delivered, and its code still verifies', () => {
  const story = new Story();
  story.accept();
  story.suspended = true;
  story.receipt('DELIVRD');
  expect(story.session.delivery).toBe('delivered');
  expect(story.do({ kind: 'check', correct: true })).toMatchObject({ kind: 'checked', valid: true });
});
