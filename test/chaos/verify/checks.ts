// A right code verifies exactly once, each wrong one is counted once, and the answer of a key stays the answer of that key.
import type { Evidence } from '../evidence.ts';
import { Findings, groupBy, type Violation } from './violation.ts';

export function verifyChecks({ checked, listed, sessions }: Evidence): Violation[] {
  const findings = new Findings();
  const statusOf = new Map(listed.map(({ id, status }) => [id, status]));
  const timelineOf = new Map(sessions.map(({ id, timeline }) => [id, timeline]));
  for (const [id, checks] of groupBy(checked, ({ sessionId }) => sessionId)) {
    const status = statusOf.get(id);
    const right = checks.filter(({ correct }) => correct);
    const valid = right.filter(({ answers }) => answers.includes(true)).length;
    const wrong = checks.filter(({ correct }) => !correct);
    const counted = (timelineOf.get(id) ?? []).filter(
      ({ kind, reason }) => kind === 'code_checked' && reason === 'incorrect_code',
    ).length;
    // One whose answer was lost may or may not have counted.
    const atLeast = wrong.filter(({ answers }) => answers.length > 0).length;
    const isOnce = counted >= atLeast && counted <= wrong.length;
    findings.expect(isOnce, 'a wrong try is counted once', () => `${id}: ${counted} counted, ${wrong.length} made`);
    const answered = right.every(({ answers }) => answers.length > 0);
    for (const { correct, answers, key } of checks) {
      findings.expect(correct || !answers.includes(true), 'a wrong code is never valid', () => key);
    }
    findings.expect(valid <= 1, 'verified exactly once', () => `${id}: ${valid} times valid`);
    // A check that got no answer may or may not have counted.
    if (answered && right.length > 0) {
      findings.expect(valid === 1, 'a right code verifies', () => `${id}: ${JSON.stringify(checks)}`);
      findings.expect(status === 'verified', 'verified stays verified', () => `${id} is ${status}`);
    }
  }
  const asked = new Set(checked.filter(({ correct }) => correct).map(({ sessionId }) => sessionId));
  for (const { id, status } of listed) {
    findings.expect(status !== 'verified' || asked.has(id), 'nothing verifies unasked', () => id);
  }
  return findings.violations;
}
