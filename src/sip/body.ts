// The session description in a body, alone or beside others: where the telephone network goes on behind a trunk, gateways put its own
// signalling there, too (ISUP, RFC 3204), and every user agent has to find its part (RFC 5621 section 3.1).

import { header } from './headers.ts';
import type { SipMessage } from './message.ts';
import { parseParameters, splitOutside } from './text.ts';

const SDP_PART = /^(?:content-type|c)[ \t]*:[ \t]*application\/sdp[ \t]*(?:;|\r?$)/im;

/**
 * The whole body, where it is not one of several parts; '' where no part is a description. A body of one part is known by its first line:
 * trunks leave out its type, and gateways send ISUP alone.
 */
export function descriptionOf(message: Pick<SipMessage, 'headers' | 'body'>): string {
  const [type = '', ...rest] = splitOutside(header(message, 'content-type'), ';');
  if (!isMultipart(type)) return /^v=0\s/.test(message.body) ? message.body : '';
  const boundary = parseParameters(rest)?.get('boundary') ?? '';
  if (boundary === '') return '';
  // What precedes the first boundary is no part.
  for (const part of `\n${message.body}`.split(`\n--${boundary}`).slice(1)) {
    const [emptyLine] = /\n\r?\n/.exec(part) ?? [];
    const headEnd = emptyLine === undefined ? part.length : part.indexOf(emptyLine);
    // The line end before a boundary is the boundary's.
    if (SDP_PART.test(part.slice(0, headEnd))) return part.slice(headEnd + (emptyLine ?? '').length).replace(/\r$/, '');
  }
  return '';
}

export const isMultipart = (type: string): boolean => /^multipart\//i.test(type);
