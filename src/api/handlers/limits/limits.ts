// LimitsService: the limits of an account, and what is used of its budgets.

import type { AccountLimits } from '../../../engine/limits/account-limits.ts';
import { LimitsService } from '../../../gen/ramz/v1/limits_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { toTimestamp } from '../fields.ts';

export function limitsService(limits: AccountLimits): RegisteredService {
  return service(LimitsService, {
    async getLimits(_, context) {
      const { budgets, ...rest } = await limits.of(keyOf(context));
      const shown = budgets.map(({ windowEndsAt, ...budget }) => {
        return { ...budget, windowEndsAt: toTimestamp(new Date(windowEndsAt)) };
      });
      return { limits: { ...rest, budgets: shown } };
    },
  });
}
