// The address of a call's caller: the connection's, or the one that a trusted proxy reports, because limits by address are only as good as
// the address.

import { isInside, type Network, parseAddress, parseNetwork } from '../../core/limits/addresses.ts';

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

/** `proxies` is asked at every call, so that a reload of the settings holds at once. */
export function clientAddresses(proxies: () => readonly string[]): ClientAddresses {
  let read: readonly string[] = [];
  let networks: Network[] = [];
  const isTrusted = (address: string): boolean => {
    const current = proxies();
    if (current !== read) {
      read = current;
      networks = current.flatMap((text) => parseNetwork(text) ?? []);
    }
    const parsed = networks.length === 0 ? null : parseAddress(address);
    return parsed !== null && networks.some((network) => isInside(network, parsed));
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
  return parseAddress(bare)?.toString() ?? null; // `::ffff:c000:201` is `192.0.2.1`, too.
}
