// The writer of SIP messages (RFC 3261 section 7). Nothing that is written can end its own line: a value may come from a stranger's
// header or from a setting, and a CR or LF in it would make headers of its own.

import { isToken, percentEncode, toOctets, trim } from './text.ts';

export type HeaderLine = readonly [name: string, value: string];

/** @throws TypeError where the method or the name of a header is no token: a mistake of the caller, never of a peer. */
export function writeRequest(method: string, uri: string, headers: readonly HeaderLine[], body = ''): Buffer {
  if (!isToken(method)) throw new TypeError('not a method');
  return write(`${method} ${oneWord(uri)} SIP/2.0`, headers, body);
}

/** @throws TypeError where the status is not 100 to 699 or the name of a header is no token. */
export function writeResponse(status: number, reason: string, headers: readonly HeaderLine[], body = ''): Buffer {
  if (!Number.isInteger(status) || status < 100 || status > 699) throw new TypeError('not a status');
  return write(`SIP/2.0 ${status} ${oneLine(reason)}`, headers, body);
}

/** Content-Length is always written, here alone: TCP needs it, and a second one would contradict it. */
function write(startLine: string, headers: readonly HeaderLine[], body: string): Buffer {
  const octets = toOctets(body);
  let text = `${startLine}\r\n`;
  for (const [name, value] of headers) {
    if (!isToken(name)) throw new TypeError('not the name of a header');
    if (!/^(?:content-length|l)$/i.test(name)) text += `${name}: ${oneLine(value)}\r\n`;
  }
  return Buffer.from(`${text}Content-Length: ${octets.length}\r\n\r\n${octets}`, 'latin1');
}

/** A line end becomes a blank, as a folded line would. */
const oneLine = (text: string): string => trim(toOctets(text).replace(/[\r\n]+/g, ' '));

/** A request URI that came with a blank or a control character is escaped: it would be read as two parts of the start line. */
const oneWord = (uri: string): string => percentEncode(uri, /[^!-~]/g);
