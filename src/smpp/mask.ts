// Takes the code out of what is kept: receipts echo the first characters of the message (SMPP v3.4 appendix B). What is
// stored or logged goes through here first, in its octets too.

import { decodePdu } from './codec.ts';
import { HEADER_OCTETS, type Pdu } from './pdu.ts';
import { echoStart, findReceipt, isUcs2Receipt, receiptText } from './receipt-text.ts';
import { findTlv, tags } from './tlv.ts';

const STAR = 0x2a;

/**
 * A copy of one whole PDU with the digits of the echo masked, in short_message and in message_payload. In one that can't be
 * decoded, and in a message that is no receipt, more is masked than needed: never less.
 */
export function maskFrame(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  if (copy.length < HEADER_OCTETS) return copy.fill(STAR);
  const decoded = decodePdu(copy);
  const messages = decoded.kind === 'pdu' ? messagesIn(decoded.pdu) : [];
  if (messages.length > 0) {
    // The decoder's buffers are views of the copy, so masking them masks the copy.
    for (const message of messages) maskEcho(message);
  } else {
    const body = copy.subarray(HEADER_OCTETS);
    maskEcho(body.subarray(findReceipt(body)));
  }
  return copy;
}

/** None where the command has no message: then the command may be what was damaged. */
function messagesIn(pdu: Pdu): Buffer[] {
  const payload = findTlv(pdu.tlvs, tags.message_payload);
  return [...('short_message' in pdu ? [pdu.short_message] : []), ...(payload === undefined ? [] : [payload])];
}

/** A receipt's text as it may be kept. `text` is `receiptText(octets)`, and `echoAt` its `echoStart`, where they are known. */
export function maskReceipt(octets: Buffer, text = receiptText(octets), echoAt = echoStart(text)): string {
  if (!isUcs2Receipt(octets)) return maskText(text, echoAt);
  const copy = Buffer.from(octets);
  maskEcho(copy);
  return receiptText(copy);
}

/** As `maskEcho` does, where each character is an octet. */
function maskText(text: string, echoAt: number): string {
  let masked = '';
  let kept = 0;
  let before = 0;
  for (let i = echoAt; i < text.length; i++) {
    const octet = text.charCodeAt(i);
    if (isDigit(before, octet)) {
      masked += `${text.slice(kept, i)}*`;
      kept = i + 1;
    }
    before = octet;
  }
  return masked + text.slice(kept);
}

/** Masks in place. Octet by octet, since the echo need not be in the encoding of the keys before it. */
function maskEcho(octets: Buffer): void {
  const octetsPerChar = isUcs2Receipt(octets) ? 2 : 1;
  let before = 0;
  for (let i = echoStart(receiptText(octets)) * octetsPerChar; i < octets.length; i++) {
    const octet = octets[i]!;
    if (isDigit(before, octet)) octets[i] = STAR;
    before = octet;
  }
}

/** ASCII, and the second octet of an Arabic-Indic or Persian digit in UTF-16BE or UTF-8. */
function isDigit(before: number, octet: number): boolean {
  const isOneOfTen = (first: number): boolean => octet >= first && octet < first + 10;
  if (isOneOfTen(0x30)) return true;
  if (before === 0x06) return isOneOfTen(0x60) || isOneOfTen(0xf0);
  return (before === 0xd9 && isOneOfTen(0xa0)) || (before === 0xdb && isOneOfTen(0xb0));
}
