import { describe, expect, it } from 'vitest';
import { Story, tariff } from '../../../support/session.ts';

const accepted = (messageId: string, parts = 1) =>
  ({ kind: 'accepted', messageId, providerMessageId: 'p1', parts, tariff }) as const;
const refused = (fallback: string | null) =>
  ({ kind: 'sender_refused', messageId: 'msg_1', fallback, errorCode: '10' }) as const;

/** A story whose first message is being written. */
function writing(): Story {
  const story = new Story();
  story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
  return story;
}

describe('a refused message', () => {
  it('moves the cascade on at once', () => {
    const story = new Story();
    story.clock = 200;
    story.reject();
    expect(story.message('msg_1')).toMatchObject({
      status: 'rejected',
      reason: 'submit_refused',
      errorCode: '11',
    });
    expect(story.statuses).toEqual(['sms rejected', 'whatsapp queued']);
    expect(story.session.legEndsAt).toBe(15_200);
    expect(story.told).toEqual(['message.failed']);
  });

  it('is told even when the session is over, and starts nothing', () => {
    const story = writing();
    story.do({ kind: 'cancel', reason: 'canceled_by_client' });
    story.do({ kind: 'rejected', messageId: 'msg_1', reason: 'submit_refused', errorCode: '11' });
    expect(story.told).toEqual(['session.canceled', 'message.failed']);
    expect(story.statuses).toEqual(['sms rejected']);
    expect(story.session.status).toBe('canceled');
  });
});

describe('a message that was not sent', () => {
  it.each(['operator_down', 'operator_maintenance'] as const)(
    'is not waited for where its leg is skipped by now: %s',
    (reason) => {
      const story = new Story();
      story.clock = 5_000;
      story.skip = { sms: reason };
      story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' });
      expect(story.statuses).toEqual(['sms withdrawn', 'whatsapp queued']);
      expect(story.session.timeline.slice(-2)).toMatchObject([
        { kind: 'leg_skipped', position: 0, channel: 'sms', messageId: 'msg_1', reason, detail: 'atlas' },
        { kind: 'leg_started', position: 1, channel: 'whatsapp' },
      ]);
      expect(story.session.legEndsAt).toBe(20_000);
    },
  );

  describe('that its carrier puts off', () => {
    const busy = { kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1', busy: 'ESME_RTHROTTLED' } as const;
    const again = { kind: 'submitting', messageId: 'msg_1', holder: 'prc_2' } as const;
    /** Refused twice for now, and on its way for the third time, by another process than the first two. */
    function twiceRefused(): Story {
      const story = writing();
      story.do(busy);
      story.do({ ...again, holder: 'prc_1' });
      story.do(busy);
      expect(story.message('msg_1')).toMatchObject({ status: 'queued', errorCode: 'ESME_RTHROTTLED', refusals: 2 });
      expect(story.kinds).not.toContain('operator_busy');
      story.do(again);
      return story;
    }
    const told = ({ session }: Story) => session.timeline.filter(({ kind }) => kind === 'operator_busy');
    const twice = { messageId: 'msg_1', detail: '2 × ESME_RTHROTTLED' };

    it('says so before it is taken, and that is no failure then', () => {
      const story = twiceRefused();
      story.do(accepted('msg_1'));
      expect(story.message('msg_1')).toMatchObject({ status: 'submitted', errorCode: null });
      expect(story.kinds.slice(-2)).toEqual(['operator_busy', 'message_submitted']);
      expect(told(story)).toMatchObject([twice]);
    });

    it.each([
      [
        'refused for good',
        { kind: 'rejected', messageId: 'msg_1', reason: 'submit_refused', errorCode: '11' },
        'message_failed',
      ],
      ['in doubt', { kind: 'unknown', messageId: 'msg_1', reason: 'timeout' }, 'message_unknown'],
      ['lost with its process', { kind: 'holder_lost', messageId: 'msg_1', holder: 'prc_2' }, 'message_unknown'],
    ] as const)('says so where it ends %s', (_, event, kind) => {
      const story = twiceRefused();
      story.do(event);
      expect(told(story)).toMatchObject([twice]);
      expect(story.kinds.indexOf('operator_busy')).toBe(story.kinds.indexOf(kind) - 1);
    });

    it('says so when its leg ends while it waits, whichever process has counted, and keeps the last status', () => {
      const story = writing();
      story.do(busy);
      story.deadlineAt(15_000);
      expect(story.message('msg_1')).toMatchObject({ status: 'withdrawn', errorCode: 'ESME_RTHROTTLED' });
      expect(told(story)).toMatchObject([{ detail: '1 × ESME_RTHROTTLED' }]);
      expect(story.kinds.indexOf('operator_busy')).toBe(story.kinds.indexOf('message_withdrawn') - 1);
    });

    it('says so when it is refused once more after its leg', () => {
      const story = twiceRefused();
      story.deadlineAt(15_000);
      expect(told(story)).toEqual([]);
      story.do({ ...busy, holder: 'prc_2' });
      expect(told(story)).toMatchObject([{ detail: '3 × ESME_RTHROTTLED' }]);
    });

    it('says so once: a late answer has nothing to add', () => {
      const story = twiceRefused();
      story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
      story.do(accepted('msg_1'));
      expect(told(story)).toHaveLength(1);
    });
  });

  it('waits where its leg is skipped for another reason: its route may be there again', () => {
    const story = new Story();
    story.skip = { sms: 'no_operator' };
    story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' });
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_1', route: 'sms/atlas' }]);
  });
});

describe('a refused sender name', () => {
  it('is tried once more under the default one, and said so', () => {
    const story = writing();
    story.do(refused('Info'));
    expect(story.last).toMatchObject({ status: 'queued', senderId: 'Info', senderFallback: true });
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_1', route: 'sms/atlas' }]);
    expect(story.session.timeline.at(-1)).toMatchObject({ kind: 'sender_fallback', detail: 'Info' });
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    story.do(refused('Other'));
    expect(story.message('msg_1')).toMatchObject({ status: 'rejected', reason: 'sender_id_refused', errorCode: '10' });
    expect(story.statuses).toEqual(['sms rejected', 'whatsapp queued']);
  });

  it.each([null, 'RAMZ'])('is a refusal where the other name is %j: none, or the same', (fallback) => {
    const story = writing();
    story.do(refused(fallback));
    expect(story.statuses).toEqual(['sms rejected', 'whatsapp queued']);
  });

  it('is tried by another route where the carrier names one, even under the same name', () => {
    const story = writing();
    story.do({ ...refused('RAMZ'), route: 'sms/other' });
    expect(story.last).toMatchObject({ status: 'queued', route: 'sms/other', senderFallback: true });
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_1', route: 'sms/other' }]);
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    story.do({ ...refused('RAMZ'), route: 'sms/third' });
    expect(story.message('msg_1')).toMatchObject({ status: 'rejected', reason: 'sender_id_refused' });
  });

  it('is a refusal once the leg is over', () => {
    const story = writing();
    story.deadlineAt(15_000);
    story.do(refused('Info'));
    expect(story.statuses).toEqual(['sms rejected', 'whatsapp queued']);
  });
});

describe('an unknown end', () => {
  it('sends nothing again, and the leg waits for a receipt a little longer', () => {
    const story = writing();
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'connection_lost' });
    expect(story.last).toMatchObject({ status: 'unknown', reason: 'connection_lost', finalAt: null });
    expect(story.effects).toEqual([]);
    expect(story.session.nextAt).toBe(3_000);
    story.deadlineAt(3_000);
    expect(story.statuses).toEqual(['sms unknown', 'whatsapp queued']);
  });

  it('is overruled by a late answer, either way', () => {
    const late = writing();
    late.do({ kind: 'unknown', messageId: 'msg_1', reason: 'process_lost' });
    late.do(accepted('msg_1'));
    expect(late.last).toMatchObject({ status: 'submitted', reason: null });
    const no = writing();
    no.do({ kind: 'unknown', messageId: 'msg_1', reason: 'process_lost' });
    no.do({ kind: 'rejected', messageId: 'msg_1', reason: 'submit_refused', errorCode: '11' });
    expect(no.statuses).toEqual(['sms rejected', 'whatsapp queued']);
  });

  it('that a receipt told is not', () => {
    const story = writing();
    story.receipt('UNKNOWN');
    story.do(accepted('msg_1'));
    expect(story.last).toMatchObject({ status: 'unknown', submittedAt: 0, providerMessageId: 'p1' });
  });

  it('is never sent again, not even when its writer finds out that nothing was written', () => {
    const story = writing();
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'process_lost' });
    expect(story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' })).toMatchObject({ kind: 'ignored' });
    expect(story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' })).toMatchObject({ kind: 'ignored' });
  });
});

describe('a message that was certainly not written', () => {
  it('goes back to the queue while its leg is waited for', () => {
    const story = writing();
    story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' });
    expect(story.statuses).toEqual(['sms queued']);
    expect(story.effects).toEqual([{ kind: 'send', messageId: 'msg_1', route: 'sms/atlas' }]);
  });

  it('is withdrawn when its leg is over, also by a resend', () => {
    const story = writing();
    story.clock = 30_000;
    story.resend('sms');
    expect(story.statuses).toEqual(['sms submitting', 'sms queued']);
    story.do({ kind: 'not_sent', messageId: 'msg_1', holder: 'prc_1' });
    expect(story.statuses).toEqual(['sms withdrawn', 'sms queued']);
    expect(story.effects).toEqual([]);
  });
});

describe('an accepted message', () => {
  it('is accepted once', () => {
    const story = writing();
    story.do(accepted('msg_1'));
    const held = story.session;
    expect(story.do(accepted('msg_1'))).toMatchObject({ kind: 'ignored' });
    expect(story.session).toBe(held);
    expect(story.told).toEqual(['message.submitted']);
  });

  it('counts as out whatever we believed of it', () => {
    const story = new Story();
    story.deadlineAt(15_000);
    story.do(accepted('msg_1'));
    expect(story.message('msg_1')).toMatchObject({ status: 'submitted', finalAt: null });
    expect(story.statuses).toEqual(['sms submitted', 'whatsapp queued']);
  });

  it('whose receipt was faster than the answer stays delivered, and is priced by the answer', () => {
    const story = writing();
    story.receipt('DELIVRD');
    expect(story.last).toMatchObject({ status: 'delivered', submittedAt: null, cost: null });
    story.do(accepted('msg_1', 2));
    expect(story.last).toMatchObject({ status: 'delivered', parts: 2, providerMessageId: 'p1' });
    expect(story.last.cost).toMatchObject({ amount: '5.00', final: true, parts: 2 });
  });

  it('that only a receipt tells of counts as sent from the start of its leg on: no carrier looks faster than it was', () => {
    const story = writing();
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    story.clock = 40_000;
    story.do({ ...accepted('msg_1'), reported: true });
    story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: 9_000, receivedAt: story.clock });
    expect(story.message('msg_1')).toMatchObject({ status: 'delivered', submittedAt: 0, finalAt: 9_000 });
    expect(story.session.firstSendAt).toBe(0);
  });

  it("that only a receipt tells of is its session's first, although a later leg was accepted before that", () => {
    const story = writing();
    story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    story.deadlineAt(15_000);
    story.do(accepted('msg_2'));
    expect(story.session.firstSendAt).toBe(15_000);
    story.clock = 40_000;
    story.do({ ...accepted('msg_1'), reported: true });
    expect(story.message('msg_1')).toMatchObject({ submittedAt: 0 });
    expect(story.session.firstSendAt).toBe(0);
  });

  it('whose receipt is taken in while its answer is being stored counts as sent from then on', () => {
    const story = writing();
    story.clock = 14_000;
    story.do({ ...accepted('msg_1'), reported: true });
    expect(story.last).toMatchObject({ submittedAt: 14_000 });
  });

  it('whose receipt is taken in by another process is stopped at the one that may try it again', () => {
    const story = writing();
    story.do({ ...accepted('msg_1'), reported: true });
    expect(story.effects).toContainEqual(
      expect.objectContaining({ kind: 'withdraw', messageId: 'msg_1', holder: 'prc_1' }),
    );
  });

  it("keeps the operator's own price where that was faster", () => {
    const story = writing();
    story.receipt('DELIVRD', 'msg_1', { operatorAmount: { amount: '1.75', currency: 'DZD' } });
    story.do(accepted('msg_1', 2));
    expect(story.last.cost).toMatchObject({ amount: '1.75', source: 'operator', parts: 2 });
  });
});
