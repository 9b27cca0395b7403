// The context of a call beside its message: the caller, the door, the request id. Doors and interceptors fill it; handlers read it by
// the functions below, so that no handler depends on a door.

import { type ContextValues, createContextKey, createContextValues, type HandlerContext } from '@connectrpc/connect';
import type { Actor } from '../../core/accounts/actor.ts';
import type { KeyRestrictions } from '../../core/limits/key-restrictions.ts';
import type { RuleMode } from '../../core/limits/verdict.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { AdminScope, Scope } from '../../gen/values.ts';
import type { Quota } from './rate-limit-fields.ts';

export type Door = 'rest' | 'connect' | 'grpc-web' | 'grpc';

export interface KeyPrincipal {
  kind: 'key';
  accountId: string;
  mode: Mode;
  keyId: string;
  /** The name that the key was given. */
  name: string;
  /** Who uses it. Absent or empty: a program. */
  person?: string;
  scopes: readonly Scope[];
  /** Unix ms; null = never. */
  expiresAt: number | null;
  /** Absent where there are none. */
  restrictions?: KeyRestrictions;
  /** What becomes of a call from another address than those of the restrictions; absent where there are none. Default `enforce`. */
  addressRule?: RuleMode;
  /** A test key of an account that waits for approval. */
  waits?: true;
  /** The call comes from such an address, and the rule is only watched. */
  elsewhere?: true;
}

/** One of the people who run the deployment. */
export interface AdministratorPrincipal {
  kind: 'administrator';
  /** `adm_…`; `bootstrap` for the token of RAMZ_ADMIN_TOKEN. */
  id: string;
  name: string;
  scopes: readonly AdminScope[];
  /** Unix ms; null = never. */
  expiresAt: number | null;
}

/** Who calls: a key of an account, an administrator, or a caller without either. */
export type Principal = KeyPrincipal | AdministratorPrincipal | { kind: 'none' };

/** The origin of a call, which every door knows before anything is read. */
export interface CallOrigin {
  door: Door;
  /** `req_…`, on every answer and log line. */
  requestId: string;
  /** Address of the caller, without port; behind a trusted proxy the one that the proxy names, behind any other the proxy's. */
  peer: string;
  /** Where the door knows the connection: called once a key of the call was found good. */
  proven?: (() => void) | undefined;
  /** Where the door wants to know: called once a stream has begun, also where it has nothing to tell yet. */
  begun?: (() => void) | undefined;
  /** The deadline the caller asked for; undefined = none. */
  timeoutMs: number | undefined;
}

/** A handler's context; anything that holds the call's values. */
type Call = Pick<HandlerContext, 'values'>;

const nowhere: CallOrigin = { door: 'connect', requestId: '', peer: '', timeoutMs: undefined };
const noPrincipal: Principal = { kind: 'none' };

const origin = createContextKey<CallOrigin>(nowhere, { description: 'origin' });
const principal = createContextKey<Principal>(noPrincipal, { description: 'principal' });
const idempotencyKey = createContextKey<string | undefined>(undefined, { description: 'idempotency key' });

const quotas = createContextKey<readonly Quota[]>([], { description: 'quotas' });
const admitted = createContextKey<boolean>(false, { description: 'admitted' });
const unlogged = createContextKey<boolean>(false, { description: 'unlogged' });

/**
 * `quotas`: what the call was counted against. `admitted`: a rate has counted the call and let it in. `unlogged`: the call has no line of its own in
 * the log; a summary counts it (clients/refusals.ts).
 */
export const contextKeys = { origin, principal, idempotencyKey, quotas, admitted, unlogged };

export const valuesFor = (from: CallOrigin): ContextValues => createContextValues().set(origin, from);

/** Shows the caller what is left of a bucket that the call was counted against. */
export function addQuota(values: ContextValues, quota: Quota): void {
  values.set(quotas, [...values.get(quotas), quota]);
}

const principalOf = (call: Call): Principal => call.values.get(principal);
/** The `Idempotency-Key` of a method that takes one; undefined where the client gave none. */
export const idempotencyKeyOf = (call: Call): string | undefined => call.values.get(idempotencyKey);

/** Says that a stream is not refused any more, although its first message may be long in coming. */
export const beginStream = (call: Call): void => call.values.get(origin).begun?.();

/** Whether one of those who run the deployment calls. */
export const isAdministrator = (call: Call): boolean => principalOf(call).kind === 'administrator';

/** Whether a caller may see phone numbers in full. Who is no key has none of them, or all: an administrator. */
export const seesNumbers = (caller: Principal): boolean => caller.kind !== 'key' || caller.scopes.includes('numbers');

/** The key that calls. Throws, as a bug, in a method that others than keys may call. */
export function keyOf(call: Call): KeyPrincipal {
  const caller = principalOf(call);
  if (caller.kind !== 'key') throw new Error('a method without a key asked for its key');
  return caller;
}

/** The administrator who calls. Throws, as a bug, in a method that others may call. */
export function administratorOf(call: Call): AdministratorPrincipal {
  const caller = principalOf(call);
  if (caller.kind !== 'administrator') throw new Error('a method without an administrator asked for one');
  return caller;
}

/** Who makes the changes of this call, for the audit log. */
export function actorOf(call: Call): Actor {
  const { peer: address, requestId } = call.values.get(origin);
  const caller = principalOf(call);
  switch (caller.kind) {
    case 'key':
      return { kind: 'key', id: caller.keyId, name: caller.name, person: caller.person ?? '', address, requestId };
    case 'administrator':
      return { kind: 'administrator', id: caller.id, name: caller.name, address, requestId };
    case 'none':
      return { kind: 'system', id: '', name: 'open registration', address, requestId };
  }
}

/** The caller's account and mode, and who changes something there. Throws, as a bug, in a method that others than keys may call. */
export function actingOwnerOf(call: Call): { accountId: string; mode: Mode; actor: Actor } {
  const { accountId, mode } = keyOf(call);
  return { accountId, mode, actor: actorOf(call) };
}
