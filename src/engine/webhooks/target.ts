// Where webhooks may go. Judged twice: the address as it is written, when an endpoint is created, and every network
// address at the moment of connecting, because a name may resolve to something else by then (DNS rebinding).

import ipaddr from 'ipaddr.js';

export type TargetCheck = { kind: 'ok' } | { kind: 'refused'; reason: string };

export interface TargetRules {
  /** Lets targets be private and unencrypted: for the sandbox, and for deployments that only call their own network. */
  allowPrivate: boolean;
}

const ok: TargetCheck = { kind: 'ok' };
const refused = (reason: string): TargetCheck => ({ kind: 'refused', reason });

/**
 * Whether callbacks may be posted to this address, as far as can be told without resolving its name.
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
  return checkHost(url.hostname, rules);
}

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

/** Judges one network address. Refuses everything that is not plain global unicast, so also what nobody thought of. */
export function checkAddress(address: string, rules: TargetRules): TargetCheck {
  if (rules.allowPrivate) return ok;
  const notPublic = refused('must be a public address');
  if (!ipaddr.isValid(address)) return notPublic;
  // `process` turns ::ffff:10.0.0.1 into 10.0.0.1.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === metadata) return notPublic;
  return parsed.kind() === 'ipv4' || parsed.match(globalV6) ? ok : notPublic;
}
