// Never two submit_sm of one message, and none of a message the service says it never took out of the queue: judged by what
// the SMSCs accepted. Every plain session has a number of its own; sessions to the silent number differ by their codes. A code
// goes out twice only where its session says so: its first message is in doubt, and no leg is left (`in_doubt_resend`).
import type { Evidence } from '../evidence.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

/** Statuses of a message whose bytes may have left. */
const maybeOut = new Set(['submitting', 'submitted', 'delivered', 'undelivered', 'rejected', 'expired', 'unknown']);

export function verifySubmits({ arrived, sent, sessions, messages }: Evidence): Violation[] {
  const findings = new Findings();
  const messagesTo = groupBy(messages, ({ number }) => number);
  const resent = resentInDoubt(sessions, messages);
  for (const [number, copies] of groupBy(arrived, ({ to }) => to)) {
    const twice = copies.length - new Set(copies.map(({ code }) => code)).size;
    const allowed = messagesTo.get(number)?.filter(({ id }) => resent.has(id)).length ?? 0;
    findings.expect(twice <= allowed, 'never two submit_sm of one message', () => `${number}: ${twice} too many`);
  }
  const plain = new Set(sent.filter(({ kind }) => kind === 'plain').map(({ to }) => to));
  const arrivedAt = groupBy(arrived, ({ to }) => to);
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
    const first = own.filter(({ id }) => !resent.has(id));
    findings.expect(first.length === 1, 'one leg, one message', () => `${number}: ${own.map(({ id }) => id)}`);
  }
  for (const number of arrivedAt.keys()) {
    findings.expect(messagesTo.has(number), 'nothing leaves without a record', () => `${number}: unknown here`);
  }
  return findings.violations;
}

/**
 * Ids of the messages that may repeat a code: each the only second attempt of a session that says so, after a first one in doubt. Where the first
 * one's answer came in after all, the second one has not left.
 */
function resentInDoubt(sessions: Evidence['sessions'], messages: Evidence['messages']): ReadonlySet<string> {
  const said = new Set(
    sessions.filter(({ timeline }) => timeline.some(({ kind }) => kind === 'in_doubt_resend')).map(({ id }) => id),
  );
  const resent = [...groupBy(messages, ({ session_id }) => session_id)].flatMap(([id, own]) => {
    const [second, ...more] = own.filter(({ attempt }) => attempt === 2);
    const isHeld = second?.status === 'withdrawn';
    const inDoubt = own.some(({ attempt, submitted_at }) => attempt === 1 && (submitted_at === null || isHeld));
    return second && more.length === 0 && inDoubt && said.has(id) ? [second.id] : [];
  });
  return new Set(resent);
}
