// Every event reaches the endpoint at least once, under one id with one body, and the numbers of a session's events have no gap.
import type { Evidence } from '../evidence.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

export function verifyWebhooks({ events, deliveries, sessions, messages, listed }: Evidence): Violation[] {
  const findings = new Findings();
  for (const { event_id, status } of deliveries) {
    const known = events.has(event_id);
    findings.expect(known, 'every webhook is delivered', () => `${event_id} (${status}) never came`);
    // One of the last moment may still have to be marked; that all come to rest is seen before.
    findings.expect(status !== 'failed', 'no webhook is given up', () => event_id);
  }
  for (const { id, otherBodies, unverified } of events.values()) {
    findings.expect(otherBodies === 0, 'one id, one body', () => `${id} came with ${otherBodies + 1} bodies`);
    findings.expect(unverified === 0, 'every webhook is signed', () => id);
  }
  const bySession = groupBy(events.values(), ({ sessionId }) => sessionId);
  for (const { id, event_sequence } of sessions) {
    const numbers = (bySession.get(id) ?? []).map(({ sequence }) => sequence).sort((a, b) => a - b);
    const gapless = numbers.every((number, index) => number === index + 1);
    findings.expect(gapless, 'session_sequence has no gap and no double', () => `${id}: ${numbers}`);
    const complete = numbers.length >= event_sequence;
    findings.expect(complete, 'every event was told', () => `${id}: ${numbers.length} of ${event_sequence}`);
  }
  const told = (type: string, status: string) =>
    new Set(
      [...events.values()].filter((event) => event.type === type && event.status === status).map((e) => e.messageId),
    );
  const receipts = told('receipt.updated', 'DELIVRD');
  for (const { id, status } of messages) {
    if (status === 'delivered') findings.expect(receipts.has(id), 'every receipt is told', () => id);
  }
  for (const { id, status } of listed) {
    const verified = (bySession.get(id) ?? []).filter(({ type }) => type === 'session.verified').length;
    const due = status === 'verified' ? 1 : 0;
    findings.expect(
      verified === due,
      'verified is told exactly once',
      () => `${id} is ${status}, told ${verified} times`,
    );
  }
  return findings.violations;
}
