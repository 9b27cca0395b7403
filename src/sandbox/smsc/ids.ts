// Message ids: how an SMSC writes one in its answer, and how in its receipts. Field notes, "Message ids per operator".

/** One message has one number; operators differ in how they write it, and even with themselves. */
export interface IdStyle {
  inAnswer(id: bigint): string;
  inReceipt(id: bigint): string;
}

/** Hexadecimal in the answer; decimal in receipts, padded with zeros to 20 digits. */
export const hexThenDecimal: IdStyle = {
  inAnswer: (id) => id.toString(16).toUpperCase(),
  inReceipt: (id) => id.toString().padStart(20, '0'),
};

/** Decimal in the answer, lower-case hexadecimal in receipts. */
export const decimalThenHex: IdStyle = {
  inAnswer: (id) => id.toString(),
  inReceipt: (id) => id.toString(16),
};

/** Letters and digits, upper case in the answer and lower case in receipts. */
export const lettersThenLowerCase: IdStyle = {
  inAnswer: (id) => `S${id.toString(36).toUpperCase()}`,
  inReceipt: (id) => `s${id.toString(36)}`,
};

/**
 * Numbers that a restarted SMSC does not give again: the time of the start in milliseconds, then a counter. They are
 * beyond 2^53 on purpose, so that whoever reads them as floats matches the wrong receipt.
 */
export function idNumbers(startedAt: number): () => bigint {
  let last = BigInt(startedAt) << 20n;
  return () => {
    last += 1n;
    return last;
  };
}
