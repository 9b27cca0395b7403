// The text of a receipt (SMPP v3.4 appendix B, which every SMSC reads its own way): octets to text, text to its keys, and
// where the echo of the user's message begins. Behind that point nothing is ever parsed: it is somebody else's text.

import { decodeUcs2 } from './text.ts';

export interface ReceiptKeys {
  id: string | null;
  stat: string | null;
  err: string | null;
  /** Digits only. */
  submitDate: string | null;
  doneDate: string | null;
  /** Where the echo of the message begins, in characters; see `echoStart`. */
  echoAt: number;
}

/** No receipt is longer; a hostile one should not be searched for ever. */
const MAX_LENGTH = 1024;

const anyKey = 'id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat(?:us)?|err(?:or)?';
const keyPattern = new RegExp(`\\b(${anyKey})\\s*:`, 'gi');
const firstKeyPattern = new RegExp(`^\\s*(?:${anyKey})\\s*:`, 'i');
const echoPattern = /\btext\s*:/i;
const wordPattern =
  /\b(?:DELIVRD|DELIVERED|EXPIRED|DELETED|UNDELIV|UNDELIVERABLE|ACCEPTD|ACCEPTED|UNKNOWN|REJECTD|REJECTED|ENROUTE)\b/i;
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

/** Some SMSCs write even their receipts in UTF-16BE; told by the zero octets, since data_coding often lies. */
export function isUcs2Receipt(octets: Buffer): boolean {
  if (octets.length < 8 || octets.length % 2 !== 0) return false;
  for (let i = 0; i < 8; i++) if ((octets[i] === 0) !== (i % 2 === 0)) return false;
  return true;
}

/**
 * Receipts are ASCII whatever the default alphabet: read as GSM 7-bit, an underscore in an id would turn into `§`. NULs become
 * spaces, one for one: the echo of an Arabic text is full of them, `@` in GSM 7-bit is one, and no database takes them in text.
 * Nor do they take half a surrogate pair in JSON, which is what is left where an SMSC cut the echo inside a character.
 */
export function receiptText(octets: Buffer): string {
  const text = isUcs2Receipt(octets) ? decodeUcs2(octets).toWellFormed() : octets.toString('latin1');
  return text.includes('\0') ? text.replace(/\0+$/, '').replaceAll('\0', ' ') : text;
}

/**
 * Where the echo of the message begins, in characters: behind `text:`; without it, behind the last key and its value. A text
 * that does not begin with a key is no receipt, or none we know: at once. Whatever is from there on may hold the code.
 */
export function echoStart(text: string): number {
  if (!firstKeyPattern.test(text)) return 0;
  const echo = echoPattern.exec(text);
  return echo === null ? findKeys(text).at(-1)!.end : echo.index + echo[0].length;
}

/** Where the first key stands, in octets of something that can't be decoded; 0 without one. */
export function findReceipt(octets: Buffer): number {
  return findKeys(octets.toString('latin1'))[0]?.start ?? 0;
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

/** For every other way to write one. Apart, so that a test can hold both to the same. */
export function searchKeys(text: string): ReceiptKeys {
  const cut = text.slice(0, MAX_LENGTH);
  const head = cut.slice(0, echoPattern.exec(cut)?.index ?? cut.length);
  const found = new Map<string, string>();
  for (const { key, value } of findKeys(head)) if (!found.has(key)) found.set(key, value);

  const word = (key: string): string | null => found.get(key)?.match(/^[^\s,;]+/)?.[0] ?? null;
  const date = (key: string): string | null =>
    found.get(key)?.match(datePattern)?.[0].replace(/\D/g, '').slice(0, 14) || null;
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

/** Keys up to the echo, each with all that stands before the next one. */
function findKeys(text: string): Found[] {
  const matches = [...text.matchAll(keyPattern)];
  return matches.map((match, i) => {
    const from = match.index + match[0].length;
    const region = text.slice(from, matches[i + 1]?.index ?? text.length);
    const spaces = region.length - region.trimStart().length;
    const value = region.trim();
    const key = match[1]!.toLowerCase().replace(/[ _]/g, '').replace('status', 'stat').replace('error', 'err');
    return { key, value, start: match.index, end: from + spaces + (value.match(/^\S*/)?.[0].length ?? 0) };
  });
}
