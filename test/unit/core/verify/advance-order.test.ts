// Receipts come in any order and more than once: what they end in is the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IncomingReceipt, Session } from '../../../../src/core/verify/session.ts';
import { callReport, Story, tariff, wholeCascade } from '../../../support/session.ts';
import { callReceiptSteps, receiptSteps } from '../../../support/session-steps.ts';

/**
 * What makes two reports the same one, whenever it comes. (An operator that gives no timestamp and repeats itself has told
 * it when the first one came, which is all that may depend on the order.)
 */
const sameness = ({ receivedAt, raw, providerMessageId, ...told }: IncomingReceipt) => JSON.stringify(told);

/** Receipts of one message, and the same ones shuffled, each twice. Either all are of a call or none is. */
const mixed = fc
  .oneof(
    ...[receiptSteps, callReceiptSteps].map((receipt) =>
      fc.uniqueArray(receipt, { minLength: 1, maxLength: 8, selector: sameness }),
    ),
  )
  .chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
  );

const charged = fc.constantFrom('submit', 'delivery', 'answer', null);
const cascade = fc.constantFrom(wholeCascade.slice(0, 1), wholeCascade);
const submit = (of: Telling['charged']) => (of ? { ...tariff, charged: of } : null);

interface Telling {
  legs: typeof wholeCascade;
  charged: 'submit' | 'delivery' | 'answer' | null;
  /** How many of the receipts come before the submit answer. */
  early?: number;
  /** The session is over before any receipt comes. */
  over?: boolean;
}

function tell(receipts: readonly IncomingReceipt[], { legs, charged: of, early = 0, over = false }: Telling): Session {
  const story = new Story({ request: { cascade: legs } });
  const take = (receipt: IncomingReceipt) =>
    story.do({ kind: 'receipt', messageId: 'msg_1', receipt, receiptId: 'rcp_1' });
  const isCall = receipts.some(({ call }) => call);
  story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
  if (over) story.do({ kind: 'check', correct: true });
  receipts.slice(0, early).forEach(take);
  const answer = {
    providerMessageId: 'p1',
    parts: 1,
    tariff: submit(of),
    ...(isCall ? { call: callReport() } : {}),
  };
  story.do({ kind: 'accepted', messageId: 'msg_1', ...answer });
  receipts.slice(early).forEach(take);
  return story.session;
}

function endOf({ messages, delivery, status }: Session) {
  const [first] = messages;
  const { cost, status: messageStatus, errorCode, finalAt, call, holder, parts } = first!;
  const price = cost && {
    parts: cost.parts,
    amount: cost.amount,
    currency: cost.currency,
    source: cost.source,
    final: cost.final,
  };
  return { status, delivery, messageStatus, errorCode, finalAt, call, holder, parts, price, legs: messages.length };
}

describe('the same receipts', () => {
  it('in any order and repetition end in the same status, error, cost, delivery and leg', () => {
    fc.assert(
      fc.property(mixed, charged, cascade, ([list, other], of, legs) => {
        const telling = { legs, charged: of };
        // A bad receipt before the good one starts the next leg, the reverse does not: only that may differ.
        const [one, two] = [endOf(tell(list, telling)), endOf(tell(other, telling))];
        if (one.delivery === 'delivered') expect({ ...two, legs: 0 }).toEqual({ ...one, legs: 0 });
        else expect(two).toEqual(one);
      }),
      { numRuns: 2000 },
    );
  });

  it('before or after the submit answer end in the same', () => {
    fc.assert(
      fc.property(mixed, charged, fc.nat({ max: 16 }), ([list, other], of, early) => {
        const legs = wholeCascade.slice(0, 1);
        expect(endOf(tell(other, { legs, charged: of, early }))).toEqual(endOf(tell(list, { legs, charged: of })));
      }),
      { numRuns: 2000 },
    );
  });

  it('after the end of the session change the message just the same, and the session not at all', () => {
    fc.assert(
      fc.property(mixed, charged, ([list, other], of) => {
        const telling = { legs: wholeCascade, charged: of, over: true };
        const end = endOf(tell(other, telling));
        expect(end).toEqual(endOf(tell(list, telling)));
        expect(end).toMatchObject({ status: 'verified', legs: 1 });
        const alive = endOf(tell(list, { ...telling, over: false }));
        expect(end).toMatchObject({ messageStatus: alive.messageStatus, price: alive.price });
      }),
    );
  });

  it('of two legs end in the same delivery', () => {
    const receipt = fc.tuple(fc.constantFrom('msg_1', 'msg_2'), receiptSteps);
    const receipts = fc.uniqueArray(receipt, { maxLength: 8, selector: ([id, told]) => id + sameness(told) });
    const both = receipts.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    const play = (list: readonly [string, IncomingReceipt][]) => {
      const story = new Story({ request: { cascade: wholeCascade.slice(0, 2) } }).accept();
      story.deadlineAt(15_000);
      story.accept();
      for (const [messageId, receipt] of list) story.do({ kind: 'receipt', messageId, receipt, receiptId: 'rcp_1' });
      return [story.session.delivery, ...story.statuses];
    };
    fc.assert(
      fc.property(both, ([list, other]) => {
        expect(play(other)).toEqual(play(list));
      }),
    );
  });
});
