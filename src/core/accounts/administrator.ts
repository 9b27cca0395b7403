// Tokens of administrators, the people who run a deployment. They are made like API keys: `ramz_admin_<id>_<secret>_<checksum>`, and only an
// HMAC of the secret is stored.

import { parseToken } from './api-key.ts';

/** The prefix of the id where it is not inside a token. */
export const administratorIdPrefix = 'adm_';
export const administratorTokenPrefix = 'ramz_admin_';

/** Working ones at once: every process holds them in memory. */
export const mostAdministrators = 100;

/** Null where the text has not the form of such a token, or its checksum is wrong. */
export function parseAdministratorToken(text: string): { id: string; secret: string } | null {
  if (!text.startsWith(administratorTokenPrefix)) return null;
  const parsed = parseToken(text, administratorTokenPrefix);
  return parsed.kind === 'ok' ? { id: administratorIdPrefix + parsed.id, secret: parsed.secret } : null;
}
