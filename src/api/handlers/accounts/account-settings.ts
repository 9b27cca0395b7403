// Reads a change of settings: what it asks for, whether this key may, whether it makes sense.

import { type AutofillValue, originOf, parseAutofill } from '../../../core/verify/autofill.ts';
import { type LegSettings, settleLegs } from '../../../core/verify/legs.ts';
import { refused } from '../../../core/verify/refusal.ts';
import { autofillProblems } from '../../../core/verify/request.ts';
import type { AccountChange } from '../../../engine/accounts/accounts.ts';
import type { UpdateAccountRequest } from '../../../gen/ramz/v1/account_pb.ts';
import type { KeyPrincipal } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { toError } from '../refusal.ts';
import { readText } from '../text.ts';
import { toAskedLeg } from '../verify/asked.ts';

/** Throws `live_key_required` or `invalid_argument`. Whether a sender name is approved is left to the caller. */
export function readChange(request: UpdateAccountRequest, caller: KeyPrincipal, verify: LegSettings): AccountChange {
  const { name, inCountryOnly, language, defaultSenderId, cascade, resetCascade, autofill } = request;
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
    ...(autofill === undefined ? {} : { autofill: readAutofill(autofill) }),
  };
}

function requireLive({ mode }: KeyPrincipal, field: string): void {
  if (mode === 'live') return;
  throw fail('live_key_required', `${field} holds for both modes: change it with a live key`, { field });
}

/** Held against the same rules as the cascade of a send. */
function readCascade(cascade: UpdateAccountRequest['cascade'], verify: LegSettings) {
  const settled = settleLegs({ channel: null, cascade: cascade.map(toAskedLeg) }, null, verify);
  if (settled.kind === 'refused') throw toError(settled);
  return settled.legs;
}

/** By the same rules as the `autofill` of a send, origins in the form in which they are compared. */
function readAutofill({ webOrigins, androidApps }: NonNullable<UpdateAccountRequest['autofill']>): AutofillValue[] {
  const values: (AutofillValue & { field: string })[] = [];
  for (const [index, webOrigin] of webOrigins.entries()) {
    const field = `autofill.web_origins[${index}]`;
    const parsed = parseAutofill({ webOrigin });
    if (parsed.kind === 'invalid') throw toError(refused('invalid_argument', field, autofillProblems[parsed.reason]));
    if (parsed.kind !== 'web') throw toError(refused('invalid_argument', field, 'is empty'));
    values.push({ value: originOf(parsed.host), packageName: null, field });
  }
  for (const [index, { appHash, packageName }] of androidApps.entries()) {
    values.push({ value: appHash, packageName, field: `autofill.android_apps[${index}].app_hash` });
  }
  const seen = new Set<string>();
  for (const { value, field } of values) {
    if (seen.has(value)) throw toError(refused('invalid_argument', field, 'is given twice'));
    seen.add(value);
  }
  return values.map(({ value, packageName }) => ({ value, packageName }));
}
