// The trunk's hosts as they are known now: in which order they are tried, and whose messages are heard.

import { BlockList, isIPv6 } from 'node:net';
import {
  type Located,
  Locator,
  type Resolver,
  systemResolver,
  type TransportName,
  type TrunkAddress,
} from './locate.ts';
import { type Remote, remoteKey } from './transport/transport.ts';

export interface HostsOptions {
  trunk: TrunkAddress;
  transport: TransportName;
  resolver?: Resolver;
  /** Other addresses, or networks as "192.0.2.0/24", from which the trunk sends. */
  alsoFrom?: readonly string[];
}

/** How long others are tried before a host that was silent. */
const SILENT_MS = 60_000;

/** Addresses that the trunk's name led to, or that the trunk named in its calls, lately. */
const MOST_ADDRESSES = 256;

export class TrunkHosts {
  readonly #options: HostsOptions;
  readonly #resolver: Resolver;
  readonly #locator: Locator;
  readonly #alsoFrom: BlockList;
  readonly #addresses = new Set<string>();
  readonly #silentUntil = new Map<string, number>();

  /** @throws when a line of `alsoFrom` is neither an address nor a network. */
  constructor(options: HostsOptions) {
    this.#options = options;
    this.#resolver = options.resolver ?? systemResolver();
    this.#locator = this.locator(options.trunk.host, options.trunk.port);
    this.#alsoFrom = networks(options.alsoFrom ?? []);
  }

  /**
   * Those that were silent last, the others by their priority, of one priority those with an open connection first. A host that is back is the
   * first one again, whatever connection to another one there is meanwhile (RFC 2782).
   */
  async locate(now: number, isOpenTo: (target: Remote) => boolean): Promise<Located> {
    const located = await this.#locator.locate(now, isOpenTo);
    if (located.kind === 'unresolved') return located;
    for (const { address } of located.targets) this.trust(address);
    const silent = new Set(located.targets.filter((target) => this.#isSilent(target, now)));
    return {
      kind: 'located',
      targets: located.targets.toSorted((a, b) => Number(silent.has(a)) - Number(silent.has(b))),
    };
  }

  /** Once its time is over, the one that asks finds out whether the host is back; until it is heard, the others go where they are answered. */
  #isSilent(target: Remote, now: number): boolean {
    const until = this.#silentUntil.get(remoteKey(target));
    if (until === undefined || until > now) return until !== undefined;
    this.#silentUntil.set(remoteKey(target), now + SILENT_MS);
    return false;
  }

  /** The locator of another host that the trunk has named. */
  locator(host: string, port: number | null): Locator {
    return new Locator({ host, port, transport: this.#options.transport, resolver: this.#resolver });
  }

  isTrunk(address: string): boolean {
    return this.#addresses.has(address) || this.#alsoFrom.check(address, familyOf(address));
  }

  /** Messages from that address are heard from now on. */
  trust(address: string): void {
    this.#addresses.delete(address);
    const [oldest = ''] = this.#addresses;
    if (this.#addresses.size === MOST_ADDRESSES) this.#addresses.delete(oldest);
    this.#addresses.add(address);
  }

  markSilent(target: Remote, now: number): void {
    // Of hosts that the name leads to no more.
    for (const [key, until] of this.#silentUntil) if (until <= now - SILENT_MS) this.#silentUntil.delete(key);
    this.#silentUntil.set(remoteKey(target), now + SILENT_MS);
  }

  markHeard(target: Remote): void {
    this.#silentUntil.delete(remoteKey(target));
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

function networks(lines: readonly string[]): BlockList {
  const list = new BlockList();
  for (const line of lines) {
    const [address = '', prefix] = line.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}
