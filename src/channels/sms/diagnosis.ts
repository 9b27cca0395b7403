// The diagnosis of an operator's receipts: what came and was not understood, held against what the settings expect. It names the line to change,
// because an operator seldom tells how it writes its ids.

import type { OperatorConfig } from '../../config.ts';
import { answerKey, type MessageIdRule, receiptKeys } from '../../core/receipts/message-ids.ts';
import { isWord } from './report.ts';

/** What the database has of an operator's receipts of the last days. */
export interface ReceiptEvidence {
  /** Receipts that match no message: the id as the receipt has it, the phone, and what the message was looked for under. */
  parked: readonly { providerMessageId: string | null; number: string | null; references: readonly string[] }[];
  /** Ids that the operator answered with, and what their messages are filed under. */
  answered: readonly { providerMessageId: string; number: string; reference: string }[];
  /** Words of receipts that were stored as UNKNOWN, and how often each came. */
  words: readonly { word: string; count: number }[];
  /** Reports that can't be read, and that a pattern would read. */
  unreadable: number;
}

export interface Finding {
  /** What was found, with its counts. */
  what: string;
  /** The line to change: `set message_id.rule to "answer_hex_receipt_decimal"`. */
  advice: string;
}

export function diagnose(operator: OperatorConfig, evidence: ReceiptEvidence): Finding[] {
  const { parked, answered, words, unreadable } = evidence;
  const findings: Finding[] = [];
  const ids = parked.filter((each): each is Named => each.providerMessageId !== null);
  const other = otherRule(operator.messageId, ids, answered);
  if (other) findings.push(other);
  const misfiled = other ? 0 : misfiledOf(operator.messageId, ids, answered);
  if (misfiled > 0) {
    const what = `${misfiled} of ${ids.length} parked ids equal the id of an answer, by message_id as it is now`;
    findings.push({ what, advice: `run "npm run ramz -- operators match ${operator.id}"` });
  }
  const nameless = parked.length - ids.length;
  if (nameless > 0) findings.push({ what: `${nameless} parked receipts name no id`, advice: 'set receipt.pattern' });
  for (const { word, count } of words) {
    const advice = adviceFor(word, operator.receipt);
    if (advice) findings.push({ what: `${count} receipts say ${word}, which is not known`, advice });
  }
  if (unreadable > 0) findings.push({ what: `${unreadable} reports can not be read`, advice: 'set receipt.pattern' });
  return findings;
}

/** Null where the word is set: it means UNKNOWN, or the receipts are older than the setting. */
function adviceFor(word: string, { meanings, messageStates }: OperatorConfig['receipt']): string | null {
  const key = word.toUpperCase();
  if (Object.hasOwn(meanings, key) || Object.hasOwn(messageStates, key)) return null;
  if (!isWord.test(word)) return 'set receipt.pattern';
  if (!/^\d{1,3}$/.test(word)) return `add receipt.meanings.${key}`;
  // Which of the two it was is not stored.
  return `add receipt.message_states.${key}, or receipt.meanings.${key} where it is the stat of the text`;
}

type Named = ReceiptEvidence['parked'][number] & { providerMessageId: string };

const rules: readonly MessageIdRule['rule'][] = ['same', 'answer_hex_receipt_decimal', 'answer_decimal_receipt_hex'];
const relations: Record<MessageIdRule['rule'], string> = {
  same: '',
  answer_hex_receipt_decimal: ', hex there and decimal here',
  answer_decimal_receipt_hex: ', decimal there and hex here',
};

/** The settings with the fewest changes under which most of the parked ids name a message to their phone; null where the ids tell nothing. */
function otherRule(now: MessageIdRule, ids: readonly Named[], answered: ReceiptEvidence['answered']): Finding | null {
  let best: { rule: MessageIdRule; changes: number; matches: number } | null = null;
  for (const rule of candidates(now)) {
    const answersTo = answersBy(rule, answered);
    const matches = ids.filter((each) => answersTo(each).length > 0).length;
    const changes = changed(now, rule).length;
    if (best === null || matches > best.matches || (matches === best.matches && changes < best.changes))
      best = { rule, changes, matches };
  }
  if (best === null || best.matches === 0 || best.changes === 0) return null;
  const { rule, matches } = best;
  const relation = rule.rule === now.rule ? '' : relations[rule.rule];
  return {
    what: `${matches} of ${ids.length} parked ids equal the id of an answer${relation}`,
    advice: changed(now, rule).join(', '),
  };
}

/** Receipts that would match by the rule as it is, and were not looked for under what their message is filed under: the rule was another one then. */
function misfiledOf(now: MessageIdRule, ids: readonly Named[], answered: ReceiptEvidence['answered']): number {
  const answersTo = answersBy(now, answered);
  const isMisfiled = (each: Named): boolean =>
    each.number !== null && answersTo(each).some(({ reference }) => !each.references.includes(reference));
  return ids.filter(isMisfiled).length;
}

/** Finds the answers that a receipt may be about: with its id by this rule, and to its phone where it names one. */
function answersBy(rule: MessageIdRule, answered: ReceiptEvidence['answered']) {
  const known = Map.groupBy(answered, ({ providerMessageId }) => answerKey(providerMessageId, rule));
  return ({ providerMessageId, number }: Named): ReceiptEvidence['answered'] =>
    receiptKeys(providerMessageId, rule)
      .flatMap((key) => known.get(key) ?? [])
      .filter((answer) => number === null || answer.number === number);
}

function* candidates(now: MessageIdRule): Generator<MessageIdRule> {
  yield now;
  for (const rule of rules)
    for (const stripLeadingZeros of [now.stripLeadingZeros, true])
      for (const caseInsensitive of [now.caseInsensitive, true]) yield { rule, stripLeadingZeros, caseInsensitive };
}

/** What differs, each as the line to write. */
function changed(now: MessageIdRule, next: MessageIdRule): string[] {
  const lines: string[] = [];
  if (next.rule !== now.rule) lines.push(`set message_id.rule to "${next.rule}"`);
  if (next.stripLeadingZeros !== now.stripLeadingZeros) lines.push('set message_id.strip_leading_zeros to true');
  if (next.caseInsensitive !== now.caseInsensitive) lines.push('set message_id.case_insensitive to true');
  return lines;
}
