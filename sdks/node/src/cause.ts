// What lies behind a NetworkError, without the query of the address: that of a list may hold a phone number. Node's own `fetch`
// names no address; Deno's, Bun's and packages such as node-fetch name the whole one. And without what came: Node's parser of
// HTTP keeps in `data` what stands behind a malformed header, numbers and secrets of the body included.

const deepest = 5;
const query = /(https?:\/\/[^\s?"'()]*)\?[^\s"'()]*/gi;

/** Text without the queries of the addresses in it. */
export const withoutQuery = (text: string): string => text.replace(query, '$1');

/** The error itself; where it or what caused it names an address with a query or has `data`, a copy that does not. */
export function safeCause(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error) || depth > deepest) return error;
  const cause = safeCause(error.cause, depth + 1);
  const { message, name, stack, code, path, data } = error as Error & Record<'code' | 'path' | 'data', unknown>;
  const isSafe =
    data === undefined &&
    [message, stack, path].every((text) => typeof text !== 'string' || withoutQuery(text) === text);
  if (isSafe && cause === error.cause) return error;
  const copy = new Error(withoutQuery(message), cause === undefined ? {} : { cause });
  copy.name = name;
  copy.stack = withoutQuery(stack ?? '');
  return code === undefined ? copy : Object.assign(copy, { code });
}
