// Headers that a request may have once. Node keeps the first of two in silence, and a proxy in front that looked at the other was deceived: it
// let through what it would have refused (RFC 9110 section 5.3; for `Host` RFC 9112 section 3.2 asks for the refusal).

const single: ReadonlySet<string> = new Set(['authorization', 'host']);

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
