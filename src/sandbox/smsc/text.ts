// The text of a submit_sm, as a phone would show it. The alphabets' tables are npm `smpp`'s, not ours.
// Parts of a long message are not joined: each stands for itself (a code fits one part).

import smpp from 'smpp';
import type { Pdu } from './codec.ts';

/** What data_coding 0 means at this SMSC (SMPP v3.4 section 5.2.19 leaves it to the SMSC). */
export type Alphabet = 'gsm7' | 'latin1';

const UDH_INDICATOR = 0x40;

export interface SubmittedText {
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
