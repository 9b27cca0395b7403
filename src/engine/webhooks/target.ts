// Targets that webhooks may be posted to. A target is judged twice: the address as it is written, when an endpoint is created, and every
// network address at the moment of connecting, because a name may resolve to something else by then (DNS rebinding). The connection goes to
// exactly the addresses that were judged.

import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { plainForm } from '../../core/limits/addresses.ts';
import { within } from '../../time/alarm.ts';

export type TargetCheck = { kind: 'ok' } | { kind: 'refused'; reason: string };

export interface TargetRules {
  /** Lets targets be private and unencrypted: for the sandbox, and for deployments that only call their own network. */
  allowPrivate: boolean;
}

const ok: TargetCheck = { kind: 'ok' };
const refused = (reason: string): TargetCheck => ({ kind: 'refused', reason });

/**
 * Whether webhooks may be posted to this address, as far as that is known before its name is resolved.
 * `reason` is a clause for an error message: "must be …".
 */
export function checkUrl(text: string, rules: TargetRules): TargetCheck {
  // The parser accepts what a person would not recognise (line breaks, backslashes); none of it belongs in an address.
  if (!URL.canParse(text) || /[\s\\]/u.test(text)) return refused('must be a complete https address');
  const url = new URL(text);
  const schemes = rules.allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) return refused(`must be ${rules.allowPrivate ? 'http or https' : 'https'}`);
  if (url.username !== '' || url.password !== '') return refused('must not hold a user name or password');
  if (url.port === '0') return refused('must not name port 0');
  if (!rules.allowPrivate && isOther(Number(url.port || 443))) return refused('must name port 443 or one from 1024 on');
  return checkHost(url.hostname, rules);
}

/** What listens below 1024 is no receiver of webhooks: mail, shells, name servers. */
const isOther = (port: number): boolean => port < 1024 && port !== 443;

/** `host` as URL or a connector gives it: a name, an IPv4 address, or an IPv6 address with or without brackets. */
export function checkHost(host: string, rules: TargetRules): TargetCheck {
  const bare = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(bare)) return checkAddress(bare, rules);
  if (rules.allowPrivate) return ok;
  const name = bare.toLowerCase().replace(/\.$/, '');
  // RFC 6761 and 6762: these names never leave the machine or its network; a name without a dot is completed locally.
  const local = !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
  return local ? refused('must be a public name or address') : ok;
}

/** Azure's wire server: a metadata address that looks like any public one. */
const metadata = '168.63.129.16';
/** Everything global in IPv6 lies in 2000::/3 (RFC 4291); what lies elsewhere embeds IPv4 or is local. */
const globalV6 = ipaddr.parseCIDR('2000::/3');

/** Judges one network address. Refuses everything that is not plain global unicast: what is allowed is listed, not what is forbidden. */
export function checkAddress(address: string, rules: TargetRules): TargetCheck {
  if (rules.allowPrivate) return ok;
  const notPublic = refused('must be a public address');
  if (!ipaddr.isValid(address)) return notPublic;
  const parsed = plainForm(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === metadata) return notPublic;
  return parsed.kind() === 'ipv4' || parsed.match(globalV6) ? ok : notPublic;
}

/** All addresses of a name. @throws an error with a `code` of node:dns. */
export type Resolve = (name: string) => Promise<LookupAddress[]>;

/** Code of the error when a name or address is not one that webhooks may go to. */
export const targetRefused = 'TARGET_REFUSED';

export class TargetRefused extends Error {
  readonly code = targetRefused;
}

/** One bad address spoils the name: a name with a public and a private address is an attack or a mistake. */
export function guardedLookup(resolve: Resolve, rules: TargetRules): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (found) => {
        const family = options.family === 4 || options.family === 6 ? options.family : 0;
        const addresses = family === 0 ? found : found.filter((each) => each.family === family);
        const [first] = addresses;
        if (found.some(({ address }) => checkAddress(address, rules).kind === 'refused')) {
          callback(new TargetRefused('the name does not resolve to public addresses only'), []);
        } else if (!first) {
          callback(Object.assign(new Error('the name has no address'), { code: 'ENODATA' }), []);
        } else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** The part of a resolver of Node that is used. */
export interface NameServers {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

/**
 * Where a name has an IPv4 address, its IPv6 addresses are waited for so long, ms. Some name servers leave that question without any answer, and to
 * give it up takes 6 to 17 seconds, by how many servers the machine has. The other way round all is waited for: most hosts have no IPv6.
 */
const lateMs = 1_000;
/** Node reads the machine's name servers when a resolver is made, and never again: they may be others by now. */
const renewEveryMs = 30_000;

const ofMachine = (): NameServers => new dns.Resolver({ timeout: 2_000, tries: 2 });

/**
 * The default resolution of names. Public names are resolved without getaddrinfo, which would hold a thread
 * of Node's small pool for as long as a foreign name server takes; private ones may be known to the system only.
 * @param servers makes a resolver. @param now of a clock that only goes on, ms.
 */
export function defaultResolve(rules: TargetRules, servers = ofMachine, now = () => performance.now()): Resolve {
  if (rules.allowPrivate) return (name) => dns.lookup(name, { all: true });
  let asked = servers();
  let madeAt = now();
  return async (name) => {
    if (now() - madeAt >= renewEveryMs) [asked, madeAt] = [servers(), now()];
    const later = asked.resolve6(name);
    later.catch(() => {}); // It may fail while nothing waits for it.
    const [v4] = await Promise.allSettled([asked.resolve4(name)]);
    const isKnown = v4.status === 'fulfilled';
    const [v6] = await Promise.allSettled([isKnown ? within(later, lateMs, 'no answer in time') : later]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    const of = (result: PromiseSettledResult<string[]>, family: number) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...of(v4, 4), ...of(v6, 6)];
  };
}
