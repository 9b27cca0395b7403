// Restrictions of an API key, to and from the contract.

import type { MessageInitShape } from '@bufbuild/protobuf';
import { parseNetwork } from '../../../core/limits/addresses.ts';
import type { BudgetLimits } from '../../../core/limits/budget.ts';
import { inherited, type KeyRestrictions, unrestricted } from '../../../core/limits/key-restrictions.ts';
import type { CreateApiKeyRequest, KeyRestrictionsSchema } from '../../../gen/ramz/v1/api_key_pb.ts';
import type { BudgetLimits as BudgetMessage } from '../../../gen/ramz/v1/limits_pb.ts';
import type { KeyPrincipal } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { readPrefixes } from '../fields.ts';

/** Null = none. Throws `restrictions_too_wide`, `too_many_resources` or `invalid_argument`. */
export function readRestrictions(
  { restrictions: asked }: Pick<CreateApiKeyRequest, 'restrictions'>,
  caller: Pick<KeyPrincipal, 'keyId' | 'restrictions'>,
): KeyRestrictions | null {
  const { addresses = [], sendsPerDay = null, budget } = asked ?? {};
  const prefixes = readPrefixes(asked?.prefixes ?? [], 'restrictions.prefixes');
  for (const [index, text] of addresses.entries()) {
    if (parseNetwork(text)) continue;
    const field = `restrictions.addresses[${index}]`;
    throw fail('invalid_argument', `${field} must be an address or a network, e.g. 203.0.113.0/24`, { field });
  }
  const parent = { keyId: caller.keyId, restrictions: caller.restrictions ?? unrestricted };
  const own = { addresses, prefixes, sendsPerDay, ...(budget ? { budget: readBudget(budget) } : {}) };
  const outcome = inherited(parent, own);
  switch (outcome.kind) {
    case 'ok':
      return outcome.restrictions;
    case 'wider': {
      const field = `restrictions.${outcome.part}`;
      const message = `${field} must allow no more than the API key that makes the call`;
      throw fail('restrictions_too_wide', message, { field });
    }
    case 'too_deep':
      throw fail('too_many_resources', `a key counts for at most ${outcome.most} keys that it descends from`);
  }
}

const readBudget = ({ sendsPerHour, sendsPerDay, spendPerHour, spendPerDay }: BudgetMessage): BudgetLimits => ({
  ...(sendsPerHour === undefined ? {} : { sendsPerHour }),
  ...(sendsPerDay === undefined ? {} : { sendsPerDay }),
  ...(isEmpty(spendPerHour) ? {} : { spendPerHour }),
  ...(isEmpty(spendPerDay) ? {} : { spendPerDay }),
});

const isEmpty = (amounts: object): boolean => Object.keys(amounts).length === 0;

/** Restrictions as the contract has them; nothing where there are none. */
export function toRestrictions(restrictions: KeyRestrictions | null): {
  restrictions?: MessageInitShape<typeof KeyRestrictionsSchema>;
} {
  if (!restrictions) return {};
  const { addresses, prefixes, sendsPerDay, budget } = restrictions;
  return {
    restrictions: {
      addresses: [...addresses],
      prefixes: [...prefixes],
      ...(sendsPerDay === null ? {} : { sendsPerDay }),
      ...(budget ? { budget } : {}),
    },
  };
}
