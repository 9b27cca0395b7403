import { describe, expect, it } from 'vitest';
import { Story, wholeCascade } from '../../../support/session.ts';

describe('a receipt', () => {
  it.each(['UNDELIV', 'EXPIRED', 'DELETED', 'REJECTD'] as const)('%s moves the cascade on at once', (status) => {
    const story = new Story().accept();
    story.clock = 2_000;
    story.receipt(status);
    expect(story.session.messages[1]).toMatchObject({ channel: 'whatsapp', status: 'queued', createdAt: 2_000 });
    expect(story.session).toMatchObject({ position: 1, legEndsAt: 17_000 });
  });

  it.each(['UNKNOWN', 'ENROUTE', 'ACCEPTD'] as const)('%s does not', (status) => {
    const story = new Story().accept();
    story.receipt(status);
    expect(story.session.messages).toHaveLength(1);
    expect(story.session).toMatchObject({ position: 0, nextAt: 15_000, delivery: 'sending' });
    expect(story.told).toEqual(['message.submitted', 'receipt.updated']);
  });

  it.each([
    [600_000, 1_000_000 + 600_000],
    [-600_000, 1_000_000 - 600_000],
    [600_001, 1_000_000],
    [-3_600_000, 1_000_000],
    [34_000_000_000, 1_000_000],
  ])('with a clock that is off by %d ms ends its message at %d', (offMs, finalAt) => {
    const story = new Story({ request: { ttlMs: 2_000_000 } }).accept();
    story.clock = 1_000_000;
    story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: story.clock + offMs, receivedAt: story.clock });
    expect(story.message('msg_1')).toMatchObject({ status: 'delivered', finalAt });
    const [stored] = story.effects.flatMap((effect) => (effect.kind === 'receipt' ? [effect.receipt] : []));
    expect(stored?.operatorTimestamp).toBe(story.clock + offMs);
  });

  it.each([
    ['whose date has no seconds', { sent: 2_000, stated: 0, received: 55_000 }, 55_000],
    [
      'whose date has no seconds, which comes minutes later',
      { sent: 2_000, stated: 60_000, received: 300_000 },
      119_999,
    ],
    [
      'whose date has no seconds, by a clock that is ahead',
      { sent: 2_000, stated: 120_000, received: 61_000 },
      120_000,
    ],
    ['with seconds', { sent: 2_000, stated: 9_000, received: 55_000 }, 9_000],
    ['by a clock that is five minutes slow', { sent: 301_500, stated: 4_000, received: 304_200 }, 304_200],
    ['of the second in which it was sent', { sent: 2_500, stated: 2_000, received: 3_100 }, 3_100],
    ['that is faster than the answer', { sent: 2_500, stated: 2_000, received: 2_450 }, 2_500],
  ])('%s ends its message neither before it was sent nor sooner than it says', (_, { sent, stated, received }, at) => {
    const story = new Story({ request: { ttlMs: 2_000_000 } });
    story.clock = sent;
    story.accept();
    story.clock = received;
    story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: stated, receivedAt: received });
    expect(story.message('msg_1')).toMatchObject({ submittedAt: sent, finalAt: at });
  });

  it('of the app at a full minute ends its message then: dates without seconds are those of SMS', () => {
    const story = new Story({ request: { cascade: [{ channel: 'whatsapp', timeoutMs: 60_000 }] } }).accept();
    story.clock = 63_000;
    story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: 60_000, receivedAt: story.clock });
    expect(story.message('msg_1')).toMatchObject({ status: 'delivered', finalAt: 60_000 });
  });

  it('that is bad news of a leg long over moves nothing', () => {
    const story = new Story().accept();
    story.deadlineAt(15_000);
    story.clock = 16_000;
    story.receipt('UNDELIV', 'msg_1');
    expect(story.statuses).toEqual(['sms undelivered', 'whatsapp queued']);
  });

  it('that is bad news of an old run moves nothing, though the new run stands on the same leg', () => {
    const story = new Story().accept();
    story.clock = 14_000;
    story.receipt('DELIVRD');
    story.clock = 30_000;
    story.resend('sms');
    story.accept();
    story.receipt('UNDELIV', 'msg_1');
    expect(story.statuses).toEqual(['sms delivered', 'sms submitted']);
    expect(story.session).toMatchObject({ run: 2, position: 0, delivery: 'sending' });
  });

  it('of an old run that is good news stops the new one', () => {
    const story = new Story({ request: { cascade: wholeCascade.slice(0, 1) } }).accept();
    story.deadlineAt(15_000);
    story.resend();
    story.receipt('DELIVRD', 'msg_1');
    expect(story.statuses).toEqual(['sms delivered', 'sms withdrawn']);
    expect(story.session).toMatchObject({ run: 2, delivery: 'delivered', legEndsAt: null });
  });

  describe('that refuses the sender for everyone', () => {
    const elsewhere = { route: 'whatsapp/100001', senderId: 'Ramz' };
    const refused = () => {
      const story = new Story({ request: { cascade: wholeCascade.slice(1) } }).accept();
      story.clock = 2_000;
      story.receipt('REJECTD', 'msg_1', { errorCode: '131042', elsewhere });
      return story;
    };

    it('sends the code once more from another sender, in the same leg', () => {
      const story = refused();
      expect(story.statuses).toEqual(['whatsapp rejected', 'whatsapp queued']);
      expect(story.last).toMatchObject({ position: 0, senderId: 'Ramz', senderFallback: true, createdAt: 2_000 });
      expect(story.session).toMatchObject({ position: 0, legEndsAt: 15_000, delivery: 'sending' });
      expect(story.effects).toContainEqual({ kind: 'send', messageId: 'msg_2', route: 'whatsapp/100001' });
      expect(story.session.timeline.at(-1)).toMatchObject({
        kind: 'sender_fallback',
        messageId: 'msg_2',
        reason: 'sender_id_refused',
        detail: 'Ramz',
      });
    });

    it('moves on when the other sender is refused, too', () => {
      const story = refused().accept();
      story.receipt('REJECTD', 'msg_2', { elsewhere });
      expect(story.statuses).toEqual(['whatsapp rejected', 'whatsapp rejected', 'voice queued']);
    });

    it('says no more about the leg once the other message is out', () => {
      const story = refused().accept();
      story.clock = 3_000;
      story.receipt('REJECTD', 'msg_1', { errorCode: '131042', elsewhere });
      expect(story.statuses).toEqual(['whatsapp rejected', 'whatsapp submitted']);
    });

    it('sends nothing more once the leg is over', () => {
      const story = new Story({ request: { cascade: wholeCascade.slice(1) } }).accept();
      story.deadlineAt(15_000);
      story.receipt('REJECTD', 'msg_1', { elsewhere });
      expect(story.statuses).toEqual(['whatsapp rejected', 'voice queued']);
    });

    it('stores nothing of the other sender with the receipt', () => {
      const receipts = refused().all.flatMap((effect) => (effect.kind === 'receipt' ? [effect.receipt] : []));
      expect(receipts).toHaveLength(1);
      expect(receipts[0]).not.toHaveProperty('elsewhere');
    });
  });

  it('of delivery overrides a bad one, never the reverse', () => {
    const story = new Story().accept();
    story.receipt('UNDELIV');
    story.receipt('DELIVRD', 'msg_1');
    expect(story.message('msg_1')).toMatchObject({ status: 'delivered', errorCode: '000' });
    story.receipt('EXPIRED', 'msg_1');
    expect(story.message('msg_1')).toMatchObject({ status: 'delivered', errorCode: '000' });
    expect(story.session.delivery).toBe('delivered');
  });

  it('that is repeated changes nothing at all', () => {
    const story = new Story().accept();
    story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: 50 });
    const held = story.session;
    story.clock = 3_000;
    const again = story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: 50 });
    expect(again).toEqual({ kind: 'ignored', reason: 'repeated receipt' });
    expect(story.session).toBe(held);
    expect(story.effects).toEqual([]);
  });

  it('with the same word and another time is another receipt, and changes neither status nor cost nor cascade', () => {
    const story = new Story().accept();
    story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: 50_000, billable: true });
    const { status, cost } = story.last;
    expect(story.receipt('DELIVRD', 'msg_1', { operatorTimestamp: 51_000, billable: true })).toEqual({ kind: 'done' });
    expect(story.last).toMatchObject({ status, cost });
    expect(story.last.receipts).toHaveLength(2);
    expect(story.kinds.filter((kind) => kind === 'delivery_delivered')).toHaveLength(1);
    expect(story.told).toEqual(['message.submitted', 'receipt.updated', 'receipt.updated']);
  });

  describe('of a message that was delivered after two seconds', () => {
    const at = (ms: number) => ({ operatorTimestamp: ms, receivedAt: ms });
    const read = { detail: 'read' as const, ...at(600_000) };

    it.each([
      ['that says `read` ten minutes later raises the status', [at(2_000), read], 'read'],
      ['that comes after its `read` still tells the time', [read, at(2_000)], 'read'],
      ['of a second device changes nothing', [at(2_000), at(600_000)], 'delivered'],
    ])('%s, and the message stays delivered after two seconds', (_, receipts, status) => {
      const story = new Story({ request: { ttlMs: 2_000_000 } }).accept();
      for (const receipt of receipts) story.receipt('DELIVRD', 'msg_1', receipt);
      expect(story.message('msg_1')).toMatchObject({ status, finalAt: 2_000 });
    });

    it('that says `undelivered` later or earlier changes no time', () => {
      const story = new Story({ request: { ttlMs: 2_000_000 } }).accept();
      story.receipt('UNDELIV', 'msg_1', at(1_000));
      story.receipt('DELIVRD', 'msg_1', at(2_000));
      story.receipt('UNDELIV', 'msg_1', at(3_000));
      expect(story.message('msg_1')).toMatchObject({ status: 'delivered', finalAt: 2_000 });
    });
  });

  it('after the session ended still updates message, cost and client', () => {
    const story = new Story().accept();
    story.do({ kind: 'check', correct: true });
    story.receipt('DELIVRD');
    expect(story.last).toMatchObject({ status: 'delivered', cost: { amount: '2.50', final: true } });
    expect(story.session).toMatchObject({ status: 'verified', delivery: 'delivered', nextAt: null });
    expect(story.told).toEqual(['message.submitted', 'session.verified', 'receipt.updated']);
  });

  it('of no message of the session is passed over', () => {
    const story = new Story();
    expect(story.receipt('DELIVRD', 'msg_9')).toEqual({ kind: 'ignored', reason: 'no such message' });
  });

  it('read raises a delivered message, and a second delivery does not stop anything again', () => {
    const story = new Story().accept();
    story.receipt('DELIVRD');
    story.receipt('DELIVRD', 'msg_1', { detail: 'read' });
    story.receipt('DELIVRD', 'msg_1', { detail: 'answered' });
    expect(story.last.status).toBe('read');
    expect(story.kinds.filter((kind) => kind === 'delivery_delivered')).toHaveLength(1);
  });

  it('beyond the twentieth is dropped, but for one that says something new', () => {
    const story = new Story().accept();
    for (let n = 1; n <= 25; n += 1) story.receipt('ENROUTE', 'msg_1', { operatorTimestamp: n });
    expect(story.last.receipts).toHaveLength(20);
    expect(story.receipt('ENROUTE', 'msg_1', { operatorTimestamp: 99 })).toMatchObject({ kind: 'ignored' });
    expect(story.receipt('DELIVRD')).toEqual({ kind: 'done' });
    expect(story.session.delivery).toBe('delivered');
  });
});

describe('the cost', () => {
  it('is final with a final receipt, and zero for a message that failed where delivery is what is charged', () => {
    const story = new Story().accept();
    story.receipt('ACCEPTD');
    expect(story.last.cost).toMatchObject({ amount: '0.00', final: false });
    story.receipt('UNDELIV');
    expect(story.message('msg_1').cost).toMatchObject({ amount: '0.00', final: true });
  });

  it("is the operator's own, and of two statements the later one", () => {
    const story = new Story().accept();
    const says = (amount: string, operatorTimestamp: number) =>
      story.receipt('DELIVRD', 'msg_1', { operatorTimestamp, operatorAmount: { amount, currency: 'DZD' } });
    says('1.00', 2_000);
    says('3.00', 1_000);
    expect(story.last.cost).toMatchObject({ amount: '1.00', source: 'operator', statedAt: 2_000 });
    says('0.00', 9_000);
    expect(story.last.cost).toMatchObject({ amount: '0.00', revision: 3 });
  });

  it('is nothing where nobody knows a price', () => {
    const story = new Story();
    story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    story.do({ kind: 'accepted', messageId: 'msg_1', providerMessageId: null, parts: 1, tariff: null });
    story.receipt('DELIVRD');
    expect(story.last.cost).toBeNull();
  });
});
