// Reads a change of settings: what it asks for, whether this key may, whether it makes sense.

import type { AccountChange } from '../../../db/accounts.ts';
import type { UpdateAccountRequest } from '../../../gen/ramz/v1/account_pb.ts';
import type { KeyPrincipal } from '../../context.ts';
import { fail } from '../../errors.ts';
import { readText } from '../text.ts';
import { settleLegs } from '../verify/legs.ts';
import { toError } from '../verify/refusal.ts';
import type { SendSettings } from '../verify/settings.ts';

/** Throws `live_key_required` or `invalid_argument`. Whether a sender name is approved is left to the caller. */
export function readChange(
  request: UpdateAccountRequest,
  caller: KeyPrincipal,
  verify: SendSettings['verify'],
): AccountChange {
  const { name, inCountryOnly, language, defaultSenderId, cascade, resetCascade } = request;
  // These two hold for both modes.
  if (name !== undefined) requireLive(caller, 'name');
  if (inCountryOnly !== undefined) requireLive(caller, 'in_country_only');
  if (resetCascade && cascade.length > 0) {
    throw fail('invalid_argument', 'give only one of cascade or reset_cascade', { field: 'reset_cascade' });
  }
  return {
    ...(name === undefined ? {} : { name: readText(name, 'name') }),
    ...(inCountryOnly === undefined ? {} : { inCountryOnly }),
    ...(language === undefined ? {} : { language }),
    ...(defaultSenderId === undefined ? {} : { defaultSenderId: defaultSenderId === '' ? null : defaultSenderId }),
    ...(cascade.length === 0 ? {} : { cascade: readCascade(cascade, verify) }),
    ...(resetCascade ? { cascade: null } : {}),
  };
}

function requireLive({ mode }: KeyPrincipal, field: string): void {
  if (mode === 'live') return;
  throw fail('live_key_required', `${field} holds for both modes: change it with a live key`, { field });
}

/** Held against the same rules as the cascade of a send. */
function readCascade(cascade: UpdateAccountRequest['cascade'], verify: SendSettings['verify']) {
  const settled = settleLegs({ channel: null, cascade }, null, verify);
  if (settled.kind === 'refused') throw toError(settled);
  return settled.legs;
}
