// Headers that a request may have once, and `Host`, which it must have. Node keeps the first of two in silence, and a proxy in front that looked
// at the other was deceived: it let through what it would have refused (RFC 9110 section 5.3; for `Host` RFC 9112 section 3.2 asks for the refusal).

import type { IncomingMessage } from 'node:http';

const single: ReadonlySet<string> = new Set(['authorization', 'host']);

/** Grammar of RFC 9110 section 7.2: a name or an address, perhaps none, and perhaps a port. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i;

/** Why the headers are refused (RFC 9112 section 3.2), as a clause; undefined = they are not. Requests of HTTP/1.0 may be without `Host`. */
export function headerProblem({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const repeated = repeatedHeader(rawHeaders);
  if (repeated !== undefined) return `the header ${repeated} is given twice`;
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'the header host is missing';
  return hostForm.test(host) ? undefined : 'the header host names no host';
}

/** @param rawHeaders names and values by turns, as they came. */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (!single.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
