// The authorisation of a call: the contract says what a method requires, the authenticator says who is calling. Open streams are kept by
// their key: a key that is revoked, has expired or belongs to a suspended or closed account ends them, as it would refuse a new call.

import type { ConnectError, Interceptor, StreamRequest } from '@connectrpc/connect';
import { mayCallFrom } from '../../../core/limits/key-restrictions.ts';
import { type AdministratorPrincipal, contextKeys, type KeyPrincipal, type Principal } from '../context.ts';
import { accountStopped, fail } from '../errors.ts';
import { type MethodRules, methodRules } from '../method-options.ts';
import type { AdministratorOutcome, Authenticator, KeyOutcome } from '../ports.ts';
import { until } from './ends.ts';

export interface AuthoriseOptions {
  authenticator: Authenticator;
  /** Anyone may create an account. Default false. */
  openRegistration?: boolean;
}

export function authorise({ authenticator, openRegistration = false }: AuthoriseOptions): Interceptor {
  const caller = ({ access }: MethodRules, header: string | null): MaybeSoon<Principal> => {
    switch (access) {
      case 'public':
        return { kind: 'none' };
      case 'admin':
        return administrator(authenticator, header);
      case 'registration':
        return registrar(authenticator, header, openRegistration);
      case 'key':
        return key(authenticator, header);
    }
  };
  const open = new OpenStreams({
    async refusalOf(token) {
      const outcome = await authenticator.authenticate(token);
      return outcome.kind === 'ok' ? null : () => refusalOf(outcome);
    },
  });
  authenticator.follow?.((look) => open.looked(look));

  return (next) => (request) => {
    const header = request.header.get('authorization');
    const { pass } = open;
    const rules = methodRules(request.method);
    return continueWith(caller(rules, header), (principal) => {
      const { peer } = request.contextValues.get(contextKeys.origin);
      // Known before it is refused: the log says whose call it was.
      request.contextValues.set(contextKeys.principal, principal);
      requireScope(principal, rules);
      request.contextValues.set(contextKeys.principal, heldToAddress(principal, peer));
      if (!request.stream || principal.kind !== 'key') return next(request);
      return whileGood(open, next, request, { principal, token: bearer(header ?? '') ?? '', pass });
    });
  };
}

/** A key that is used from elsewhere was taken from where it belongs. Where that is only watched, a send says so. */
function heldToAddress(principal: Principal, peer: string): Principal {
  if (principal.kind !== 'key' || !principal.restrictions || principal.addressRule === 'off') return principal;
  if (mayCallFrom(principal.restrictions.addresses, peer)) return principal;
  if (principal.addressRule === 'monitor') return { ...principal, elsewhere: true };
  throw fail('key_restricted', 'the API key may not be used from this address', {
    metadata: { rule: 'key_restriction', reason: 'address' },
  });
}

type Next = Parameters<Interceptor>[0];

/** The stream ends when its key is not good any more. */
async function whileGood(
  open: OpenStreams,
  next: Next,
  request: StreamRequest,
  { principal, token, pass }: { principal: KeyPrincipal; token: string; pass: number },
): ReturnType<Next> {
  const ending = new AbortController();
  const stream = { token, expiresAt: principal.expiresAt, end: (reason: ConnectError) => ending.abort(reason) };
  const takeOut = open.add(stream, pass);
  // The signal follows one that lives as long as the process: while it has a listener, it and all that the listener knows stay in memory.
  const remove = () => {
    request.signal.removeEventListener('abort', remove);
    takeOut();
  };
  // A caller who goes before anything was read of the stream never starts what takes it out below.
  request.signal.addEventListener('abort', remove, { once: true });
  try {
    const signal = AbortSignal.any([request.signal, ending.signal]);
    const response = await next({ ...request, signal });
    if (!response.stream) throw new Error('a stream was answered with one message');
    return { ...response, message: removed(until(response.message, signal), remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

async function* removed<T>(messages: AsyncIterable<T>, remove: () => void): AsyncGenerator<T> {
  try {
    yield* messages;
  } finally {
    remove();
  }
}

function key(authenticator: Authenticator, header: string | null): KeyPrincipal | Promise<KeyPrincipal> {
  if (!header) throw unauthenticated('missing_api_key', 'give the API key: Authorization: Bearer <key>', false);
  const token = bearer(header);
  if (!token) throw unauthenticated('invalid_api_key', 'the header must read: Authorization: Bearer <key>', false);
  return continueWith(authenticator.authenticate(token), principalOf);
}

function principalOf(outcome: KeyOutcome): KeyPrincipal {
  if (outcome.kind === 'ok') return outcome.principal;
  throw refusalOf(outcome);
}

function refusalOf(outcome: Exclude<KeyOutcome, { kind: 'ok' }>): ConnectError {
  switch (outcome.kind) {
    case 'revoked':
      return unauthenticated('revoked_api_key', 'the API key was revoked');
    case 'expired':
      return unauthenticated('expired_api_key', 'the API key has expired');
    case 'suspended':
      return accountStopped('account_suspended');
    case 'closed':
      return accountStopped('account_closed');
    case 'not_approved':
      return fail(
        'account_not_approved',
        'the account waits for the operator of this service to approve it: use a test key until then',
      );
    case 'malformed':
      return unauthenticated('invalid_api_key', 'that is not an API key of this service: is it complete?');
    case 'unknown':
      return unauthenticated('invalid_api_key', 'no such API key');
  }
}

function requireScope(principal: Principal, { scope, adminScope }: MethodRules): void {
  if (principal.kind === 'none') return;
  const isKey = principal.kind === 'key';
  const needed = isKey ? scope : adminScope;
  if (!needed || principal.scopes.some((own) => own === needed)) return;
  const message = `the ${isKey ? 'API key' : 'administrator'} lacks the scope ${needed}`;
  throw fail('missing_scope', message, { metadata: { scope: needed } });
}

type MaybeSoon<Value> = Value | Promise<Value>;

function administrator(authenticator: Authenticator, header: string | null): MaybeSoon<AdministratorPrincipal> {
  const token = bearer(header ?? '');
  if (!token) throw unauthenticated('invalid_admin_token', tokenNeeded, false);
  return continueWith(authenticator.administrator(token), administratorOf);
}

const tokenNeeded = "this needs an administrator's token: Authorization: Bearer <token>";

function administratorOf(outcome: AdministratorOutcome): AdministratorPrincipal {
  switch (outcome.kind) {
    case 'ok':
      return outcome.principal;
    case 'expired':
      throw unauthenticated('invalid_admin_token', "the administrator's token has expired");
    case 'unknown':
      throw unauthenticated('invalid_admin_token', "no such administrator's token, or it was revoked");
  }
}

/** Where anyone may register, an API key stands for nobody; anything else that is no administrator's token is refused, or guesses would be free. */
function registrar(authenticator: Authenticator, header: string | null, open: boolean): MaybeSoon<Principal> {
  const token = bearer(header ?? '');
  if (!token && !open) throw fail('registration_closed', 'accounts are made by the operator of this deployment');
  if (!token) return { kind: 'none' };
  return continueWith(authenticator.administrator(token), (outcome): MaybeSoon<Principal> => {
    if (!open || outcome.kind === 'ok') return administratorOf(outcome);
    return continueWith(
      authenticator.authenticate(token),
      ({ kind }): Principal =>
        kind === 'malformed' || kind === 'unknown' ? administratorOf(outcome) : { kind: 'none' },
    );
  });
}

/** The scheme in any case (RFC 9110 section 11.1), then one token. */
export function bearer(header: string): string | undefined {
  return /^bearer +([^\s]+) *$/i.exec(header)?.[1];
}

function unauthenticated(
  code: 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'expired_api_key' | 'invalid_admin_token',
  message: string,
  tokenGiven = true,
) {
  const error = fail(code, message);
  // RFC 6750 section 3: no error code where no token was given.
  error.metadata.set(
    'www-authenticate',
    tokenGiven ? 'Bearer realm="ramz", error="invalid_token"' : 'Bearer realm="ramz"',
  );
  return error;
}

/**
 * Continues synchronously when the value is already there, and awaits only real promises: a held key, say, or a limit counted in
 * memory. A turn of the microtask queue for each of them is a good part of a no-op call.
 */
export function continueWith<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result,
): Result | Promise<Awaited<Result>> {
  return value instanceof Promise ? value.then((each) => next(each) as Awaited<Result>) : next(value);
}

export interface OpenStream {
  /** The key, as in the header; never log it. */
  token: string;
  /** Unix ms; null = the key does not expire. */
  expiresAt: number | null;
  end(reason: ConnectError): void;
}

export interface OpenStreamsOptions {
  /** Null while the key is good; otherwise makes the error that says why it is not. Rejects where neither is known. */
  refusalOf(token: string): Promise<(() => ConnectError) | null>;
}

class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #open = new Set<OpenStream>();
  #pass = 0;
  /** A look was asked for, and some stream has not been judged yet. */
  #pending = false;
  #running = false;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Rises whenever keys may have changed: a key that was authenticated before must be looked at again. */
  get pass(): number {
    return this.#pass;
  }

  /** `pass`: as it was before the key was authenticated. Returns a function that removes the stream. */
  add(stream: OpenStream, pass: number): () => void {
    this.#open.add(stream);
    if (pass !== this.#pass) this.#look();
    return () => this.#open.delete(stream);
  }

  /** Called after each look at the keys. */
  looked({ changed, now }: { changed: boolean; now: number }): void {
    if (changed) this.#pass += 1;
    const due = changed || [...this.#open].some(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
    if (due || this.#pending) this.#look();
  }

  #look(): void {
    this.#pending = true;
    if (!this.#running) void this.#run();
  }

  /** Keys that can't be judged now are asked for again after the next look. */
  async #run(): Promise<void> {
    this.#running = true;
    while (this.#pending) {
      this.#pending = false;
      const tokens = new Set([...this.#open].map(({ token }) => token));
      const judged = await Promise.all([...tokens].map((token) => this.#judge(token)));
      if (!judged.every(Boolean)) {
        this.#pending = true;
        break;
      }
    }
    this.#running = false;
  }

  async #judge(token: string): Promise<boolean> {
    try {
      const refusal = await this.#options.refusalOf(token);
      if (refusal) for (const stream of this.#open) if (stream.token === token) stream.end(refusal());
      return true;
    } catch {
      return false;
    }
  }
}
