// The code of a signup for a business token, and what a token may do.

import type { Response } from '../http/server.ts';
import type { Accounts } from './accounts.ts';
import { type GraphCall, missing, textParam } from './call.ts';
import type { Codes } from './codes.ts';
import { graphError } from './errors.ts';
import type { PlatformIdentity } from './identity.ts';
import { isSameSecret } from './poster.ts';

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
  const exchange = codes.exchange(code);
  switch (exchange.kind) {
    case 'unknown':
      return graphError(100, { message: 'Invalid verification code format.', subcode: 36008 });
    case 'used':
      return graphError(100, { message: 'This authorization code has been used.', subcode: 36009 });
    case 'expired':
      return graphError(100, { message: 'This authorization code has expired.', subcode: 36007 });
    case 'ok': {
      const { token } = accounts.issueToken(exchange.wabaId);
      return { status: 200, body: { access_token: token, token_type: 'bearer' } };
    }
  }
}

/** `/debug_token`: what another token is good for. */
export function debugToken(call: GraphCall, identity: PlatformIdentity, accounts: Accounts): Response {
  const input = textParam(call, 'input_token');
  if (input === undefined) return missing('input_token');
  const token = accounts.tokens.get(input);
  if (!token || token.revoked) {
    const error = { code: 190, message: 'The access token can not be used.', ...(token ? { subcode: 460 } : {}) };
    return { status: 200, body: { data: { is_valid: false, scopes: [], error } } };
  }
  const target_ids = token.wabaId === null ? undefined : [token.wabaId];
  const granular_scopes = SCOPES.map((scope) => ({ scope, ...(target_ids ? { target_ids } : {}) }));
  const data = {
    app_id: token.appId ?? identity.appId,
    type: 'SYSTEM_USER',
    is_valid: true,
    expires_at: 0,
    scopes: SCOPES,
  };
  return { status: 200, body: { data: { ...data, granular_scopes } } };
}
