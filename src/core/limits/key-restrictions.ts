// The rule `key_restriction`: what one API key may be used for. A key that another key makes is restricted at least as much as that one, or a
// stolen key would make itself a free one.

import { contains, isInside, parseAddress, parseNetwork } from './addresses.ts';
import type { Finding } from './verdict.ts';

export interface KeyRestrictions {
  /** Addresses and networks (CIDR) that calls may come from; empty = any. */
  addresses: readonly string[];
  /** Beginnings of the numbers that codes may be sent to; empty = any. */
  prefixes: readonly string[];
  /** Null = as many as the account may. */
  sendsPerDay: number | null;
  /** Of the keys that this one descends from: its sends are sends of theirs, or a key would multiply itself. Absent = of none. */
  within?: readonly DayLimit[];
}

/** What a new key may ask for. */
type RestrictionPart = 'addresses' | 'prefixes' | 'sendsPerDay';

export interface DayLimit {
  keyId: string;
  sendsPerDay: number;
}

export const unrestricted: KeyRestrictions = { addresses: [], prefixes: [], sendsPerDay: null };

/** Every limit that a send of the key counts in. */
export const dayLimits = (keyId: string, { sendsPerDay, within = [] }: KeyRestrictions): DayLimit[] => [
  ...(sendsPerDay === null ? [] : [{ keyId, sendsPerDay }]),
  ...within,
];

/** The restrictions of a key that another one makes. What is not asked for is that key's own. `wider`: where it asks for more than that one has. */
export function inherited(
  parent: { keyId: string; restrictions: KeyRestrictions },
  asked: KeyRestrictions,
): { kind: 'ok'; restrictions: KeyRestrictions | null } | { kind: 'wider'; part: RestrictionPart } {
  const { addresses, prefixes, sendsPerDay } = parent.restrictions;
  const wanted = {
    addresses: asked.addresses.length > 0 ? asked.addresses : addresses,
    prefixes: asked.prefixes.length > 0 ? asked.prefixes : prefixes,
    sendsPerDay: asked.sendsPerDay ?? sendsPerDay,
  };
  const part = widerPart(parent.restrictions, wanted);
  if (part) return { kind: 'wider', part };
  const within = dayLimits(parent.keyId, parent.restrictions);
  const restrictions = { ...wanted, ...(within.length > 0 ? { within } : {}) };
  return { kind: 'ok', restrictions: isUnrestricted(restrictions) ? null : restrictions };
}

const isUnrestricted = ({ addresses, prefixes, sendsPerDay }: KeyRestrictions): boolean =>
  addresses.length === 0 && prefixes.length === 0 && sendsPerDay === null;

/** Whether a call may come from `peer`. What is no address is none of them. */
export function mayCallFrom(addresses: readonly string[], peer: string): boolean {
  if (addresses.length === 0) return true;
  const address = parseAddress(peer);
  return address !== null && addresses.some((text) => isInsideText(text, address));
}

function isInsideText(text: string, address: NonNullable<ReturnType<typeof parseAddress>>): boolean {
  const network = parseNetwork(text);
  return network !== null && isInside(network, address);
}

/** `to` in E.164. */
export function keyPrefixes(to: string, prefixes: readonly string[]): Finding | null {
  if (prefixes.length === 0 || prefixes.some((prefix) => to.startsWith(prefix))) return null;
  return { rule: 'key_restriction', reason: 'prefix', field: 'to' };
}

/** What is found where the key has made its sends of the day. */
export const keyLimited: Finding = { rule: 'key_restriction', reason: 'sends_per_day' };

/** Part of the restrictions in which `child` allows what `parent` does not; null = none. */
function widerPart(parent: KeyRestrictions, child: KeyRestrictions): RestrictionPart | null {
  if (isWider(parent.addresses, child.addresses, isNetworkWithin)) return 'addresses';
  if (isWider(parent.prefixes, child.prefixes, (outer, inner) => inner.startsWith(outer))) return 'prefixes';
  const { sendsPerDay } = child;
  if (parent.sendsPerDay !== null && (sendsPerDay === null || sendsPerDay > parent.sendsPerDay)) return 'sendsPerDay';
  return null;
}

function isWider(
  parent: readonly string[],
  child: readonly string[],
  covers: (outer: string, inner: string) => boolean,
): boolean {
  if (parent.length === 0) return false;
  return child.length === 0 || child.some((inner) => !parent.some((outer) => covers(outer, inner)));
}

function isNetworkWithin(outer: string, inner: string): boolean {
  const [one, other] = [parseNetwork(outer), parseNetwork(inner)];
  return one !== null && other !== null && contains(one, other);
}
