// The judgement of a submit_sm: its addresses, validity_period and text, read as strictly as SMPP v3.4 has them, so that a client's
// mistake shows here and not at a real operator. What then happens to the message is in traffic.ts.

import smpp from 'smpp';
import { type Pdu, status } from './codec.ts';

export interface SubmitRules {
  /** As in the server's configuration: `+21355`. */
  prefixes: readonly string[];
  alphabet: Alphabet;
  validity: readonly ValidityForm[];
}

type Judgement = { kind: 'taken'; text: string; octets: Buffer } | { kind: 'refused'; commandStatus: number };

const ALPHANUMERIC = 5;
const INTERNATIONAL = 1;
const ISDN = 1;
const UCS2 = 8;
const MAX_SEPTETS = 160;
const MAX_OCTETS = 140;

/** Judges one submit_sm against the rules of the SMSC; `now` in milliseconds. */
export function judge(pdu: Pdu, rules: SubmitRules, now: number): Judgement {
  if (!isDestination(pdu, rules)) return { kind: 'refused', commandStatus: status.invalidDestination };
  if (!isSource(pdu)) return { kind: 'refused', commandStatus: status.invalidSource };
  if (readValidity(pdu.validity_period ?? '', rules.validity, now).kind === 'invalid') {
    return { kind: 'refused', commandStatus: status.invalidExpiry };
  }
  const { text, octets } = submittedText(pdu, rules.alphabet);
  if (text === null) return { kind: 'refused', commandStatus: status.submitFailed };
  if (octets.length === 0 || !isOneSegment(pdu, text, octets)) {
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

/**
 * The network carries UCS-2 in 140 octets, and any other text in 160 septets of the GSM alphabet, whatever the alphabet between client and SMSC.
 * message_payload may hold more than one segment; the SMSC cuts it.
 */
function isOneSegment(pdu: Pdu, text: string, octets: Buffer): boolean {
  if ((pdu.short_message?.length ?? 0) === 0) return true;
  if (pdu.data_coding === UCS2) return octets.length <= MAX_OCTETS;
  // No character costs more than two.
  return text.length <= MAX_SEPTETS / 2 || smpp.encodings.ASCII.encode(text).length <= MAX_SEPTETS;
}

/** The forms an SMSC takes. */
type ValidityForm = 'relative' | 'absolute';

type Validity = { kind: 'none' } | { kind: 'until'; at: number } | { kind: 'invalid' };

const FORM = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d(\d\d)([R+-])$/;
const DAY_MS = 86_400_000;

/**
 * Reads `raw` against `now` (milliseconds). Relative years and months count as 365 and 30 days. Invalid: any other
 * shape, a form not in `accepted`, a time not in the future.
 */
export function readValidity(raw: string, accepted: readonly ValidityForm[], now: number): Validity {
  if (raw === '') return { kind: 'none' };
  const match = FORM.exec(raw);
  if (!match) return { kind: 'invalid' };
  const [year, month, day, hour, minute, second, quarters] = match.slice(1, 8).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const form: ValidityForm = match[8] === 'R' ? 'relative' : 'absolute';
  if (!accepted.includes(form)) return { kind: 'invalid' };
  const timeMs = ((hour * 60 + minute) * 60 + second) * 1000;
  if (form === 'relative') {
    const days = year * 365 + month * 30 + day;
    return future(now + days * DAY_MS + timeMs, now);
  }
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 || quarters > 48) {
    return { kind: 'invalid' };
  }
  const offsetMs = quarters * 15 * 60_000 * (match[8] === '-' ? -1 : 1);
  return future(Date.UTC(2000 + year, month - 1, day) + timeMs - offsetMs, now);
}

function future(at: number, now: number): Validity {
  return at > now ? { kind: 'until', at } : { kind: 'invalid' };
}

/** The meaning of data_coding 0 at this SMSC (SMPP v3.4 section 5.2.19 leaves it to the SMSC). */
export type Alphabet = 'gsm7' | 'latin1';

const UDH_INDICATOR = 0x40;

interface SubmittedText {
  /** null = a data_coding that this SMSC doesn't take. */
  text: string | null;
  /** The user data without its header. */
  octets: Buffer;
}

/** Reads short_message, or message_payload where that is empty. */
export function submittedText(pdu: Pdu, alphabet: Alphabet): SubmittedText {
  const short: Buffer = pdu.short_message ?? Buffer.alloc(0);
  if (short.length === 0 && pdu.message_payload) return payloadText(pdu);
  const octets = pdu.esm_class & UDH_INDICATOR ? short.subarray((short[0] ?? 0) + 1) : short;
  return { text: decodeText(octets, pdu.data_coding, alphabet), octets };
}

/** The package has decoded the payload already, under its own idea of the alphabet (GSM). */
function payloadText(pdu: Pdu): SubmittedText {
  const { message } = pdu.message_payload as { message: string | Buffer };
  const octets = typeof message === 'string' ? Buffer.from(message, 'latin1') : message;
  return { text: typeof message === 'string' ? message : null, octets };
}

function decodeText(octets: Buffer, dataCoding: number, alphabet: Alphabet): string | null {
  switch (dataCoding) {
    case 0x00:
      return alphabet === 'gsm7' ? smpp.encodings.ASCII.decode(octets) : smpp.encodings.LATIN1.decode(octets);
    case 0x01:
      return octets.toString('ascii');
    case 0x03:
      return smpp.encodings.LATIN1.decode(octets);
    case 0x08:
      return smpp.encodings.UCS2.decode(octets);
    default:
      return null;
  }
}
