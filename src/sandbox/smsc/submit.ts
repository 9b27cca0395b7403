// Whether an SMSC takes a submit_sm: strict about what SMPP v3.4 says, so that mistakes of a client show here and not
// at a real operator. What then happens to the message is in smsc.ts.

import { type Pdu, status } from './codec.ts';
import { type Alphabet, submittedText } from './text.ts';
import { readValidity, type ValidityForm } from './validity.ts';

export interface SubmitRules {
  /** As in the server's configuration: `+21355`. */
  prefixes: readonly string[];
  alphabet: Alphabet;
  validity: readonly ValidityForm[];
}

export type Judgement = { kind: 'taken'; text: string; octets: Buffer } | { kind: 'refused'; commandStatus: number };

const ALPHANUMERIC = 5;
const INTERNATIONAL = 1;
const ISDN = 1;
const UCS2 = 8;
const MAX_GSM_OCTETS = 160; // One septet an octet, unpacked.
const MAX_OCTETS = 140;

/** `now` in milliseconds. */
export function judge(pdu: Pdu, rules: SubmitRules, now: number): Judgement {
  if (!isDestination(pdu, rules)) return { kind: 'refused', commandStatus: status.invalidDestination };
  if (!isSource(pdu)) return { kind: 'refused', commandStatus: status.invalidSource };
  if (readValidity(pdu.validity_period ?? '', rules.validity, now).kind === 'invalid') {
    return { kind: 'refused', commandStatus: status.invalidExpiry };
  }
  const { text, octets } = submittedText(pdu, rules.alphabet);
  if (text === null) return { kind: 'refused', commandStatus: status.submitFailed };
  if (octets.length === 0 || octets.length > maxOctets(pdu, rules)) {
    return { kind: 'refused', commandStatus: status.invalidMessageLength };
  }
  return { kind: 'taken', text, octets };
}

function isDestination(pdu: Pdu, { prefixes }: SubmitRules): boolean {
  const digits: string = pdu.destination_addr ?? '';
  return (
    pdu.dest_addr_ton === INTERNATIONAL &&
    pdu.dest_addr_npi === ISDN &&
    /^\d{8,15}$/.test(digits) &&
    prefixes.some((prefix) => `+${digits}`.startsWith(prefix))
  );
}

function isSource(pdu: Pdu): boolean {
  const name: string = pdu.source_addr ?? '';
  if (pdu.source_addr_ton === ALPHANUMERIC) return pdu.source_addr_npi === 0 && /^[ -~]{1,11}$/.test(name);
  return /^\d{1,15}$/.test(name);
}

/** message_payload may hold more than one segment; the SMSC cuts it. */
function maxOctets(pdu: Pdu, { alphabet }: SubmitRules): number {
  if ((pdu.short_message?.length ?? 0) === 0) return Number.POSITIVE_INFINITY;
  return pdu.data_coding !== UCS2 && alphabet === 'gsm7' ? MAX_GSM_OCTETS : MAX_OCTETS;
}
