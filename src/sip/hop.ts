// Where a message goes next: a request of ours by its Route or request URI (RFC 3261 section 8.1.2), an answer of ours by the Via of
// the request (section 18.2.2, RFC 3581).

import { isIPv4, isIPv6 } from 'node:net';
import { header, parseNameAddr, parseVia, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import { splitOutside } from './text.ts';
import type { Remote } from './transport/transport.ts';
import { parseUri } from './uri.ts';

/** Writes into the first Via of a request where the request really came from, so that its answer goes back there. */
export function markReceived(request: SipMessage, from: Remote): SipMessage {
  const [first = '', ...others] = values(request, 'via');
  const via = parseVia(first);
  if (via === null) return request;
  // What the sender itself wrote there is worth nothing.
  const plain = splitOutside(first, ';')
    .filter((part) => !/^(?:received|rport)\s*(?:=|$)/i.test(part))
    .join(';');
  const received = via.host === from.address ? '' : `;received=${from.address}`;
  const rport = via.parameters.has('rport') ? `;rport=${from.port}` : '';
  return { ...request, headers: new Map(request.headers).set('via', [`${plain}${received}${rport}`, ...others]) };
}

/** Where the answer goes to a request that went through `markReceived`; null where its Via can't be read. */
export function answerTarget(answer: Pick<SipMessage, 'headers'>, defaultPort: number): Remote | null {
  const via = parseVia(header(answer, 'via'));
  if (via === null) return null;
  const rport = Number(via.parameters.get('rport') || 0);
  return { address: via.parameters.get('received') ?? via.host, port: rport || (via.port ?? defaultPort) };
}

/** `host` may be a name. */
export interface Hop {
  host: string;
  port: number | null;
}

/**
 * The first Route, else the request URI, which a strict router has put itself into (section 12.2.1.1). Null where it is no SIP URI. Its
 * scheme and transport are passed over: a trunk has one.
 */
export function nextHop(request: SipMessage): Hop | null {
  const [route = ''] = values(request, 'route');
  const loose = parseUri(parseNameAddr(route)?.uri ?? '');
  const uri = loose?.parameters.has('lr') ? loose : parseUri(request.uri ?? '');
  if (uri === null || uri.host === '') return null;
  // maddr says where to really send it (section 19.1.1).
  return { host: uri.parameters.get('maddr') || uri.host, port: uri.port };
}

/**
 * Whether an address that the trunk named in a Contact or Record-Route can be reached from where the trunk is reached. A private one
 * from a public trunk is a trunk behind NAT that does not know its own address: the call would never end there.
 */
export function isWithinReach(address: string, trunk: string): boolean {
  const [there, here] = [scopeOf(address), scopeOf(trunk)];
  return there === 'public' || there === here || (there === 'private' && here === 'loopback');
}

function scopeOf(address: string): 'public' | 'private' | 'loopback' | 'nowhere' {
  if (isIPv4(address)) {
    const [first = 0, second = 0] = address.split('.').map(Number);
    if (first === 127) return 'loopback';
    if (first === 0 || first >= 224) return 'nowhere';
    const isPrivate =
      first === 10 ||
      (first === 172 && second >= 16 && second < 32) ||
      (first === 192 && second === 168) ||
      // Between a carrier and its customers (RFC 6598), and link-local addresses (RFC 3927).
      (first === 100 && second >= 64 && second < 128) ||
      (first === 169 && second === 254);
    return isPrivate ? 'private' : 'public';
  }
  if (!isIPv6(address) || address === '::' || /^ff/i.test(address)) return 'nowhere';
  if (address === '::1') return 'loopback';
  return /^f[cde]/i.test(address) ? 'private' : 'public';
}
