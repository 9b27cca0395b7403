// What makes a readable message unfit to act on (RFC 3261 section 8.2 and 8.1.3.3, RFC 4475): a request with a fault is answered 400, a
// response with one is dropped.

import { parseCSeq, parseNameAddr, parseVia } from './headers.ts';
import type { SipMessage } from './message.ts';
import { parseDecimal } from './text.ts';

/** Every message has them, once. */
const SINGLE = {
  'call-id': (value: string) => /^[^ \t]+$/.test(value),
  cseq: (value: string) => parseCSeq(value) !== null,
  from: (value: string) => parseNameAddr(value) !== null,
  to: (value: string) => parseNameAddr(value) !== null,
};

/** The fault in words fit for a reason phrase, or null where the message can be acted on. */
export function faultOf(message: SipMessage): string | null {
  for (const [name, isReadable] of Object.entries(SINGLE)) {
    const [value, ...more] = message.headers.get(name) ?? [];
    if (value === undefined) return `Missing ${name}`;
    if (more.length > 0) return `Several ${name}`;
    if (!isReadable(value)) return `Unreadable ${name}`;
  }
  const via = message.headers.get('via')?.[0];
  if (via === undefined) return 'Missing via';
  if (parseVia(via) === null) return 'Unreadable via';
  if (message.method === null) return null;
  if (parseCSeq(message.headers.get('cseq')?.[0] ?? '')?.method !== message.method) return 'CSeq of another method';
  // A request of RFC 2543 has none.
  const forwards = message.headers.get('max-forwards')?.[0];
  return forwards !== undefined && parseDecimal(forwards, 255) === null ? 'Unreadable max-forwards' : null;
}
