// The address of a call's caller: the connection's, or the one that a trusted proxy reports; and the key under which callers are
// counted, because limits by address are only as good as the address.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface ClientAddresses {
  /** Whether the address is one of our own proxies: a connection of theirs is many people's. */
  isTrusted(address: string): boolean;
  /**
   * The caller's address. `peer` is the other end of the connection. `forwardedFor` is `X-Forwarded-For`, several headers of that
   * name joined with commas; it is read only where `peer` is a trusted proxy, since any other caller may write anything into it.
   */
  of(peer: string, forwardedFor: string | undefined): string;
}

/** IPv4 in its own form (`::ffff:10.0.0.1` is `10.0.0.1`), other addresses as they are. */
export const plainAddress = (address: string | undefined): string => address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? '';

/** The unit that limits count as one caller: an IPv4 address, or an IPv6 network of 64 bits, the size that one subscriber gets. */
export function callerOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An address without a length is a network of its own. @throws where it is neither: the configuration takes no such thing. */
function readNetwork(text: string): Network {
  const [address = '', bits] = text.split('/');
  const parsed = ipaddr.parse(address);
  return [parsed, bits === undefined ? (parsed.kind() === 'ipv4' ? 32 : 128) : Number(bits)];
}

/** `proxies` is asked at every call, so that a reload of the settings holds at once. */
export function clientAddresses(proxies: () => readonly string[]): ClientAddresses {
  let read: readonly string[] = [];
  let networks: Network[] = [];
  const isTrusted = (address: string): boolean => {
    const current = proxies();
    if (current !== read) {
      read = current;
      networks = current.map(readNetwork);
    }
    if (networks.length === 0 || isIP(address) === 0) return false;
    const parsed = ipaddr.process(address);
    return networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network));
  };
  return {
    isTrusted,
    of(peer, forwardedFor) {
      if (forwardedFor === undefined || !isTrusted(peer)) return peer;
      let client = peer;
      // Each proxy appends the address of its own caller: from the right, the first address that is not a proxy of ours is the caller's. What stands
      // to its left was written by the caller.
      for (const entry of forwardedFor.split(',').reverse()) {
        const address = addressIn(entry);
        if (address === null) return client;
        client = address;
        if (!isTrusted(client)) return client;
      }
      return client;
    },
  };
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. Null where there is no address. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (isIP(bare) === 0 || bare.includes('%')) return null;
  return isIP(bare) === 4 ? bare : ipaddr.process(bare).toString(); // `::ffff:c000:201` is `192.0.2.1`, too.
}
