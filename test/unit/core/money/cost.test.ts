import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cost,
  costAtReceipt,
  costAtSubmit,
  partsOfCall,
  type Tariff,
  tariffAt,
  totals,
} from '../../../../src/core/money/cost.ts';
import { sameAmount } from '../../../../src/core/money/money.ts';

const onSubmit: Tariff = { currency: 'DZD', amountPerPart: '2.50', charged: 'submit', version: '1', validFrom: 0 };
const onDelivery: Tariff = { ...onSubmit, charged: 'delivery' };
const onAnswer: Tariff = { ...onSubmit, amountPerPart: '0.10', charged: 'answer' };

describe('a tariff', () => {
  it('charged on submit is final at once, and a receipt changes nothing', () => {
    const current = costAtSubmit(onSubmit, 2);
    expect(current).toEqual({
      amount: '5.00',
      currency: 'DZD',
      parts: 2,
      source: 'tariff',
      final: true,
      revision: 1,
      billedBy: 'service',
    });
    expect(costAtReceipt({ current, tariff: onSubmit, parts: 2, delivered: false, final: true })).toBe(current);
    expect(costAtReceipt({ current, tariff: onSubmit, parts: 2, delivered: true })).toBe(current);
  });

  it('charged on delivery is zero until delivered', () => {
    const current = costAtSubmit(onDelivery, 1);
    expect(current).toMatchObject({ amount: '0.00', final: false, revision: 1 });
    const enroute = costAtReceipt({ current, tariff: onDelivery, parts: 1, delivered: false, final: false });
    expect(enroute).toBe(current);
    const delivered = costAtReceipt({ current, tariff: onDelivery, parts: 1, delivered: true });
    expect(delivered).toMatchObject({ amount: '2.50', final: true, revision: 2 });
  });

  it('charged on delivery stays zero for a message that failed, and rises if it arrives after all', () => {
    const current = costAtSubmit(onDelivery, 1);
    const failed = costAtReceipt({ current, tariff: onDelivery, parts: 1, delivered: false, final: true });
    expect(failed).toMatchObject({ amount: '0.00', final: true, revision: 2 });
    const delivered = costAtReceipt({ current: failed, tariff: onDelivery, parts: 1, delivered: true });
    expect(delivered).toMatchObject({ amount: '2.50', final: true, revision: 3 });
  });

  it('charged for the answer is zero until the call is over, whether it is delivered or not', () => {
    const current = costAtSubmit(onAnswer, 7);
    expect(current).toMatchObject({ amount: '0.00', parts: 0, final: false, revision: 1 });
    const call = { current, tariff: onAnswer, parts: 7 };
    expect(costAtReceipt({ ...call, delivered: true, final: false, seconds: null })).toBe(current);
    const heard = costAtReceipt({ ...call, delivered: true, final: true, seconds: 24 });
    expect(heard).toMatchObject({ amount: '2.40', parts: 24, final: true, revision: 2 });
    const voicemail = costAtReceipt({ ...call, delivered: false, final: true, seconds: 24 });
    expect(voicemail).toMatchObject({ amount: '2.40', parts: 24, final: true, revision: 2 });
    const busy = costAtReceipt({ ...call, delivered: false, final: true, seconds: 0 });
    expect(busy).toMatchObject({ amount: '0.00', parts: 0, final: true, revision: 2 });
  });

  it.each([
    [1, 0, 0, 0],
    [1, 0, 1, 1],
    [1, 30, 1, 30],
    [1, 30, 31, 31],
    [1, 30, 0, 0],
    [60, 0, 60, 1],
    [60, 0, 61, 2],
    [60, 90, 1, 2],
  ])('by units of %i s, %i s at least: a call of %i s has %i', (unitSeconds, minimumSeconds, seconds, parts) => {
    expect(partsOfCall({ ...onAnswer, unitSeconds, minimumSeconds }, seconds)).toBe(parts);
  });

  it("the operator's word wins for a call too, with the parts of its time", () => {
    const stated = { tariff: onAnswer, parts: 0, delivered: true, operatorAmount: { amount: '9', currency: 'DZD' } };
    const first = costAtReceipt({ ...stated, current: costAtSubmit(onAnswer, 0), final: false });
    expect(first).toMatchObject({ amount: '9', parts: 0, final: false });
    const last = costAtReceipt({ ...stated, operatorAmount: null, current: first, final: true, seconds: 24 });
    expect(last).toMatchObject({ amount: '9', source: 'operator', parts: 24, final: true });
  });

  it('is taken in the version that is in force', () => {
    const versions = [
      { ...onSubmit, version: '3', validFrom: 300 },
      { ...onSubmit, version: '1', validFrom: 100 },
      { ...onSubmit, version: '2', validFrom: 200 },
    ];
    expect(tariffAt(versions, 99)).toBeUndefined();
    expect(tariffAt(versions, 100)?.version).toBe('1');
    expect(tariffAt(versions, 299)?.version).toBe('2');
    expect(tariffAt(versions, 10_000)?.version).toBe('3');
  });

  it('says who bills', () => {
    expect(costAtSubmit({ ...onSubmit, billedBy: 'platform' }, 1).billedBy).toBe('platform');
  });
});

describe("the operator's word", () => {
  const first = { tariff: onSubmit, parts: 1, delivered: true, operatorAmount: { amount: '1.75', currency: 'EUR' } };

  it('wins over the tariff, also before the submit answer', () => {
    const cost = costAtReceipt({ ...first, current: costAtSubmit(onSubmit, 1) });
    expect(cost).toMatchObject({ amount: '1.75', currency: 'EUR', source: 'operator', revision: 2 });
    expect(costAtReceipt({ ...first, current: null })).toMatchObject({ amount: '1.75', revision: 1 });
    const kept = costAtReceipt({ current: cost, tariff: onSubmit, parts: 1, delivered: true });
    expect(kept).toBe(cost);
  });

  it('may be corrected: a refund raises the revision, an older statement changes nothing', () => {
    const charged = costAtReceipt({ ...first, current: null, statedAt: 1000 });
    const refund = { ...first, operatorAmount: { amount: '0', currency: 'EUR' }, statedAt: 2000 };
    const refunded = costAtReceipt({ ...refund, current: charged });
    expect(refunded).toMatchObject({ amount: '0', revision: 2, final: true });
    expect(costAtReceipt({ ...first, current: refunded, statedAt: 1000 })).toBe(refunded);
  });

  it('of two statements of the same minute the greater holds, in whatever order they come', () => {
    const zero = { ...first, operatorAmount: { amount: '0.00', currency: 'EUR' }, statedAt: 1000 };
    const price = { ...first, statedAt: 1000 };
    for (const [one, two] of [
      [zero, price],
      [price, zero],
    ] as const) {
      const cost = costAtReceipt({ ...two, current: costAtReceipt({ ...one, current: null }) });
      expect(cost).toMatchObject({ amount: '1.75', currency: 'EUR' });
    }
  });

  it('that only confirms the tariff raises nothing', () => {
    const current = costAtSubmit(onSubmit, 1);
    const confirmed = costAtReceipt({ ...first, current, operatorAmount: { amount: '2.5', currency: 'DZD' } });
    expect(confirmed).toMatchObject({ source: 'operator', revision: 1 });
  });

  it.each(['', 'abc', '-1', '1e5', '1,75'])('is passed over when it is %j', (amount) => {
    const operatorAmount = { amount, currency: 'EUR' };
    expect(costAtReceipt({ ...first, current: null, operatorAmount })).toMatchObject({
      amount: '2.50',
      source: 'tariff',
    });
    expect(costAtReceipt({ ...first, current: null, tariff: null, operatorAmount })).toBeNull();
  });

  it('is not needed: without a tariff too the cost is null, and null stays unknown', () => {
    expect(costAtReceipt({ current: null, tariff: null, parts: 1, delivered: true })).toBeNull();
  });
});

/** A receipt as data; `delivered` and `final` accumulate as the message's status does. */
interface Step {
  delivered: boolean;
  final: boolean;
  statedAt: number;
  amount: string | null;
  /** Of the call, known from one of the receipts on. */
  seconds: number | null;
}
const step = fc
  .record({
    delivered: fc.boolean(),
    final: fc.boolean(),
    amount: fc.option(fc.constantFrom('0', '1.5', '1.75', '2.50', 'junk')),
    seconds: fc.constantFrom(null, null, 0, 12),
  })
  .map(({ delivered, final, ...rest }) => ({ delivered, final: final || delivered, ...rest }));
/** Few moments, so that some statements are made at the same one. */
const steps = fc.array(
  fc.tuple(step, fc.integer({ min: 0, max: 5 })).map(([s, statedAt]) => ({ ...s, statedAt })),
  { minLength: 1, maxLength: 8 },
);

function play(tariff: Tariff | null, list: readonly Step[], current: Cost | null): Cost[] {
  const costs: Cost[] = current ? [current] : [];
  let delivered = false;
  let final = false;
  let seconds: number | null = null;
  let cost = current;
  for (const { amount, statedAt, ...receipt } of list) {
    if (receipt.seconds !== null) seconds = Math.max(seconds ?? 0, receipt.seconds);
    delivered ||= receipt.delivered;
    final ||= receipt.final;
    const operatorAmount = amount === null ? null : { amount, currency: 'DZD' };
    cost = costAtReceipt({ current: cost, tariff, parts: 1, seconds, delivered, final, operatorAmount, statedAt });
    if (cost) costs.push(cost);
  }
  return costs;
}

describe('any sequence of receipts', () => {
  const tariff = fc.constantFrom(onSubmit, onDelivery, onAnswer, null);
  const start = (of: Tariff | null) => (of ? costAtSubmit(of, 1) : null);
  const shuffled = steps.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
  );

  it('in any order and repetition ends in the same cost', () => {
    fc.assert(
      fc.property(tariff, shuffled, (of, [list, mixed]) => {
        const one = play(of, list, start(of)).at(-1);
        const other = play(of, mixed, start(of)).at(-1);
        expect(other && { ...other, revision: 0 }).toEqual(one && { ...one, revision: 0 });
      }),
      { numRuns: 500 },
    );
  });

  it('raises the revision exactly when amount, currency or final changes, and never takes final back', () => {
    fc.assert(
      fc.property(tariff, steps, (of, list) => {
        const costs = play(of, list, start(of));
        costs.slice(1).forEach((next, index) => {
          const before = costs[index] as Cost;
          const same =
            sameAmount(next.amount, before.amount) && next.currency === before.currency && next.final === before.final;
          expect(next.revision).toBe(before.revision + (same ? 0 : 1));
          if (before.final) expect(next.final).toBe(true);
        });
      }),
    );
  });

  it('is done to a cost that is not touched', () => {
    fc.assert(
      fc.property(tariff, steps, (of, list) => {
        const current = start(of);
        const copy = structuredClone(current);
        play(of, list, Object.freeze(current));
        expect(current).toEqual(copy);
      }),
    );
  });
});

describe('totals', () => {
  it('sums by currency and says whether every part is final', () => {
    const sms = costAtSubmit(onSubmit, 1);
    const call = { ...costAtSubmit(onDelivery, 9), amount: '0.125' };
    const app = { ...sms, currency: 'EUR', amount: '0.0340' };
    expect(totals([app, sms, null, call])).toEqual([
      { currency: 'DZD', amount: '2.625', final: false },
      { currency: 'EUR', amount: '0.0340', final: true },
    ]);
    expect(totals([])).toEqual([]);
  });
});

describe('whether the carrier charges at all', () => {
  const about = { parts: 1, delivered: true, tariff: onDelivery };

  it('a message it gives away costs nothing, by either kind of tariff', () => {
    for (const tariff of [onSubmit, onDelivery]) {
      const current = costAtSubmit(tariff, 1);
      const given = costAtReceipt({ ...about, tariff, current, billable: false });
      expect(given).toMatchObject({ amount: '0.00', final: true, source: 'tariff' });
      // A later report that says nothing about it takes nothing back.
      expect(costAtReceipt({ ...about, tariff, current: given })).toBe(given);
    }
  });

  it('ends the same in every order of its reports', () => {
    const reports = [{ delivered: false, final: false, billable: true }, { delivered: true, billable: false }, {}];
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    const ends = orders.map((order) => {
      let current: Cost | null = costAtSubmit(onDelivery, 1);
      let delivered = false;
      for (const at of order) {
        const report = reports[at] as { delivered?: boolean };
        delivered ||= report.delivered ?? true;
        current = costAtReceipt({ ...about, ...report, delivered, final: delivered, current });
      }
      return `${current?.amount} ${current?.final}`;
    });
    expect(new Set(ends)).toEqual(new Set(['2.50 true']));
  });
});
