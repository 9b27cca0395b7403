// Costs add up: what the webhooks said, what the API says and what the operators delivered is the same money.
import { addAmounts, sameAmount } from '../../../src/core/money/money.ts';
import type { Evidence } from '../evidence.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

export interface Sums {
  /** Delivered messages, each at its operator's price. */
  operators: string;
  /** The last `receipt.updated` of each delivered message. */
  webhooks: string;
  /** `total_cost` of every session. */
  api: string;
}

const sum = (amounts: Iterable<string>) => [...amounts].reduce(addAmounts, '0');

/** The price of each delivered message at its operator, by message id. */
function priced({ messages, prices, arrived }: Evidence): Map<string, string> {
  const atSmsc = groupBy(arrived, ({ to }) => to);
  // Sahara and Atlas are paid for what is delivered, Djurdjura for what it took; each of these messages is both.
  const delivered = messages.filter(({ status }) => status === 'delivered');
  return new Map(delivered.map(({ id, number }) => [id, prices[atSmsc.get(number)?.[0]?.operator ?? ''] ?? '0']));
}

/** What the last `receipt.updated` of each message said, by message id. */
function told({ events }: Evidence): Map<string, string> {
  const last = new Map<string, { revision: number; amount: string }>();
  for (const { type, messageId, cost } of events.values()) {
    if (!type.startsWith('receipt.') || !cost) continue;
    if ((last.get(messageId)?.revision ?? 0) < cost.revision) last.set(messageId, cost);
  }
  return new Map([...last].map(([id, { amount }]) => [id, amount]));
}

export function sums(evidence: Evidence): Sums {
  return {
    operators: sum(priced(evidence).values()),
    webhooks: sum(told(evidence).values()),
    api: sum(evidence.listed.flatMap(({ total_cost }) => total_cost.map(({ amount }) => amount))),
  };
}

export function verifyCosts(evidence: Evidence): Violation[] {
  const findings = new Findings();
  const promise = 'costs add up';
  for (const message of evidence.messages) {
    const { id, operator, status, submitted_at, cost } = message;
    const stored = () =>
      `${id} (${operator}, ${status}, submitted ${submitted_at !== null}) costs ${JSON.stringify(cost)}`;
    if (status === 'delivered') findings.expect(cost?.final === true, promise, stored);
    // Nobody told us that it was taken, so nobody can say what it cost.
    if (status === 'unknown') findings.expect(!cost, promise, stored);
  }
  const amounts = told(evidence);
  for (const [id, price] of priced(evidence)) {
    const amount = amounts.get(id) ?? '0';
    findings.expect(
      sameAmount(price, amount),
      promise,
      () => `${id} was delivered for ${price}, webhooks say ${amount}`,
    );
  }
  const { operators, webhooks, api } = sums(evidence);
  findings.expect(sameAmount(operators, webhooks), promise, () => `delivered ${operators}, webhooks ${webhooks}`);
  findings.expect(sameAmount(operators, api), promise, () => `delivered ${operators}, sessions ${api}`);
  return findings.violations;
}
