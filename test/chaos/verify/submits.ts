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
    const others = own.flatMap(({ id, status }) => (maybeOut.has(status) ? [] : [`${id} ${status}`]));
    findings.expect(
      taken <= out,
      'nothing leaves without a record',
      () => `${number}: ${taken} at the SMSC, ${out} here, beside ${others.join(', ') || 'none'}`,
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
 * Ids of the messages that may repeat a code: each the only second attempt of a session that says so, after a first one that was in doubt at that
 * time. What became known of the first one later changes nothing: by then the second one may have left.
 */
function resentInDoubt(sessions: Evidence['sessions'], messages: Evidence['messages']): ReadonlySet<string> {
  const messagesOf = groupBy(messages, ({ session_id }) => session_id);
  const resent = sessions.flatMap(({ id, timeline }) => {
    const resentAt = timeline.findIndex(({ kind }) => kind === 'in_doubt_resend');
    const before = timeline.slice(0, Math.max(0, resentAt));
    const isInDoubt = (message: string): boolean => {
      const kinds = before.filter(({ messageId }) => messageId === message).map(({ kind }) => kind);
      return kinds.includes('message_unknown') && !kinds.includes('message_submitted');
    };
    const own = messagesOf.get(id) ?? [];
    const [second, ...more] = own.filter(({ attempt }) => attempt === 2);
    const first = own.find(({ attempt }) => attempt === 1);
    return second && first && more.length === 0 && isInDoubt(first.id) ? [second.id] : [];
  });
  return new Set(resent);
}
