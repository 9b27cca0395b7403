// The platform's OAuth: codes that a signup ends with, their exchange for a business token, and what a token may do.
// A code is good once, for 30 seconds, as documented: a slow or repeated exchange must fail here as it does there.

import type { Clock } from '../clock.ts';
import type { Response } from '../http/server.ts';
import { type Accounts, newCode, type PlatformIdentity } from './accounts.ts';
import { type GraphCall, graphError, missing, textParam } from './call.ts';
import { isSameSecret } from './subscriptions.ts';

/** Documented life of an exchangeable code. */
const CODE_LIFE_MS = 30_000;

interface Issued {
  wabaId: string;
  /** The address the dialog came back to, which the exchange must name; null = it was a window. */
  redirectUri: string | null;
  expiresAt: number;
  used: boolean;
}

export type Exchange = { kind: 'ok'; wabaId: string } | { kind: 'unknown' | 'used' | 'expired' | 'elsewhere' };

export class Codes {
  readonly #clock: Clock;
  readonly #issued = new Map<string, Issued>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(wabaId: string, redirectUri: string | null = null): string {
    const code = newCode();
    this.#issued.set(code, { wabaId, redirectUri, expiresAt: this.#clock.now() + CODE_LIFE_MS, used: false });
    return code;
  }

  /** Exchanges a code, which is used up if it was good. */
  exchange(code: string, redirectUri: string | null = null): Exchange {
    const issued = this.#issued.get(code);
    if (!issued) return { kind: 'unknown' };
    if (issued.used) return { kind: 'used' };
    if (this.#clock.now() >= issued.expiresAt) return { kind: 'expired' };
    if (issued.redirectUri !== redirectUri) return { kind: 'elsewhere' };
    issued.used = true;
    return { kind: 'ok', wabaId: issued.wabaId };
  }
}

const SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging'];

/** `/oauth/access_token`. The code is used up only by a call that is right in everything else. */
export function exchangeCode(
  call: GraphCall,
  { identity, codes, accounts }: { identity: PlatformIdentity; codes: Codes; accounts: Accounts },
): Response {
  const [id, secret, code] = ['client_id', 'client_secret', 'code'].map((name) => textParam(call, name));
  if (id === undefined) return missing('client_id');
  if (id !== identity.appId) {
    return graphError(101, { message: 'Error validating application. There is no app with this id.' });
  }
  if (secret === undefined) return graphError(1, { message: 'Missing client_secret parameter.' });
  if (!isSameSecret(secret, identity.appSecret)) return graphError(1, { message: 'Error validating client secret.' });
  if (code === undefined) return missing('code');
  const exchange = codes.exchange(code, textParam(call, 'redirect_uri') ?? null);
  switch (exchange.kind) {
    case 'unknown':
      return graphError(100, { message: 'Invalid verification code format.', subcode: 36008 });
    case 'used':
      return graphError(100, { message: 'This authorization code has been used.', subcode: 36009 });
    case 'expired':
      return graphError(100, { message: 'This authorization code has expired.', subcode: 36007 });
    case 'elsewhere': {
      const message = 'Error validating verification code. The redirect_uri is not the one of the dialog.';
      return graphError(100, { message, subcode: 36008 });
    }
    case 'ok': {
      const { token } = accounts.issueToken(exchange.wabaId);
      return { status: 200, body: { access_token: token, token_type: 'bearer' } };
    }
  }
}

/** `/debug_token`: what another token may do. */
export function debugToken(call: GraphCall, identity: PlatformIdentity, accounts: Accounts): Response {
  const input = textParam(call, 'input_token');
  if (input === undefined) return missing('input_token');
  const token = accounts.tokens.get(input);
  if (!token || token.revoked) {
    const error = { code: 190, message: 'The access token can not be used.', subcode: token ? 460 : undefined };
    return { status: 200, body: { data: { is_valid: false, scopes: [], error } } };
  }
  const target_ids = token.wabaId === null ? undefined : [token.wabaId];
  const granular_scopes = SCOPES.map((scope) => ({ scope, target_ids }));
  const data = {
    app_id: token.appId ?? identity.appId,
    type: 'SYSTEM_USER',
    is_valid: true,
    expires_at: token.expiresAt ?? 0,
    scopes: SCOPES,
  };
  return { status: 200, body: { data: { ...data, granular_scopes } } };
}
