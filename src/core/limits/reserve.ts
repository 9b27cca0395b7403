// The reserve of a message: what budgets keep for it from before it is sent until its cost is final. The cost then takes the reserve's place,
// whichever process hears of it, so the reserve is stored with its message.

import { parseFixed } from '../money/money.ts';
import type { Message, Session } from '../verify/session.ts';
import type { KeyBudget, Price } from './budget.ts';

/** What the budgets are to be corrected by: those of the account, and of the keys that paid with it. */
export interface Correction {
  accountId: string;
  keys: readonly KeyBudget[];
  currency: string;
  hour: number;
  /** Fixed-point. */
  by: bigint;
}

type Counted = Pick<Message, 'reserve' | 'cost' | 'finalAt' | 'receipts'>;

/**
 * What budgets count for a message: the reserve until the cost is final, and then the cost. Of a message that ended without a cost, because it
 * was never taken, nothing. One in doubt may be billed, and keeps its reserve; so does one whose receipt came before its carrier's answer, which
 * brings the cost.
 */
function countedOf({ reserve, cost, finalAt, receipts }: Counted): Price | null {
  if (!reserve) return null;
  if (cost?.final) return cost;
  const wasTaken = cost !== null || receipts.length > 0;
  return finalAt !== null && !wasTaken ? null : reserve;
}

/** What a change corrects. A message that is new in it was charged with its reserve before. */
export function correctionsOf(before: Session | null, after: Session): Correction[] {
  if (before?.messages === after.messages) return [];
  return after.messages.flatMap((message, index) => {
    const earlier = before?.messages[index];
    const { reserve } = message;
    if (message === earlier || !reserve) return [];
    return differences(earlier ? countedOf(earlier) : reserve, countedOf(message)).map(({ currency, by }) => {
      return { accountId: after.accountId, keys: reserve.keys ?? [], currency, hour: reserve.hour, by };
    });
  });
}

function differences(before: Price | null, after: Price | null): Pick<Correction, 'currency' | 'by'>[] {
  const by = new Map<string, bigint>();
  const add = (price: Price | null, sign: bigint) => {
    if (price) by.set(price.currency, (by.get(price.currency) ?? 0n) + sign * parseFixed(price.amount));
  };
  add(before, -1n);
  add(after, 1n);
  return [...by].flatMap(([currency, difference]) => (difference === 0n ? [] : [{ currency, by: difference }]));
}
