// Custom sender names: which texts may be one, how a name stands at an operator, and which decision may follow. The rules are here,
// and not with the operators' channel, because every door and the command line must give the same answer.

/**
 * A custom sender name: 1-11 characters, of which the contract says "GSM characters". Narrower here, since what passes every
 * operator is: ASCII letters and digits, and between them single spaces, `-`, `.`, `&`, which have one code in ASCII and in the GSM
 * alphabet. `_` has two (0x5F, which the GSM alphabet reads as `§`, and 0x11), `@` and `$` change places on some SMSCs (codes 0x00 and
 * 0x02), accented letters depend on the operator's default alphabet. At least one letter: a name of digits alone would pass for a phone
 * number or a short code that belongs to another business.
 */
export function isSenderName(name: string): boolean {
  return name.length <= 11 && /^[A-Za-z0-9]+(?:[ .&-][A-Za-z0-9]+)*$/.test(name) && /[A-Za-z]/.test(name);
}

export type SenderStatus = 'submitted' | 'approved' | 'rejected' | 'revoked';
export type SenderDecision = Exclude<SenderStatus, 'submitted'>;

/** An operator's decision is due within this; the service promises it (spec, "What the service does", 7): 72 hours. */
export const senderDecisionDueMs = 72 * 3_600_000;

export type DecisionOutcome = 'changed' | 'unchanged' | 'not_allowed';

/**
 * What a decision does to a name that stands as `status`. The same decision again changes nothing. A refusal is not final:
 * an operator may approve later. Only what was approved can be revoked; rejecting it then would hide that it was in use.
 */
export function decide(status: SenderStatus, decision: SenderDecision): DecisionOutcome {
  if (status === decision) return 'unchanged';
  if (decision === 'approved') return 'changed';
  const from: SenderStatus = decision === 'rejected' ? 'submitted' : 'approved';
  return status === from ? 'changed' : 'not_allowed';
}
