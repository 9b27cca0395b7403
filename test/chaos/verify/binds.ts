// Bind slots are never exceeded at the SMSC. A frozen process can't close its binds: while it sleeps through its lease, the
// SMSC sees them beside those of the process that took its slots over, and no more than those.
import type { Evidence } from '../evidence.ts';
import { Findings, type Violation } from './violation.ts';

export function verifyBinds({ peaks, allowedBinds }: Evidence): Violation[] {
  const findings = new Findings();
  const promise = 'bind slots are never exceeded';
  for (const { operator, unfrozen, ever, after } of peaks) {
    const allowed = allowedBinds[operator] ?? 0;
    findings.expect(unfrozen <= allowed, promise, () => `${operator}: ${unfrozen} of ${allowed}, ${after}`);
    findings.expect(ever <= 2 * allowed, promise, () => `${operator}: ${ever} while a server was frozen`);
  }
  return findings.violations;
}
