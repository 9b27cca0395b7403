// Never two submit_sm of one message, and none of a message the service says it never took out of the queue: judged by what
// the SMSCs accepted. Every plain session has a number of its own; sessions to the silent number differ by their codes.
import type { Evidence } from '../evidence.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

/** Statuses of a message whose bytes may have left. */
const maybeOut = new Set(['submitting', 'submitted', 'delivered', 'undelivered', 'rejected', 'expired', 'unknown']);

export function verifySubmits({ arrived, sent, messages }: Evidence): Violation[] {
  const findings = new Findings();
  for (const [number, copies] of groupBy(arrived, ({ to, code }) => `${to} ${code}`)) {
    findings.expect(
      copies.length === 1,
      'never two submit_sm of one message',
      () => `${number}: ${copies.length} times`,
    );
  }
  const plain = new Set(sent.filter(({ kind }) => kind === 'plain').map(({ to }) => to));
  const arrivedAt = groupBy(arrived, ({ to }) => to);
  const messagesTo = groupBy(messages, ({ number }) => number);
  for (const [number, own] of messagesTo) {
    const out = own.filter(({ status }) => maybeOut.has(status)).length;
    const certain = own.filter(({ submitted_at }) => submitted_at !== null).length;
    const taken = arrivedAt.get(number)?.length ?? 0;
    findings.expect(
      taken <= out,
      'nothing leaves without a record',
      () => `${number}: ${taken} at the SMSC, ${out} here`,
    );
    findings.expect(
      taken >= certain,
      'what is submitted was taken',
      () => `${number}: ${certain} here, ${taken} there`,
    );
    if (!plain.has(number)) continue;
    findings.expect(own.length === 1, 'one leg, one message', () => `${number}: ${own.map(({ id }) => id)}`);
  }
  for (const number of arrivedAt.keys()) {
    findings.expect(messagesTo.has(number), 'nothing leaves without a record', () => `${number}: unknown here`);
  }
  return findings.violations;
}
