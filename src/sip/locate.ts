// A trunk's hosts, best first (RFC 3263): its address as configured leads by way of SRV, A and AAAA records to the places to try.
// Records are read again every 30 s, because Node does not give their TTL; the last ones known stay in use while the DNS is silent.

import { Resolver as DnsResolver, lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { plainAddress, type Remote } from './transport/transport.ts';

export type TransportName = 'udp' | 'tcp' | 'tls';

export interface SrvRecord {
  name: string;
  port: number;
  priority: number;
  weight: number;
}

/** A target of "." says that there is no service (RFC 2782), and nothing listens at port 0. */
const isService = ({ name, port }: SrvRecord): boolean => port > 0 && name !== '' && name !== '.';

/** Both reject as node:dns does, with a `code`. */
export interface Resolver {
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(name: string): Promise<readonly string[]>;
}

export interface TrunkAddress {
  /** A host name or an address. */
  host: string;
  /** Null = what SRV records say, else the transport's own port. */
  port: number | null;
}

export const defaultPort = (transport: TransportName): number => (transport === 'tls' ? 5061 : 5060);

/** Reads "name", "name:5080", "192.0.2.1", "192.0.2.1:5080", "2001:db8::1", "[2001:db8::1]:5080"; null for anything else. */
export function parseTrunkAddress(text: string): TrunkAddress | null {
  if (isIPv6(text)) return { host: text, port: null };
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = digits === undefined ? null : Number(digits);
  if (host === undefined || port === 0 || (port !== null && port > 65_535)) return null;
  const isGood = inBrackets === undefined ? isIP(host) === 4 || isHostName(host) : isIPv6(host);
  return isGood ? { host, port } : null;
}

/** RFC 1123 section 2.1; "_" is met in private zones. A name whose last label is a number is a mistyped address. */
const isHostName = (text: string): boolean =>
  text.length <= 253 && /^(?:\w(?:[\w-]{0,61}\w)?\.)*(?!\d+\.?$)\w(?:[\w-]{0,61}\w)?\.?$/.test(text);

/**
 * The resolver of this machine. Addresses come from the hosts file and the DNS, as for every other program.
 * @param servers DNS servers ("192.0.2.53:53") to ask instead, for addresses as well.
 */
export function systemResolver(servers: readonly string[] | null = null): Resolver {
  // Node reads the machine's servers when a resolver is made, and never again: each reading has its own.
  const asked = () => {
    // A question that was lost is asked again within the time of the services.
    const dns = new DnsResolver({ timeout: 1_000, tries: 2 });
    if (servers !== null) dns.setServers([...servers]);
    return dns;
  };
  return {
    srv: (name) => asked().resolveSrv(name),
    addresses: async (name) => {
      if (servers === null) return (await lookup(name, { all: true })).map(({ address }) => address);
      const dns = asked();
      const found = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
      const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      if (addresses.length === 0 && found[0].status === 'rejected') throw found[0].reason;
      return addresses;
    },
  };
}

/** Sorts by priority and draws by weight (RFC 2782), so that equal hosts share the calls. @param random from 0 to below 1. */
export function orderRecords<R extends SrvRecord>(records: readonly R[], random: () => number): R[] {
  // Weight 0 first: such a host is drawn only now and then beside others.
  const left = records.toSorted((a, b) => a.priority - b.priority || a.weight - b.weight);
  const ordered: R[] = [];
  while (left.length > 0) {
    const equals = left.filter(({ priority }) => priority === left[0]?.priority);
    const drawn = Math.floor(random() * (equals.reduce((sum, { weight }) => sum + weight, 0) + 1));
    let running = 0;
    const index = equals.findIndex(({ weight }) => {
      running += weight;
      return running >= drawn;
    });
    ordered.push(...left.splice(index, 1));
  }
  return ordered;
}

export type Located = { kind: 'located'; targets: readonly Remote[] } | { kind: 'unresolved'; why: string };

export interface LocatorOptions extends TrunkAddress {
  transport: TransportName;
  /** Default: `systemResolver()`. */
  resolver?: Resolver;
  /** How long records are used before they are read again. Default 30 000. */
  reuseMs?: number;
  /** How long one reading may take. Default 5 000. */
  timeoutMs?: number;
  random?(): number;
}

interface Host extends SrvRecord {
  addresses: readonly string[];
  /** Whether an SRV record names it; else it is the trunk's name itself. */
  isNamed: boolean;
}

/** The part of a reading that the question for services may take: what is left is enough for that of addresses. */
const servicesShare = 2 / 5;

/** More hosts than a trunk has: a wrong or hostile zone does not fill the memory. */
const MOST_HOSTS = 16;

export class Locator {
  readonly #options: LocatorOptions;
  readonly #resolver: Resolver;
  #hosts: readonly Host[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<string | null> | null = null;

  constructor(options: LocatorOptions) {
    this.#options = options;
    this.#resolver = options.resolver ?? systemResolver();
  }

  /** Never rejects. @param now ms of any one clock. @param isPreferred Hosts that come first among those of their priority. */
  async locate(now: number, isPreferred: (target: Remote) => boolean = () => false): Promise<Located> {
    const { host, port, transport, reuseMs = 30_000, random = Math.random } = this.#options;
    if (isIP(host) !== 0)
      return { kind: 'located', targets: [{ address: plainAddress(host), port: port ?? defaultPort(transport) }] };
    let failure: string | null = null;
    if (now - this.#readAt >= reuseMs) {
      this.#reading ??= this.#read(now).finally(() => {
        this.#reading = null;
      });
      failure = await this.#reading;
    }
    const found = orderRecords(this.#hosts, random).flatMap(({ addresses, port: at, priority }) =>
      addresses.map((address) => ({ priority, target: { address: plainAddress(address), port: at } })),
    );
    const later = ({ target }: { target: Remote }): number => (isPreferred(target) ? 0 : 1);
    const targets = found
      .toSorted((a, b) => a.priority - b.priority || later(a) - later(b))
      .map(({ target }) => target);
    if (targets.length > 0) return { kind: 'located', targets };
    return { kind: 'unresolved', why: failure ?? `${host} has no address` };
  }

  /** Returns why nothing new is known, or null. */
  async #read(now: number): Promise<string | null> {
    const { host } = this.#options;
    try {
      const hosts = await this.#inTime(this.#ask(), this.#timeoutMs);
      if (hosts.length === 0) return `${host} has no address`;
      this.#hosts = hosts;
      this.#readAt = now;
      return null;
    } catch (error) {
      // With hosts in hand, the next try is not made by the next call.
      if (this.#hosts.length > 0) this.#readAt = now;
      return error instanceof Error ? error.message : String(error);
    }
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 5_000;
  }

  async #inTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
    const { promise: timeUp, reject } = Promise.withResolvers<never>();
    const give = () => reject(new Error(`the DNS does not answer for ${this.#options.host}`));
    // An endpoint that closes meanwhile does not wait for it.
    const timer = setTimeout(give, timeoutMs).unref();
    try {
      return await Promise.race([answer, timeUp]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(): Promise<Host[]> {
    const { host, port, transport } = this.#options;
    const plain = { name: host, port: port ?? defaultPort(transport), priority: 0, weight: 0 };
    const services = port === null ? await this.#services() : [];
    const records = services.filter(isService);
    if (services.length > 0 && records.length === 0)
      throw new Error(`the DNS says that ${host} has no service of SIP over ${transport}`);
    const isNamed = records.length > 0;
    const asked = (isNamed ? records : [plain]).slice(0, MOST_HOSTS).map(async (record) => {
      const addresses = (await this.#resolver.addresses(record.name)).slice(0, MOST_HOSTS);
      return { ...record, addresses, isNamed };
    });
    const found = await Promise.allSettled(asked);
    const hosts = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const failed = found.find((each) => each.status === 'rejected');
    if (hosts.length === 0 && failed) throw failed.reason;
    return hosts.filter(({ addresses }) => addresses.length > 0);
  }

  /**
   * The SRV records; none when there are none. A DNS that fails is no answer: hosts that records have named before stay, and only where none
   * has is the name itself tried, because some networks refuse or drop every question but those for addresses.
   */
  async #services(): Promise<readonly SrvRecord[]> {
    const { host, transport } = this.#options;
    const service = transport === 'tls' ? '_sips._tcp' : `_sip._${transport}`;
    try {
      return await this.#inTime(this.#resolver.srv(`${service}.${host}`), this.#timeoutMs * servicesShare);
    } catch (error) {
      const isAnswer = ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (!isAnswer && this.#hosts.some(({ isNamed }) => isNamed)) throw error;
      return [];
    }
  }
}
