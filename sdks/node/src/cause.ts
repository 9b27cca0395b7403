// What lies behind a NetworkError, of addresses with nothing but scheme, host and port: the query of a list and the path of an
// erasure hold a phone number. Node's own `fetch` names no address; Deno's, Bun's and packages such as node-fetch name the whole
// one. And without what came: Node's parser of HTTP keeps in `data` what stands behind a malformed header, numbers and secrets
// of the body included.

const deepest = 5;
const address = /(https?:\/\/)(?:[^\s/?#]*@)?([\w.:[\]-]*)(\S*)/gi;
/** What a sentence has behind an address. */
const punctuation = /["'),.:;>\]}]*$/;
/** The rest of a place in code: `https://app.example/assets/app.js:10:5`. */
const inCode = /^[^?#]*:\d+:\d+$/;

/** Text without paths and queries of the addresses in it; `kept` are those that stay. */
const withoutPaths = (text: string, kept?: RegExp): string =>
  text.replace(address, (_, scheme: string, host: string, rest: string) => {
    const [mark = ''] = punctuation.exec(rest) ?? [];
    const path = rest.slice(0, rest.length - mark.length);
    return `${scheme}${host}${path === '' || kept?.test(path) ? path : '/…'}${mark}`;
  });

/** The error itself; where it or what caused it names an address with a path or has `data`, a copy that does not. */
export function safeCause(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error) || depth > deepest) return error;
  const cause = safeCause(error.cause, depth + 1);
  const { message, name, code, path, data } = error as Error & Record<'code' | 'path' | 'data', unknown>;
  const stack = withoutPaths(error.stack ?? '', inCode);
  const isSafe =
    data === undefined &&
    stack === (error.stack ?? '') &&
    [message, path].every((text) => typeof text !== 'string' || withoutPaths(text) === text);
  if (isSafe && cause === error.cause) return error;
  const copy = new Error(withoutPaths(message), cause === undefined ? {} : { cause });
  copy.name = name;
  copy.stack = stack;
  return code === undefined ? copy : Object.assign(copy, { code });
}
