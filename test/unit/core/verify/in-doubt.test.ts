// A message in doubt: nobody knows whether the carrier has it. It costs the person seconds, not the leg, and where no leg is left it goes
// out once more as a message of its own.
import { describe, expect, it } from 'vitest';
import type { Leg } from '../../../../src/core/verify/session.ts';
import { Story, type StoryOptions, tariff } from '../../../support/session.ts';

const sms: Leg = { channel: 'sms', timeoutMs: 15_000 };
const whatsapp: Leg = { channel: 'whatsapp', timeoutMs: 15_000 };
const voice: Leg = { channel: 'voice', timeoutMs: 45_000 };

const story = (cascade: Leg[], options: StoryOptions = {}) => new Story({ request: { cascade }, ...options });

/** The last message begun is written, and its answer never comes. */
function doubt(of: Story, atMs: number): void {
  const { id: messageId } = of.last;
  of.clock = atMs;
  of.do({ kind: 'submitting', messageId, holder: 'prc_1' });
  of.do({ kind: 'unknown', messageId, reason: 'connection_lost' });
}

const kinds = ({ session }: Story) =>
  session.timeline.map(({ kind, channel, reason }) => [kind, channel, reason].filter(Boolean).join(' '));
const exhausted = ({ told }: Story) => told.filter((type) => type === 'session.delivery_exhausted').length;

describe('a leg with legs behind it', () => {
  it('ends 3 s after its message came to be in doubt, and says why', () => {
    const told = story([sms, whatsapp]);
    doubt(told, 1_000);
    expect(told.session.nextAt).toBe(4_000);
    told.deadlineAt(4_000);
    expect(told.statuses).toEqual(['sms unknown', 'whatsapp queued']);
    expect(kinds(told)).toContain('leg_timed_out sms in_doubt');
  });

  it('ends with its own time, where that is sooner', () => {
    const told = story([sms, whatsapp]);
    doubt(told, 14_000);
    expect(told.session.nextAt).toBe(15_000);
  });

  it.each(['ENROUTE', 'ACCEPTD'] as const)('has its whole time once %s says that the carrier has it', (status) => {
    const told = story([sms, whatsapp]);
    doubt(told, 1_000);
    told.receipt(status);
    expect(told.session.nextAt).toBe(15_000);
  });

  it('has its whole time once the answer comes late', () => {
    const told = story([sms, whatsapp]);
    doubt(told, 1_000);
    told.do({ kind: 'accepted', messageId: 'msg_1', providerMessageId: 'p1', parts: 1, tariff });
    expect(told.session.nextAt).toBe(15_000);
    expect(told.statuses).toEqual(['sms submitted']);
  });
});

describe('the last leg', () => {
  it('goes out once more as a message of its own, 3 s later, and says so', () => {
    const told = story([sms]);
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    expect(told.statuses).toEqual(['sms unknown', 'sms queued']);
    expect(told.last).toMatchObject({ id: 'msg_2', run: 1, position: 0, attempt: 2 });
    expect(told.effects).toEqual([{ kind: 'send', messageId: 'msg_2', route: 'sms/atlas' }]);
    expect(kinds(told).slice(-2)).toEqual(['leg_timed_out sms in_doubt', 'in_doubt_resend sms']);
    expect(told.session.nextAt).toBe(19_000);
    expect(exhausted(told)).toBe(0);
  });

  it('spends no send', () => {
    const told = story([sms]);
    doubt(told, 0);
    told.deadlineAt(3_000);
    expect(told.session.sends).toBe(1);
  });

  it('goes out twice at most, also where the second message is in doubt', () => {
    const told = story([sms]);
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    doubt(told, 5_000);
    told.deadlineAt(8_000);
    expect(told.statuses).toEqual(['sms unknown', 'sms unknown']);
    expect(told.session.delivery).toBe('exhausted');
    expect(exhausted(told)).toBe(1);
  });

  it('goes out twice once a run: the next send has its own', () => {
    const told = story([sms]);
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    doubt(told, 5_000);
    told.deadlineAt(8_000);
    told.clock = 60_000;
    told.resend();
    doubt(told, 61_000);
    told.deadlineAt(64_000);
    expect(told.session.messages.map(({ run, attempt }) => [run, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
    ]);
  });

  it('is left alone where the deployment wants no second message', () => {
    const told = story([sms], { rules: { inDoubtResend: false } });
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    expect(told.statuses).toEqual(['sms unknown']);
    expect(told.session.delivery).toBe('exhausted');
  });

  it('is left alone once a receipt came: the carrier has it', () => {
    const told = story([sms]);
    doubt(told, 1_000);
    told.receipt('ENROUTE');
    told.deadlineAt(15_000);
    expect(told.statuses).toEqual(['sms unknown']);
    expect(told.session.delivery).toBe('exhausted');
  });

  it('is skipped where its channel can not be used any more, and says why', () => {
    const told = story([sms]);
    doubt(told, 1_000);
    told.skip = { sms: 'channel_down' };
    told.deadlineAt(4_000);
    expect(told.statuses).toEqual(['sms unknown']);
    expect(kinds(told).slice(-2)).toEqual(['leg_skipped sms channel_down', 'delivery_exhausted']);
  });

  it('is not a call: a phone that may have rung is not called once more', () => {
    const told = story([voice]);
    doubt(told, 1_000);
    expect(told.statuses).toEqual(['voice unknown']);
    expect(told.session.delivery).toBe('exhausted');
  });
});

describe('a cascade that ends', () => {
  it('comes back to the message in doubt after all other legs, with nothing behind it', () => {
    const told = story([sms, whatsapp]);
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    told.accept();
    told.deadlineAt(19_000);
    expect(told.statuses).toEqual(['sms unknown', 'whatsapp submitted', 'sms queued']);
    told.accept();
    told.receipt('UNDELIV');
    expect(told.session.delivery).toBe('exhausted');
    expect(told.statuses).toEqual(['sms unknown', 'whatsapp submitted', 'sms undelivered']);
  });

  it('waits out the time in doubt of a message that outlasted its leg', () => {
    const told = story([sms, whatsapp], { skip: { whatsapp: 'channel_down' } });
    told.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    told.deadlineAt(15_000);
    expect(exhausted(told)).toBe(1);
    told.clock = 16_000;
    told.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    expect(told.session).toMatchObject({ delivery: 'sending', nextAt: 19_000 });
    told.deadlineAt(19_000);
    expect(told.statuses).toEqual(['sms unknown', 'sms queued']);
    expect(kinds(told).at(-1)).toBe('in_doubt_resend sms');
    told.deadlineAt(34_000);
    // The client has heard of the run's end already.
    expect(exhausted(told)).toBe(1);
  });

  it('does not go on in a session that is over', () => {
    const told = story([sms]);
    told.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    told.deadlineAt(15_000);
    told.do({ kind: 'cancel', reason: 'canceled_by_client' });
    told.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    expect(told.session).toMatchObject({ status: 'canceled', nextAt: null });
    expect(told.statuses).toEqual(['sms unknown']);
  });
});

describe('a doubt that ends before the second message is written', () => {
  const accept = (told: Story) =>
    told.do({ kind: 'accepted', messageId: 'msg_1', providerMessageId: 'p1', parts: 1, tariff });
  function again(): Story {
    const told = story([sms]);
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    return told;
  }
  const submitting = (told: Story) => told.do({ kind: 'submitting', messageId: 'msg_2', holder: 'prc_1' });

  it.each<[string, (told: Story) => unknown, string]>([
    ['a late answer', accept, 'submitted'],
    ['ENROUTE', (told) => told.receipt('ENROUTE', 'msg_1'), 'unknown'],
    ['ACCEPTD', (told) => told.receipt('ACCEPTD', 'msg_1'), 'unknown'],
  ])('%s withdraws it, and the first one is waited for again', (_what, end, status) => {
    const told = again();
    end(told);
    expect(told.statuses).toEqual([`sms ${status}`, 'sms withdrawn']);
    expect(told.session).toMatchObject({ delivery: 'sending', nextAt: 15_000 });
    expect(submitting(told)).toMatchObject({ kind: 'ignored' });
    told.receipt('UNDELIV', 'msg_1');
    expect(told.session.delivery).toBe('exhausted');
    expect(exhausted(told)).toBe(1);
  });

  it('one that waits for its turn to be written is stopped, and is withdrawn where it was not written', () => {
    const told = again();
    submitting(told);
    accept(told);
    expect(told.effects).toContainEqual(expect.objectContaining({ kind: 'withdraw', messageId: 'msg_2' }));
    told.do({ kind: 'not_sent', messageId: 'msg_2', holder: 'prc_1' });
    expect(told.statuses).toEqual(['sms submitted', 'sms withdrawn']);
    expect(told.session.nextAt).toBe(15_000);
    told.deadlineAt(15_000);
    expect(told.session.delivery).toBe('exhausted');
  });

  it('one that was written all the same is waited for', () => {
    const told = again();
    submitting(told);
    accept(told);
    told.do({ kind: 'accepted', messageId: 'msg_2', providerMessageId: 'p2', parts: 1, tariff });
    told.receipt('UNDELIV', 'msg_1');
    expect(told.session.delivery).toBe('sending');
    told.receipt('UNDELIV', 'msg_2');
    expect(told.session.delivery).toBe('exhausted');
  });

  // A report says first that the carrier had the message.
  const failed = (told: Story) => {
    const answer = { providerMessageId: 'p1', parts: 1, tariff, reported: true, failed: true } as const;
    told.do({ kind: 'accepted', messageId: 'msg_1', ...answer });
    expect(told.session).toMatchObject({ delivery: 'sending', nextAt: 19_000 });
    told.receipt('UNDELIV', 'msg_1');
  };

  it('a first one that failed leaves the second on its way', () => {
    const told = again();
    failed(told);
    expect(told.statuses).toEqual(['sms undelivered', 'sms queued']);
    expect(told.session).toMatchObject({ delivery: 'sending', nextAt: 19_000 });
    expect(told.session.messages[0]).toMatchObject({ submittedAt: 0, providerMessageId: 'p1' });
  });

  it('also while the second is being written', () => {
    const told = again();
    submitting(told);
    failed(told);
    expect(told.session).toMatchObject({ delivery: 'sending', nextAt: 19_000 });
    told.do({ kind: 'accepted', messageId: 'msg_2', providerMessageId: 'p2', parts: 1, tariff });
    expect(told.statuses).toEqual(['sms undelivered', 'sms submitted']);
    expect(exhausted(told)).toBe(0);
  });
});

describe('receipts while both messages are out', () => {
  function both(): Story {
    const told = story([sms]);
    doubt(told, 1_000);
    told.deadlineAt(4_000);
    return told.accept();
  }
  const receipt = (status: 'DELIVRD' | 'UNDELIV', messageId: string, told: Story) => told.receipt(status, messageId);

  it('the first one delivered ends the wait', () => {
    const told = both();
    receipt('DELIVRD', 'msg_1', told);
    expect(told.session.delivery).toBe('delivered');
    expect(told.statuses).toEqual(['sms delivered', 'sms submitted']);
  });

  it('the first one failed ends nothing: the second is waited for', () => {
    const told = both();
    receipt('UNDELIV', 'msg_1', told);
    expect(told.session).toMatchObject({ delivery: 'sending', nextAt: 19_000 });
  });

  it('the second one failed ends the run', () => {
    const told = both();
    receipt('UNDELIV', 'msg_2', told);
    expect(told.session.delivery).toBe('exhausted');
  });
});
