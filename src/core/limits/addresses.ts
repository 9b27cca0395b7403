// Addresses and networks of the internet: parsed strictly, matched, and counted by the unit that one subscriber has.

import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Dotted decimals without leading zeros, or the text forms of RFC 4291 section 2.2 without a zone. An IPv4-mapped IPv6 address is IPv4. */
export function parseAddress(text: string): Address | null {
  return isIPv4(text) || isIPv6(text) ? ipaddr.process(text) : null;
}

const isIPv4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

/** Behind the last colon the library takes octal and hexadecimal numbers, too. */
function isIPv6(text: string): boolean {
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return false;
  return !text.includes('.') || isIPv4(text.slice(text.lastIndexOf(':') + 1));
}

export interface Network {
  address: Address;
  /** Leading bits that count. */
  bits: number;
}

/** Bits that an IPv4-mapped IPv6 address has before the IPv4 address. */
const mappedBits = 96;

/** CIDR notation; an address without a length is a network of its own. One of IPv4-mapped addresses is a network of IPv4, as they are. */
export function parseNetwork(text: string): Network | null {
  const [given = '', length, ...more] = text.split('/');
  if (!parseAddress(given) || more.length > 0) return null;
  const most = isIPv4(given) ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > most)) return null;
  const bits = length === undefined ? most : Number(length);
  const mapped = most === 128 && bits >= mappedBits ? ipaddr.process(given) : null;
  if (mapped?.kind() === 'ipv4') return { address: mapped, bits: bits - mappedBits };
  return { address: ipaddr.parse(given), bits };
}

/** An address of the other kind is in no network. */
export const isInside = ({ address, bits }: Network, other: Address): boolean =>
  other.kind() === address.kind() && other.match(address, bits);

/** Whether every address of `inner` is in `outer`. */
export const contains = (outer: Network, inner: Network): boolean =>
  inner.bits >= outer.bits && isInside(outer, inner.address);

/** The unit that limits count as one caller: an IPv4 address, or an IPv6 network of 64 bits, the size that one subscriber gets. */
export function callerOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Ranges of addresses that no caller on the internet has: behind such a one are many people, or a proxy of one's own. */
const shared = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'unspecified', 'carrierGradeNat'];

export const isShared = (address: Address): boolean => shared.includes(address.range());
