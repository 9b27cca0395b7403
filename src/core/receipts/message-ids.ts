// Message ids, as answers of an SMSC to submit_sm give them and as its receipts repeat them, which is often in another form. Each operator has one
// rule. SMSCs reuse ids, so a match also needs destination and time, which are not known here.

export interface MessageIdRule {
  /** Some SMSCs answer in one base and write receipts in the other. */
  rule: 'same' | 'answer_hex_receipt_decimal' | 'answer_decimal_receipt_hex';
  stripLeadingZeros: boolean;
  caseInsensitive: boolean;
}

/** Nothing longer is a message_id (65 octets with its NUL); BigInt of a hostile text would take its time. */
const MAX_DIGITS = 64;

/** Some SMSCs go beyond those 64 octets. An id of thousands names nothing, and the database has no index for it. */
const MAX_LENGTH = 255;

/**
 * The form an answer's id is stored under, and looked up by. Under the two rules of bases an id is a number, which has neither
 * leading zeros nor case. Null for an id that names nothing: an empty one, or one that is far too long.
 */
export function answerKey(id: string, rule: MessageIdRule): string | null {
  const trimmed = trim(id);
  if (trimmed === '') return null;
  if (rule.rule === 'answer_hex_receipt_decimal') return toHex(trimmed, 16) ?? plain(trimmed, rule);
  if (rule.rule === 'answer_decimal_receipt_hex') return toDecimal(trimmed, 10) ?? plain(trimmed, rule);
  return plain(trimmed, rule);
}

/**
 * Forms the answer's id may have been stored under, likeliest first. Under the two rules of bases the id as it stands is always
 * among them: receipted_message_id is often in the answer's base where the text is not.
 */
export function receiptKeys(id: string, rule: MessageIdRule): string[] {
  const trimmed = trim(id);
  const converted = convert(trimmed, rule);
  const asAnswered = answerKey(trimmed, rule);
  if (asAnswered === null) return [];
  return converted === null || converted === asAnswered ? [asAnswered] : [converted, asAnswered];
}

function convert(id: string, { rule }: MessageIdRule): string | null {
  if (rule === 'answer_hex_receipt_decimal') return toHex(id, 10);
  if (rule === 'answer_decimal_receipt_hex') return toDecimal(id, 16);
  return null;
}

const toHex = (id: string, base: 10 | 16): string | null => numberOf(id, base)?.toString(16) ?? null;
const toDecimal = (id: string, base: 10 | 16): string | null => numberOf(id, base)?.toString(10) ?? null;

function numberOf(id: string, base: 10 | 16): bigint | null {
  const digits = base === 10 ? /^[0-9]+$/ : /^[0-9a-f]+$/i;
  if (id.length > MAX_DIGITS || !digits.test(id)) return null;
  return BigInt(base === 10 ? id : `0x${id}`);
}

function plain(id: string, { stripLeadingZeros, caseInsensitive }: MessageIdRule): string {
  const stripped = stripLeadingZeros ? id.replace(/^0+(?=.)/, '') : id;
  return caseInsensitive ? stripped.toLowerCase() : stripped;
}

/** The id without the padding that some SMSCs leave on; empty for one that is too long. */
function trim(id: string): string {
  const end = id.indexOf('\0');
  const trimmed = (end < 0 ? id : id.slice(0, end)).trim();
  return trimmed.length > MAX_LENGTH ? '' : trimmed;
}
