// Custom sender names: how one stands at an operator, and which decision may follow. Which texts may be names: gsm7.ts.

export type SenderStatus = 'submitted' | 'approved' | 'rejected' | 'revoked';
export type SenderDecision = Exclude<SenderStatus, 'submitted'>;

/** Operators have decided by then, or so the service promises (spec, "What the service does", 7): 72 hours. */
export const senderDecisionDueMs = 72 * 3_600_000;

export type DecisionOutcome = 'changed' | 'unchanged' | 'not_allowed';

/**
 * What a decision does to a name that stands as `status`. The same one again changes nothing. A refusal is final for neither
 * side: an operator may approve later. Only what was approved can be revoked; rejecting it then would hide that it was in use.
 */
export function decide(status: SenderStatus, decision: SenderDecision): DecisionOutcome {
  if (status === decision) return 'unchanged';
  if (decision === 'approved') return 'changed';
  const from: SenderStatus = decision === 'rejected' ? 'submitted' : 'approved';
  return status === from ? 'changed' : 'not_allowed';
}
