// What one who creates a key or an administrator may give it: no scope that the maker lacks, and no longer life than the maker's own.

import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { fail } from '../../waist/errors.ts';
import { toMs } from '../fields.ts';

/** `who`: the maker, for the message: "the API key". */
export interface Maker<Scope extends string> {
  who: string;
  scopes: readonly Scope[];
  /** Unix ms; null = never. */
  expiresAt: number | null;
}

/** The scopes that are asked for, in the order of `all`; by default those of the maker. @throws `missing_scope` for one that the maker lacks. */
export function readScopes<Scope extends string>(
  asked: readonly string[],
  { who, scopes }: Maker<Scope>,
  all: readonly Scope[],
): readonly Scope[] {
  const lacking = asked.find((scope) => !scopes.some((own) => own === scope));
  if (lacking !== undefined) {
    const options = { field: 'scopes', metadata: { scope: lacking } };
    throw fail('missing_scope', `${who} lacks the scope ${lacking}, so it can not grant it`, options);
  }
  const granted: readonly string[] = asked.length > 0 ? asked : scopes;
  return all.filter((scope) => granted.includes(scope));
}

/** Unix ms; null = never; by default the maker's. Throws `expires_too_late` or `invalid_argument`. `now` in Unix ms. */
export function readExpiry(
  expiresAt: Timestamp | undefined,
  maker: Pick<Maker<string>, 'who' | 'expiresAt'>,
  now: number,
): number | null {
  if (!expiresAt) return maker.expiresAt;
  const at = toMs(expiresAt);
  if (at === undefined || at <= now) {
    throw fail('invalid_argument', 'expires_at must be in the future', { field: 'expires_at' });
  }
  // Without a limit of its own, a key that ends would outlive itself in those it made.
  if (maker.expiresAt !== null && at > maker.expiresAt) {
    const latest = new Date(maker.expiresAt).toISOString();
    const message = `${maker.who} expires at ${latest}, so it can not make one that lives longer`;
    throw fail('expires_too_late', message, { field: 'expires_at' });
  }
  return at;
}
