// No acknowledged session is lost, and one Idempotency-Key is one session, whatever was killed between two tries.
import type { Evidence } from '../evidence.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

export function verifySessions({ sent, listed, messages, deaths, firstSends }: Evidence): Violation[] {
  const findings = new Findings();
  const byId = new Map(listed.map((session) => [session.id, session]));
  const byNumber = groupBy(listed, ({ to }) => to);
  const messagesOf = groupBy(messages, ({ session_id }) => session_id);
  for (const { key, to, kind, ids } of sent) {
    findings.expect(ids.size <= 1, 'one key, one session', () => `${key} was answered with ${[...ids].join(' and ')}`);
    for (const id of ids) {
      const session = byId.get(id);
      findings.expect(session !== undefined, 'no acknowledged session is lost', () => `${key}: ${id}`);
      findings.expect(!session || session.to === to, 'a session keeps its number', () => `${id}: ${session?.to}`);
    }
    if (kind === 'silent') continue;
    const sessions = byNumber.get(to) ?? [];
    findings.expect(sessions.length <= 1, 'one key, one session', () => `${to}: ${sessions.map(({ id }) => id)}`);
    // A message nobody will look after any more is as good as lost. With a minute for its leg, each must have gone out.
    for (const message of ids.size > 0 ? sessions.flatMap(({ id }) => messagesOf.get(id) ?? []) : []) {
      // A second attempt is not wanted any more once the first one's answer has come.
      const isSpare = message.attempt === 2 && message.status === 'withdrawn';
      const settled = isSpare || message.status === 'delivered' || message.status === 'unknown';
      findings.expect(settled, 'every acknowledged message ends', () => `${message.id} (${to}) is ${message.status}`);
    }
  }
  findings.expect(deaths === 0, 'servers end only when they are killed', () => `${deaths} ended by themselves`);
  findings.expect(firstSends <= 1, 'one first send per account', () => `${firstSends} messages have first_send_at`);
  return findings.violations;
}
