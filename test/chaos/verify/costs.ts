// Costs add up: what the webhooks said, what the API says and what the operators delivered is the same money.
import { addAmounts, sameAmount } from '../../../src/core/money.ts';
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

export function sums({ messages, prices, events, listed, arrived }: Evidence): Sums {
  const atSmsc = groupBy(arrived, ({ to }) => to);
  // Sahara and Atlas are paid for what is delivered, Djurdjura for what it took; each of these messages is both.
  const delivered = messages.filter(({ status }) => status === 'delivered');
  const priced = delivered.map(({ number }) => prices[atSmsc.get(number)?.[0]?.operator ?? ''] ?? '0');
  const last = new Map<string, { revision: number; amount: string }>();
  for (const { type, messageId, cost } of events.values()) {
    if (!type.startsWith('receipt.') || !cost) continue;
    if ((last.get(messageId)?.revision ?? 0) < cost.revision) last.set(messageId, cost);
  }
  return {
    operators: sum(priced),
    webhooks: sum([...last.values()].map(({ amount }) => amount)),
    api: sum(listed.flatMap(({ total_cost }) => total_cost.map(({ amount }) => amount))),
  };
}

export function verifyCosts(evidence: Evidence): Violation[] {
  const findings = new Findings();
  const promise = 'costs add up';
  for (const message of evidence.messages) {
    const { id, operator, status, submitted_at, cost } = message;
    const told = () =>
      `${id} (${operator}, ${status}, submitted ${submitted_at !== null}) costs ${JSON.stringify(cost)}`;
    if (status === 'delivered') findings.expect(cost?.final === true, promise, told);
    // Nobody told us that it was taken, so nobody can say what it cost.
    if (status === 'unknown') findings.expect(!cost, promise, told);
  }
  const { operators, webhooks, api } = sums(evidence);
  findings.expect(sameAmount(operators, webhooks), promise, () => `delivered ${operators}, webhooks ${webhooks}`);
  findings.expect(sameAmount(operators, api), promise, () => `delivered ${operators}, sessions ${api}`);
  return findings.violations;
}
