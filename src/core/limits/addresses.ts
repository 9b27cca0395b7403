// Addresses and networks of the internet: parsed strictly, matched, and counted by the unit that one subscriber has.

import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * A translator on the way (RFC 6052) writes IPv4 addresses so: of callers where it stands before an IPv6 service (SIIT), and of names without IPv6
 * where it stands before the internet (NAT64, DNS64).
 */
const translated = ipaddr.parseCIDR('64:ff9b::/96');

/** The IPv4 address that an IPv6 address stands for, mapped (`::ffff:10.0.0.1`) or translated; any other as it is. @throws where it is none. */
export function plainForm(text: string): Address {
  const address = ipaddr.process(text);
  const isTranslated = address.kind() === 'ipv6' && address.match(translated);
  return isTranslated ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
}

/** Dotted decimals without leading zeros, or the text forms of RFC 4291 section 2.2 without a zone, in plain form. */
export function parseAddress(text: string): Address | null {
  return isIPv4(text) || isIPv6(text) ? plainForm(text) : null;
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

/** Bits that a mapped or translated address has before the IPv4 address. */
const mappedBits = 96;

/** CIDR notation; an address without a length is a network of its own. One of mapped or translated addresses is a network of IPv4, as they are. */
export function parseNetwork(text: string): Network | null {
  const [given = '', length, ...more] = text.split('/');
  if (!parseAddress(given) || more.length > 0) return null;
  const most = isIPv4(given) ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > most)) return null;
  const bits = length === undefined ? most : Number(length);
  const mapped = most === 128 && bits >= mappedBits ? plainForm(given) : null;
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
  const plain = plainForm(address);
  if (!(plain instanceof ipaddr.IPv6)) return plain.toString();
  const { parts } = plain;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Ranges of addresses that no caller on the internet has: behind such a one are many people, or a proxy of one's own. */
const shared = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'unspecified', 'carrierGradeNat'];

export const isShared = (address: Address): boolean => shared.includes(address.range());
