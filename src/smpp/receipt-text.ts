// The text of a receipt (SMPP v3.4 appendix B, which every SMSC reads its own way): octets to text, text to its keys, and the masking
// of the echo behind them. The echo is the user's message, code included: it is never parsed, and masked before anything is kept.

import { decodePdu } from './codec.ts';
import { HEADER_OCTETS, type Pdu } from './pdu.ts';
import { decodeUcs2 } from './text.ts';
import { findTlv, tags } from './tlv.ts';

export interface ReceiptKeys {
  id: string | null;
  stat: string | null;
  err: string | null;
  /** Digits; where the date says its own zone, `YYYYMMDDhhmmss+hhmm`. */
  submitDate: string | null;
  doneDate: string | null;
  /** Where the echo of the message begins, in characters; see `echoStart`. */
  echoAt: number;
}

/** No receipt is longer, and the search of a hostile text must end soon. */
const MAX_LENGTH = 1024;

const anyKey = 'id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat(?:us)?|err(?:or)?';
const keyPattern = new RegExp(`\\b(${anyKey})\\s*:`, 'gi');
const firstKeyPattern = new RegExp(`^\\s*(?:${anyKey})\\s*:`, 'i');
const echoPattern = /\btext\s*:/i;
const wordPattern =
  /\b(?:DELIVRD|DELIVERED|EXPIRED|DELETED|UNDELIV|UNDELIVERABLE|ACCEPTD|ACCEPTED|UNKNOWN|REJECTD|REJECTED|ENROUTE)\b/i;
/** ISO 8601 with a zone: `2026-11-21T12:01:00Z`, `2026-11-21 14:01:00.000 +02:00`, `20261121T120100Z`. */
const isoPattern =
  /^(\d{4})-?(\d\d)-?(\d\d)[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)? ?(?:Z|([+-](?:0\d|1[0-5])):?([0-5]\d)?)(?!\w)/i;
/** SMPP's own 16 characters (v3.4 section 7.1.1): tenths of a second, then quarters of an hour from UTC. */
const smppPattern = /^(\d{12})\d([0-4]\d)([+-])(?!\w)/;
const datePattern = /^\d[\d./:T-]*(?: \d\d:\d\d(?::\d\d)?)?/;

/**
 * Appendix B to the letter, as most receipts are written: one expression in place of a search for keys, which costs ten times as
 * much. Nothing in it may hold a colon, so that no key can hide in a value.
 */
const usualPattern =
  /^id:([\w-]{1,64}) sub:\d{1,3} dlvrd:\d{1,3} submit date:(\d{10,14}) done date:(\d{10,14}) stat:([a-z]{1,10}) err:(\w{1,8}) text:/i;

interface Found {
  key: string;
  value: string;
  start: number;
  /** Where the value's first word ends. */
  end: number;
}

/** Some SMSCs write even their receipts in UTF-16BE. The zero octets show it, since data_coding is often wrong. */
function isUcs2Receipt(octets: Buffer): boolean {
  if (octets.length < 8 || octets.length % 2 !== 0) return false;
  for (let i = 0; i < 8; i++) if ((octets[i] === 0) !== (i % 2 === 0)) return false;
  return true;
}

/**
 * Receipts are ASCII whatever the default alphabet: read as GSM 7-bit, an underscore in an id would turn into `§`. NULs become
 * spaces, one for one: the echo of an Arabic text is full of them, `@` in GSM 7-bit is one, and no database takes them in text.
 * Nor do they take half a surrogate pair in JSON, which remains where an SMSC cut the echo inside a character.
 */
export function receiptText(octets: Buffer): string {
  const text = isUcs2Receipt(octets) ? decodeUcs2(octets).toWellFormed() : octets.toString('latin1');
  return text.includes('\0') ? withoutNuls(text).replaceAll('\0', ' ') : text;
}

/** Without the NULs at its end. An expression would walk all NULs again from each of them, of which a text may have 65,535. */
export function withoutNuls(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\0') end -= 1;
  return text.slice(0, end);
}

/**
 * Where the echo of the message begins, in characters: behind `text:`; without it, behind the last key and its value. A text
 * that does not begin with a key is no receipt, or none we know: the echo may begin at once. All text behind may hold the code.
 */
function echoStart(text: string): number {
  if (!firstKeyPattern.test(text)) return 0;
  const echo = echoPattern.exec(text);
  return echo === null ? findKeys(ownKeys(text), true).at(-1)!.end : echo.index + echo[0].length;
}

/** The text up to a key that comes for the second time: no receipt repeats one, and a message may say "Login id: 123456". */
function ownKeys(text: string): string {
  const keys = findKeys(text, true);
  const repeated = keys.find(({ key }, at) => keys.findIndex((other) => other.key === key) < at);
  return repeated === undefined ? text : text.slice(0, repeated.start);
}

/** Where the first key stands, in octets of something that can't be decoded; 0 without one. */
function findReceipt(octets: Buffer): number {
  return findKeys(octets.toString('latin1'), true)[0]?.start ?? 0;
}

export function parseReceiptText(text: string): ReceiptKeys {
  const usual = usualPattern.exec(text);
  return usual === null ? searchKeys(text) : keysOf(usual);
}

const keysOf = ([whole, id, submitDate, doneDate, stat, err]: readonly string[]): ReceiptKeys => ({
  id: id!,
  stat: stat!,
  err: err!,
  submitDate: submitDate!,
  doneDate: doneDate!,
  echoAt: whole!.length,
});

/** Reads receipts written in any other way. It is exported so that a test can compare both ways. */
export function searchKeys(text: string): ReceiptKeys {
  const cut = text.slice(0, MAX_LENGTH).toWellFormed(); // The cut may go through a character.
  const echo = echoPattern.exec(cut);
  const head = cut.slice(0, echo?.index ?? cut.length);
  const found = new Map<string, string>();
  for (const { key, value } of findKeys(head, echo === null)) if (!found.has(key)) found.set(key, value);

  const word = (key: string): string | null => found.get(key)?.match(/^[^\s,;]+/)?.[0] ?? null;
  const date = (key: string): string | null => {
    const value = found.get(key) ?? '';
    return zonedDate(value) ?? (value.match(datePattern)?.[0].replace(/\D/g, '').slice(0, 14) || null);
  };
  return {
    id: word('id'),
    // Seen in the wild: "done date:180903120816 DELIVRD err:000", without the key.
    stat: word('stat') ?? wordPattern.exec(head)?.[0] ?? null,
    err: word('err'),
    submitDate: date('submitdate'),
    doneDate: date('donedate'),
    echoAt: echoStart(text),
  };
}

/** A date that says its own zone, as `ReceiptKeys` has it; null for any other. */
export function zonedDate(text: string): string | null {
  const iso = isoPattern.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second = '00', hours = '+00', minutes = '00'] = iso;
    return `${year}${month}${day}${hour}${minute}${second}${hours}${minutes}`;
  }
  const [, digits, quarters, sign] = smppPattern.exec(text) ?? [];
  if (digits === undefined) return null;
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `20${digits}${sign}${twoDigits(Math.floor(Number(quarters) / 4))}${twoDigits((Number(quarters) % 4) * 15)}`;
}

/**
 * Keys up to the echo, each with all that stands before the next one. `echoFollows`: nothing shows where the echo begins behind the
 * last key. Where that key is empty, a message that begins with its code would be the value.
 */
function findKeys(text: string, echoFollows: boolean): Found[] {
  const matches = [...text.matchAll(keyPattern)];
  return matches.map((match, i) => {
    const from = match.index + match[0].length;
    const region = text.slice(from, matches[i + 1]?.index ?? text.length);
    const spaces = region.length - region.trimStart().length;
    const value = region.trim();
    const key = match[1]!.toLowerCase().replace(/[ _]/g, '').replace('status', 'stat').replace('error', 'err');
    const isLast = i === matches.length - 1;
    if (echoFollows && isLast && /^(?:err|stat)$/.test(key) && spaces > 0 && /^\d{4}/.test(value)) {
      return { key, value: '', start: match.index, end: from };
    }
    return { key, value, start: match.index, end: from + spaces + (value.match(/^\S*/)?.[0].length ?? 0) };
  });
}

const STAR = 0x2a;

/**
 * A copy of one whole PDU with the digits of the echo masked, in short_message and in message_payload. In one that can't be
 * decoded, or only in part, and in a message that is no receipt, more is masked than needed: never less. There the phone is, too: such a
 * PDU is kept as it came, for people who may not see numbers.
 */
export function maskFrame(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  if (copy.length < HEADER_OCTETS) return copy.fill(STAR);
  const decoded = decodePdu(copy);
  const messages = decoded.kind === 'pdu' && decoded.damage === undefined ? messagesIn(decoded.pdu) : [];
  if (messages.length > 0) {
    // The decoder's buffers are views of the copy, so masking them masks the copy.
    for (const message of messages) maskEcho(message);
  } else {
    const body = copy.subarray(HEADER_OCTETS);
    const textAt = findReceipt(body);
    maskNumbers(body.subarray(0, textAt));
    maskEcho(body.subarray(textAt));
  }
  return copy;
}

/** Masks in place the digits of addresses, and of times: six in a row. Shorter runs may be octets that are no text. */
function maskNumbers(octets: Buffer): void {
  for (const { index, 0: digits } of octets.toString('latin1').matchAll(/\d{6,}/g))
    octets.fill(STAR, index, index + digits.length);
}

/** The messages in a PDU; none where the command carries none, because the command itself may be damaged. */
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

/** Masks a text in which each character is an octet, as `maskEcho` masks octets. */
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
