// The limiter of posts to one host, over the endpoints of all accounts there: how many are under way at once, and how many begin in a second.
// This process counts its own posts, and has an equal share of what all processes together may do.

import ipaddr from 'ipaddr.js';

export interface HostLimits {
  /** Posts under way to one host, over all processes. */
  readonly deliveriesPerHost: number;
  /** Posts to one host within a second, over all processes. */
  readonly deliveriesPerHostPerSecond: number;
}

export interface HostLimiterOptions {
  settings: HostLimits;
  /** Processes alive, this one included. */
  fleet: { readonly alive: number };
  now(): number;
}

interface Usage {
  underWay: number;
  tokens: number;
  /** When the tokens were counted, Unix ms. */
  at: number;
}

export const noLimits: HostLimits = {
  deliveriesPerHost: Number.POSITIVE_INFINITY,
  deliveriesPerHostPerSecond: Number.POSITIVE_INFINITY,
};

/** What may leave at once after a pause: a fifth of a second's worth. */
const burst = 1 / 5;
/** Hosts that are idle are forgotten when there are so many, as soon as they have all their tokens again. */
const mostIdle = 1_000;

export class HostLimiter {
  readonly #options: HostLimiterOptions;
  readonly #hosts = new Map<string, Usage>();

  constructor(options: HostLimiterOptions) {
    this.#options = options;
  }

  /** Hosts remembered. */
  get size(): number {
    return this.#hosts.size;
  }

  /** Posts that may wait here for one host: what goes out within a few seconds; the rest waits in the table. */
  get mostWaiting(): number {
    return Math.max(20, 6 * this.#perSecond());
  }

  /** How many posts to the host may start now. */
  room(name: string): number {
    const host = this.#hosts.get(name);
    if (!host) return Math.min(this.#atOnce(), Math.floor(this.#capacity()));
    return Math.max(0, Math.min(this.#atOnce() - host.underWay, Math.floor(this.#fill(host).tokens)));
  }

  /** How long until another one may start, ms: 0 = it may now. Null where the end of a post is waited for. */
  waitMs(name: string): number | null {
    const host = this.#hosts.get(name);
    if (!host) return 0;
    if (host.underWay >= this.#atOnce()) return null;
    const missing = 1 - this.#fill(host).tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.#perSecond()) * 1000);
  }

  /** This process's share of what an endpoint may get over all of them: at least one. */
  share(most: number): number {
    return Math.max(1, Math.floor(most / this.#options.fleet.alive));
  }

  /** Counts a post that starts now, whether or not there is room for it. `done` is to follow. */
  take(name: string): void {
    const held = this.#hosts.get(name);
    const host = held ? this.#fill(held) : { underWay: 0, tokens: this.#capacity(), at: this.#options.now() };
    host.underWay += 1;
    host.tokens -= 1;
    if (held) return;
    if (this.#hosts.size >= mostIdle) this.#forgetIdle();
    this.#hosts.set(name, host);
  }

  /** `sent`: false where nothing went out after all; then the host is not charged for it. */
  done(name: string, sent: boolean): void {
    const host = this.#hosts.get(name);
    if (!host) return;
    host.underWay -= 1;
    if (!sent) host.tokens = Math.min(this.#capacity(), this.#fill(host).tokens + 1);
  }

  /** At least one: a host must be reached from every process. */
  #atOnce(): number {
    const { settings, fleet } = this.#options;
    return Math.max(1, Math.floor(settings.deliveriesPerHost / fleet.alive));
  }

  #perSecond(): number {
    const { settings, fleet } = this.#options;
    return settings.deliveriesPerHostPerSecond / fleet.alive;
  }

  #capacity(): number {
    return Math.max(1, this.#perSecond() * burst);
  }

  #fill(host: Usage): Usage {
    const at = this.#options.now();
    const passed = Math.max(0, at - host.at) / 1000;
    if (passed > 0 && Number.isFinite(this.#perSecond())) host.tokens += passed * this.#perSecond();
    else if (!Number.isFinite(this.#perSecond())) host.tokens = Number.POSITIVE_INFINITY;
    host.tokens = Math.min(this.#capacity(), host.tokens);
    host.at = at;
    return host;
  }

  #forgetIdle(): void {
    for (const [name, host] of this.#hosts) {
      if (host.underWay === 0 && this.#fill(host).tokens >= this.#capacity()) this.#hosts.delete(name);
    }
  }
}

/**
 * The host of an address, in one spelling: names in lower case and without the dot at their end, IPv6 in brackets or not, IPv4 written
 * as IPv6. Every port of a host is that host. An address that is none is its own host.
 */
export function hostOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const host = new URL(url).hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
  return ipaddr.isValid(host) ? ipaddr.process(host).toString() : host;
}
