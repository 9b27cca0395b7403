// SIP, SIPS and TEL URIs (RFC 3261 section 19.1, RFC 3966): where a request goes, and which number it calls.

import { isIPv6 } from 'node:net';
import { isToken, parseDecimal, percentEncode } from './text.ts';

export interface SipUri {
  scheme: 'sip' | 'sips' | 'tel';
  /** Without its password, escapes undone; of a tel URI the number. */
  user: string | null;
  /** In lower case, an IPv6 address without brackets; '' in a tel URI. */
  host: string;
  port: number | null;
  /** Names in lower case, escapes undone; a name alone has the value ''. */
  parameters: ReadonlyMap<string, string>;
}

/** Null for another scheme, a blank in it, no host, or a port that is none. Headers behind `?` are ignored. */
export function parseUri(text: string): SipUri | null {
  const [, written = '', rest = ''] = /^(sips?|tel):([!-~]+)$/i.exec(text) ?? [];
  if (rest === '' || /[<>"]/.test(rest)) return null;
  const scheme = written.toLowerCase() as SipUri['scheme'];
  if (scheme === 'tel') {
    const [number = '', ...parameters] = rest.split(';');
    return number === '' ? null : { scheme, user: number, host: '', port: null, parameters: parametersOf(parameters) };
  }
  // A user may have ; and ? in it, so what precedes the @ is cut off first. A second @ is not allowed anywhere.
  const [before = '', after, ...more] = rest.split('@');
  if (more.length > 0) return null;
  const user = after === undefined ? null : decode(before.split(':', 1)[0] ?? '');
  const [address = ''] = (after ?? before).split('?', 1);
  const [hostPort = '', ...parameters] = address.split(';');
  const place = parseHostPort(hostPort);
  return place === null || user === '' ? null : { scheme, user, ...place, parameters: parametersOf(parameters) };
}

function parseHostPort(text: string): { host: string; port: number | null } | null {
  const [, six = '', name = '', digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([-A-Za-z0-9._]+))(?::([0-9]+))?$/.exec(text) ?? [];
  if (name === '' && !isIPv6(six)) return null;
  const port = digits === undefined ? null : parseDecimal(digits, 65_535);
  if (port === 0 || (digits !== undefined && port === null)) return null;
  return { host: (name || six).toLowerCase(), port };
}

function parametersOf(parts: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals)).toLowerCase();
    if (name !== '' && !parameters.has(name)) parameters.set(name, equals < 0 ? '' : decode(part.slice(equals + 1)));
  }
  return parameters;
}

/** One character an octet, as everywhere here; an escape that is none stays as it is. */
const decode = (text: string): string =>
  text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The host as a URI and a Via write it: an IPv6 address gets brackets. */
export const writeHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** Host and port as a URI and a Via write them; the port is left out where it is null. */
export const writeHostPort = (host: string, port: number | null): string =>
  `${writeHost(host)}${port === null ? '' : `:${port}`}`;

export interface PhoneUriOptions {
  scheme?: 'sip' | 'sips';
  port?: number | null;
  /** For example `{ user: 'phone', transport: 'tcp' }`; a value of '' writes the name alone. */
  parameters?: Readonly<Record<string, string>>;
}

/**
 * The URI that calls `user` at `host`.
 * @throws TypeError where the host is no name and no address: settings are checked before they come here.
 */
export function phoneUri(user: string, host: string, options: PhoneUriOptions = {}): string {
  const { scheme = 'sip', port = null, parameters = {} } = options;
  if (!isIPv6(host) && !/^[-A-Za-z0-9._]+$/.test(host)) throw new TypeError('not a host');
  const written = Object.entries(parameters).map(([name, value]) => {
    if (!isToken(name)) throw new TypeError('not the name of a URI parameter');
    return `;${name}${value === '' ? '' : `=${percentEncode(value, /[^-A-Za-z0-9_.!~*'()[\]/:&+$]/g)}`}`;
  });
  const called = percentEncode(user, /[^-A-Za-z0-9_.!~*'()&=+$,;?/]/g);
  return `${scheme}:${called}@${writeHostPort(host, port)}${written.join('')}`;
}
