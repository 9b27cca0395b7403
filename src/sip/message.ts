// A SIP message read from octets (RFC 3261 section 7). The reader is as tolerant as RFC 4475 asks, because a call that rings must not
// be lost over a blank, but refuses what has two readings: another length, another version, a start line that is none.

import { isToken, parseDecimal, trim } from './text.ts';

/** The most that one UDP datagram can hold; TCP has the same limit, so that both ends of a call are treated alike. */
export const MAX_MESSAGE_OCTETS = 65_535;
const MAX_HEADERS = 256;

export interface SipMessage {
  /** Null in a response. */
  method: string | null;
  /** The request URI as it stands; null in a response. */
  uri: string | null;
  /** 100 to 699; 0 in a request. */
  status: number;
  reason: string;
  /** By full name in lower case, compact forms expanded: one value a header line, unfolded and trimmed. */
  headers: ReadonlyMap<string, readonly string[]>;
  /** One character an octet (latin1). */
  body: string;
}

export interface Head {
  startLine: string;
  headers: Map<string, string[]>;
  /** Where the body begins. */
  end: number;
}

/** RFC 3261 section 7.3.3, and those registered after it. */
const COMPACT = new Map<string, string>([
  ['a', 'accept-contact'],
  ['b', 'referred-by'],
  ['c', 'content-type'],
  ['d', 'request-disposition'],
  ['e', 'content-encoding'],
  ['f', 'from'],
  ['i', 'call-id'],
  ['j', 'reject-contact'],
  ['k', 'supported'],
  ['l', 'content-length'],
  ['m', 'contact'],
  ['n', 'identity-info'],
  ['o', 'event'],
  ['r', 'refer-to'],
  ['s', 'subject'],
  ['t', 'to'],
  ['u', 'allow-events'],
  ['v', 'via'],
  ['x', 'session-expires'],
  ['y', 'identity'],
]);

/**
 * The message in one datagram, or in one frame of a stream; null for what is not SIP/2.0 or cannot be cut safely. Octets behind
 * Content-Length are ignored, and without one the body is the rest (section 18.3). Never throws.
 */
export function parseMessage(bytes: Buffer): SipMessage | null {
  if (bytes.length > MAX_MESSAGE_OCTETS) return null;
  const text = bytes.toString('latin1');
  const head = parseHead(text);
  const start = head && parseStartLine(head.startLine);
  if (!head || !start) return null;
  const length = contentLengthOf(head.headers) ?? text.length - head.end;
  if (length < 0 || length > text.length - head.end) return null;
  return { ...start, headers: head.headers, body: text.slice(head.end, head.end + length) };
}

/** Everything up to the empty line; null where that line is missing or there are more than 256 headers. */
export function parseHead(text: string): Head | null {
  let at = 0;
  while (text[at] === '\r' || text[at] === '\n') at += 1; // keep-alives before a message (section 7.5)
  let startLine: string | null = null;
  const lines: string[] = [];
  for (;;) {
    const newline = text.indexOf('\n', at);
    if (newline < 0) return null;
    const line = text.slice(at, text[newline - 1] === '\r' ? newline - 1 : newline);
    at = newline + 1;
    if (startLine === null) {
      startLine = line;
    } else if (line === '') {
      return { startLine, headers: parseHeaders(lines), end: at };
    } else if (line[0] === ' ' || line[0] === '\t') {
      if (lines.length === 0) return null; // a start line is never folded
      lines[lines.length - 1] += ` ${trim(line)}`;
    } else {
      if (lines.length === MAX_HEADERS) return null;
      lines.push(line);
    }
  }
}

/** A line that is no header is passed over: what this side does not need must not fail a call (section 16.3). */
function parseHeaders(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const written = trim(line.slice(0, Math.max(colon, 0))).toLowerCase();
    if (!isToken(written)) continue;
    const name = COMPACT.get(written) ?? written;
    const value = trim(line.slice(colon + 1).replaceAll('\r', ' '));
    const values = headers.get(name);
    if (values) values.push(value);
    else headers.set(name, [value]);
  }
  return headers;
}

/** Octets of the body; null without the header, -1 where it is no number or where two of them differ. */
export function contentLengthOf(headers: ReadonlyMap<string, readonly string[]>): number | null {
  const values = headers.get('content-length');
  if (values === undefined) return null;
  const lengths = new Set(values.map((value) => parseDecimal(value, MAX_MESSAGE_OCTETS) ?? -1));
  const [length = -1] = lengths;
  return lengths.size === 1 ? length : -1;
}

type StartLine = Pick<SipMessage, 'method' | 'uri' | 'status' | 'reason'>;

/** Blanks between and behind the parts are tolerated (RFC 4475 lwsstart, trws), those inside the URI are not (lwsruri). */
function parseStartLine(line: string): StartLine | null {
  if (/^SIP\//i.test(line)) {
    const [, status = '', reason = ''] = /^SIP\/2\.0[ \t]+([1-6][0-9]{2})(?:[ \t](.*))?$/is.exec(line) ?? [];
    return status === ''
      ? null
      : { method: null, uri: null, status: Number(status), reason: trim(reason.replaceAll('\r', ' ')) };
  }
  const [method = '', uri = '', version = '', ...more] = line.split(/[ \t]+/);
  if (!isToken(method) || uri === '' || version.toUpperCase() !== 'SIP/2.0' || more.some((part) => part !== ''))
    return null;
  return { method, uri, status: 0, reason: '' };
}
