// The end user behind a send, as the caller describes it: address, user agent, device. Values are counted by a keyed hash, and stored nowhere.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { KeyRing, RingKey } from '../secrets/key-ring.ts';
import { type Refusal, refused } from '../verify/event.ts';
import { callerOf, isShared, parseAddress } from './addresses.ts';

/** The end user as the caller gave it; an empty value was not given. */
export interface AskedClient {
  ip: string;
  userAgent: string;
  deviceId: string;
}

/** What sends are counted by; absent = not given, or shared by too many to be counted. */
export interface ClientSignals {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  ip?: string;
  userAgent?: string;
  deviceId?: string;
}

/** The address must be one; an address that is not public is no end user's, and is left out. */
export function readClient({ ip, userAgent, deviceId }: AskedClient): { kind: 'ok'; client: ClientSignals } | Refusal {
  const address = ip === '' ? null : parseAddress(ip);
  if (ip !== '' && !address)
    return refused('invalid_argument', 'client.ip', 'must be an IPv4 or IPv6 address, e.g. 203.0.113.7');
  return {
    kind: 'ok',
    client: {
      ...(address && !isShared(address) ? { ip: callerOf(address.toString()) } : {}),
      ...(userAgent === '' ? {} : { userAgent }),
      ...(deviceId === '' ? {} : { deviceId }),
    },
  };
}

/** Bytes of a hash that are kept: too many for two values to meet, and in an index twice as short as all of them. */
const hashBytes = 16;

/** Of one account alone: what two accounts say of one end user has nothing in common. `signal`: the name of what `value` is. */
export function clientHash(ring: KeyRing, accountId: string, signal: string, value: string): string {
  return hashUnder(keyOf(ring.current(purposeOf(ring))), accountId, signal, value);
}

/** What `clientHash` was before each rotation whose old key the ring still has. A key that is to become the current one was none yet. */
export function formerClientHashes(ring: KeyRing, accountId: string, signal: string, value: string): string[] {
  const purpose = purposeOf(ring);
  const [current, next] = [ring.current(purpose).id, ring.next(purpose)?.id];
  const old = ring.all(purpose).filter(({ id }) => id !== current && id !== next);
  return old.map((key) => hashUnder(keyOf(key), accountId, signal, value));
}

function hashUnder(key: KeyObject, accountId: string, signal: string, value: string): string {
  const hash = createHmac('sha256', key).update(`${accountId}\n${signal}\n${value}`).digest();
  return hash.subarray(0, hashBytes).toString('base64url');
}

/** A ring made before there was a key for this counts all the same. */
const purposeOf = (ring: KeyRing) => (ring.has('signals') ? 'signals' : 'code');

/** The label keeps a derived key apart from what `code` is used for itself. */
const keyOf = ({ purpose, key }: RingKey): KeyObject =>
  purpose === 'code' ? createSecretKey(createHmac('sha256', key).update('signals\n').digest()) : key;
