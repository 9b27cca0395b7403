// What budgets count for a message, over the stories of sessions: the sum of all corrections always leads from the reserve to the final cost.
import { describe, expect, it } from 'vitest';
import { reserveOf } from '../../../../src/core/limits/budget.ts';
import { correctionsOf } from '../../../../src/core/limits/reserve.ts';
import { formatFixed, parseFixed } from '../../../../src/core/money/money.ts';
import type { Message, Session } from '../../../../src/core/verify/session.ts';
import { seeded } from '../../../simulate/random.ts';
import { callReport, Story, tariff } from '../../../support/session.ts';

/** A story whose messages were paid for, and what budgets have counted for it so far, by currency. */
class Paid {
  readonly story: Story;
  readonly counted = new Map<string, bigint>();

  constructor(reserve: string | null = '2.50', currency = 'DZD') {
    this.story = new Story({
      onStep: (before, _event, after) => {
        // As the engine does: messages that are new are paid for before the change is stored.
        const messages = after.next.messages.map((each, index) => (index < before.messages.length ? each : pay(each)));
        after.next = after.next.messages.length > before.messages.length ? { ...after.next, messages } : after.next;
        this.story.session = after.next;
        for (const { currency: of, by } of correctionsOf(before, after.next)) this.add(of, by);
      },
    });
    const pay = (message: Message): Message => {
      const price = reserve === null ? null : { amount: reserve, currency };
      if (price) this.add(currency, parseFixed(price.amount));
      return { ...message, reserve: reserveOf(price, 7, []) };
    };
    this.story.session = { ...this.story.session, messages: this.story.session.messages.map(pay) };
  }

  add(currency: string, by: bigint): void {
    this.counted.set(currency, (this.counted.get(currency) ?? 0n) + by);
  }

  get sums(): Record<string, string> {
    return Object.fromEntries(
      [...this.counted].filter(([, sum]) => sum !== 0n).map(([of, sum]) => [of, formatFixed(sum)]),
    );
  }
}

describe('a message', () => {
  it('counts its reserve until its cost is final', () => {
    const paid = new Paid('4');
    paid.story.accept();
    expect(paid.sums).toEqual({ DZD: '4' });
    paid.story.receipt('DELIVRD');
    expect(paid.sums).toEqual({ DZD: '2.5' });
  });

  it('counts its reserve where its receipt is not understood: it may have been delivered', () => {
    const paid = new Paid('4');
    paid.story.accept();
    paid.story.receipt('UNKNOWN');
    expect(paid.story.last).toMatchObject({ status: 'unknown', cost: { final: false } });
    expect(paid.sums).toEqual({ DZD: '4' });
    paid.story.receipt('ENROUTE');
    expect(paid.story.last.cost).toMatchObject({ final: false });
    paid.story.receipt('DELIVRD');
    expect(paid.sums).toEqual({ DZD: '2.5' });
  });

  it('counts nothing once it is certain that no carrier took it', () => {
    const refused = new Paid();
    refused.story.skip = { whatsapp: 'channel_down', voice: 'channel_down' };
    refused.story.reject();
    expect(refused.sums).toEqual({});
    const withdrawn = new Paid();
    withdrawn.story.do({ kind: 'cancel', reason: 'canceled_by_client' });
    expect(withdrawn.sums).toEqual({});
  });

  it('counts its reserve while it is in doubt, because it may be billed', () => {
    const paid = new Paid();
    paid.story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    paid.story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    expect(paid.sums).toEqual({ DZD: '2.5' });
  });

  it('counts its reserve where its receipt comes before the answer that brings its cost', () => {
    const paid = new Paid('4');
    paid.story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
    paid.story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
    paid.story.receipt('DELIVRD', 'msg_1');
    expect(paid.sums).toEqual({ DZD: '4' });
    paid.story.accept('msg_1');
    expect(paid.sums).toEqual({ DZD: '2.5' });
  });

  it('counts nothing where it is charged on delivery and was not delivered', () => {
    const paid = new Paid();
    paid.story.skip = { whatsapp: 'channel_down', voice: 'channel_down' };
    paid.story.accept().receipt('UNDELIV');
    expect(paid.sums).toEqual({});
  });

  it('counts what its operator states, more than its reserve and in another currency, too', () => {
    const paid = new Paid();
    paid.story.accept().receipt('DELIVRD', 'msg_1', { operatorAmount: { amount: '9', currency: 'DZD' } });
    expect(paid.sums).toEqual({ DZD: '9' });
    const abroad = new Paid();
    abroad.story.accept().receipt('DELIVRD', 'msg_1', { operatorAmount: { amount: '0.10', currency: 'EUR' } });
    expect(abroad.sums).toEqual({ EUR: '0.1' });
  });

  it('counts a cost that was not expected at all', () => {
    const paid = new Paid(null);
    expect(paid.sums).toEqual({});
    paid.story.accept().receipt('DELIVRD');
    expect(paid.sums).toEqual({ DZD: '2.5' });
  });

  it('of a call counts the longest call until its length is known', () => {
    const paid = new Paid('60');
    paid.story.deadlineAt(15_000);
    paid.story.deadlineAt(30_000);
    paid.story.ring();
    paid.story.answer();
    const call = callReport({ state: 'heard', answeredAt: 30_000, talkSeconds: 21, ended: true });
    paid.story.receipt('DELIVRD', paid.story.last.id, { call });
    // The messages before it were withdrawn unsent.
    expect(paid.sums).toEqual({ DZD: '10.5' });
  });

  it('without a reserve is not counted', () => {
    const story = new Story();
    const before: Session = story.session;
    story.accept().receipt('DELIVRD');
    expect(correctionsOf(before, story.session)).toEqual([]);
  });
});

it('in any story the corrections lead from the reserves to what is owed', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const random = seeded(seed, 'reserve');
    const paid = new Paid(random.pick(['2.50', '1', '7']));
    const { story } = paid;
    for (let step = 0; step < 12; step += 1) {
      story.clock += random.between(0, 9_000);
      const messageId = random.pick(story.session.messages).id;
      const price = random.pick([null, { amount: random.pick(['1.1', '8']), currency: random.pick(['DZD', 'EUR']) }]);
      random.pick([
        () => story.accept(messageId),
        () => story.reject(messageId),
        () => story.do({ kind: 'unknown', messageId, reason: 'timeout' }),
        () => story.do({ kind: 'deadline' }),
        () => story.resend(),
        () =>
          story.receipt(random.pick(['DELIVRD', 'UNDELIV', 'ENROUTE', 'REJECTD']), messageId, {
            operatorAmount: price,
          }),
        () => story.do({ kind: 'cancel', reason: 'canceled_by_client' }),
      ])();
    }
    const owed = new Map<string, bigint>();
    for (const { cost, reserve, finalAt, receipts } of story.session.messages) {
      const counts = cost?.final ? cost : finalAt !== null && !cost && receipts.length === 0 ? null : reserve;
      if (counts) owed.set(counts.currency, (owed.get(counts.currency) ?? 0n) + parseFixed(counts.amount));
    }
    const expected = Object.fromEntries(
      [...owed].filter(([, sum]) => sum !== 0n).map(([of, sum]) => [of, formatFixed(sum)]),
    );
    expect(paid.sums, `seed ${seed}`).toEqual(expected);
    expect(tariff.currency).toBe('DZD');
  }
});
