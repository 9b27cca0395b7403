// Headers of a SIP message, read when they are needed: addresses, Via, CSeq, Reason, Session-Expires, Retry-After. Everything that
// cannot be read is null, and the one who asks decides what that means.

import type { SipMessage } from './message.ts';
import { endOfQuoted, isToken, parseDecimal, parseParameters, splitOutside, trim, unquote } from './text.ts';

const MAX_UINT32 = 0xffff_ffff;

type Headers = Pick<SipMessage, 'headers'>;

/** The first header line of that name (full, lower case) as it stands, or ''. */
export const header = (message: Headers, name: string): string => message.headers.get(name)?.[0] ?? '';

/** All values of a header that is a list, in order: of every line, split at commas outside of quotes and `<>`. */
export function values(message: Headers, name: string): string[] {
  const lines = message.headers.get(name) ?? [];
  return lines.flatMap((line) => splitOutside(line, ',')).filter((value) => value !== '');
}

export interface NameAddr {
  display: string | null;
  /** With any scheme; without `<>`. */
  uri: string;
  /** Those of the header (`tag`, `q`, `expires`), not those of the URI. */
  parameters: ReadonlyMap<string, string>;
}

/** From, To, Contact, Route (section 20.10); the first address where there are several. */
export function parseNameAddr(text: string): NameAddr | null {
  const [first = ''] = splitOutside(text, ',');
  const [address = '', ...rest] = splitOutside(first, ';');
  const parameters = parseParameters(rest);
  const named = splitDisplay(address);
  if (parameters === null || named === null) return null;
  if (!/^[A-Za-z][-A-Za-z0-9+.]*:[!#-;=?-~\x80-\xff]+$/.test(named.uri)) return null;
  return { ...named, parameters };
}

function splitDisplay(address: string): { display: string | null; uri: string } | null {
  const quotedEnd = address.startsWith('"') ? endOfQuoted(address, 0) : 0;
  if (quotedEnd < 0) return null;
  const open = address.indexOf('<', quotedEnd);
  // Without <> a URI may have no question mark and no comma: they would belong to the header (section 20.10).
  if (open < 0) return quotedEnd > 0 || address.includes('?') ? null : { display: null, uri: address };
  const close = address.indexOf('>', open);
  if (close < 0) return null;
  const name = quotedEnd > 0 ? unquote(address.slice(0, quotedEnd)) : trim(address.slice(0, open));
  return { display: name === '' ? null : name, uri: trim(address.slice(open + 1, close)) };
}

/** The tag of a From or To; null without one. */
export const tagOf = (text: string): string | null => parseNameAddr(text)?.parameters.get('tag') || null;

/** `4711 INVITE`; null for a number beyond 32 bits (section 8.1.1.5). */
export function parseCSeq(text: string): { number: number; method: string } | null {
  const [digits = '', method = '', ...more] = trim(text).split(/[ \t]+/);
  const number = parseDecimal(digits, MAX_UINT32);
  return number === null || !isToken(method) || more.length > 0 ? null : { number, method };
}

export interface Via {
  /** In capital letters: UDP, TCP, TLS. */
  transport: string;
  /** An IPv6 address stands without brackets. */
  host: string;
  port: number | null;
  branch: string | null;
  /** `received` and `rport` among them; a name alone has the value ''. */
  parameters: ReadonlyMap<string, string>;
}

/** The first Via of a header line (section 20.42). */
export function parseVia(text: string): Via | null {
  const [first = ''] = splitOutside(text, ',');
  const [sent = '', ...rest] = splitOutside(first, ';');
  const parameters = parseParameters(rest);
  const [, transport = '', by = ''] =
    /^SIP[ \t]*\/[ \t]*2\.0[ \t]*\/[ \t]*([^ \t]+)[ \t]+([^ \t].*)$/is.exec(sent) ?? [];
  const place = parseSentBy(by);
  if (parameters === null || !isToken(transport) || place === null) return null;
  return { transport: transport.toUpperCase(), ...place, branch: parameters.get('branch') || null, parameters };
}

function parseSentBy(text: string): { host: string; port: number | null } | null {
  const bracket = text.startsWith('[') ? text.indexOf(']') : 0;
  const colon = text.indexOf(':', Math.max(bracket, 0));
  const written = trim(colon < 0 ? text : text.slice(0, colon));
  const host = bracket > 0 ? written.slice(1, -1) : written;
  if (bracket < 0 || !/^[-A-Za-z0-9._:]+$/.test(host)) return null;
  if (colon < 0) return { host, port: null };
  const port = parseDecimal(trim(text.slice(colon + 1)), 65_535);
  return port ? { host, port } : null;
}

/** Why a call ended, by the telephone network (Reason header, RFC 3326): 17 = busy. Null where nothing says so. */
export function q850Of(message: Headers): number | null {
  for (const value of values(message, 'reason')) {
    const [protocol = '', ...rest] = splitOutside(value, ';');
    if (protocol.toUpperCase() !== 'Q.850') continue;
    const cause = parseDecimal(parseParameters(rest)?.get('cause') ?? '', 127);
    if (cause !== null) return cause;
  }
  return null;
}

/** Causes that say that the phone was reached, whatever the SIP code is: 17 user busy, 19 no answer from the user. */
export const isOfThePhone = (q850: number | null): boolean => q850 === 17 || q850 === 19;

export interface SessionExpires {
  seconds: number;
  refresher: 'uac' | 'uas' | null;
}

/** RFC 4028 section 4. */
export function parseSessionExpires(text: string): SessionExpires | null {
  const [delta = '', ...rest] = splitOutside(text, ';');
  const seconds = parseDecimal(delta, MAX_UINT32);
  if (seconds === null) return null;
  const refresher = parseParameters(rest)?.get('refresher')?.toLowerCase();
  return { seconds, refresher: refresher === 'uac' || refresher === 'uas' ? refresher : null };
}

/** Seconds to wait as the answer asks (section 20.33); null without a readable Retry-After. */
export function retryAfterOf(message: Headers): number | null {
  const [digits = ''] = /^[0-9]+/.exec(header(message, 'retry-after')) ?? [];
  return parseDecimal(digits, MAX_UINT32);
}
