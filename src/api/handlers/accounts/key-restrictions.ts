// Restrictions of an API key, to and from the contract.

import { parseNetwork } from '../../../core/limits/addresses.ts';
import { inherited, type KeyRestrictions, unrestricted } from '../../../core/limits/key-restrictions.ts';
import type { CreateApiKeyRequest } from '../../../gen/ramz/v1/api_key_pb.ts';
import type { KeyPrincipal } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';

const wireNames = { addresses: 'addresses', prefixes: 'prefixes', sendsPerDay: 'sends_per_day' } as const;

/** Null = none. Throws `restrictions_too_wide` or `invalid_argument`. */
export function readRestrictions(
  { restrictions: asked }: Pick<CreateApiKeyRequest, 'restrictions'>,
  caller: Pick<KeyPrincipal, 'keyId' | 'restrictions'>,
): KeyRestrictions | null {
  const { addresses = [], prefixes = [], sendsPerDay = null } = asked ?? {};
  for (const [index, text] of addresses.entries()) {
    if (parseNetwork(text)) continue;
    const field = `restrictions.addresses[${index}]`;
    throw fail('invalid_argument', `${field} must be an address or a network, e.g. 203.0.113.0/24`, { field });
  }
  const parent = { keyId: caller.keyId, restrictions: caller.restrictions ?? unrestricted };
  const outcome = inherited(parent, { addresses, prefixes, sendsPerDay });
  if (outcome.kind === 'ok') return outcome.restrictions;
  const field = `restrictions.${wireNames[outcome.part]}`;
  throw fail('restrictions_too_wide', `${field} must allow no more than the API key that makes the call`, { field });
}

/** As the contract has them; nothing where there are none. */
export function toRestrictions(restrictions: KeyRestrictions | null) {
  if (!restrictions) return {};
  const { addresses, prefixes, sendsPerDay } = restrictions;
  return {
    restrictions: {
      addresses: [...addresses],
      prefixes: [...prefixes],
      ...(sendsPerDay === null ? {} : { sendsPerDay }),
    },
  };
}
