// Name resolution for webhook targets: every address is judged here, and the connection goes to exactly these addresses.

import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { checkAddress, type TargetRules } from './target.ts';

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

/**
 * How names are resolved unless told otherwise. Public names are asked for without getaddrinfo, which would hold a thread
 * of Node's small pool for as long as a stranger's name server likes; private ones may be known to the system only.
 */
export function defaultResolve(rules: TargetRules): Resolve {
  if (rules.allowPrivate) return (name) => dns.lookup(name, { all: true });
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    const of = (result: PromiseSettledResult<string[]>, family: number) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...of(v4, 4), ...of(v6, 6)];
  };
}
