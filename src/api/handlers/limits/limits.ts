// LimitsService: the limits of an account and what is used of its budgets, its stops, and what the rules against abuse say of a send. Stops
// belong to live mode, because test keys send nothing; in test mode there are none.

import { create } from '@bufbuild/protobuf';
import { shownToAccount } from '../../../core/accounts/actor.ts';
import { isId } from '../../../core/ids.ts';
import { stopIdPrefix } from '../../../core/limits/stop.ts';
import type { StoredStop } from '../../../db/limits/stops.ts';
import type { AccountLimits } from '../../../engine/limits/account-limits.ts';
import type { DryRuns } from '../../../engine/limits/dry-run.ts';
import type { Stops } from '../../../engine/limits/stops.ts';
import { DryRunResponseSchema, LimitsService, type Stop, StopSchema } from '../../../gen/ramz/v1/limits_pb.ts';
import { actorOf, keyOf } from '../../waist/context.ts';
import { fail, toError } from '../../waist/errors.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { cutPage, nextPageToken, readPage, requireNumbers, toTimestamp } from '../fields.ts';
import { requireOwnCodes, toAsked } from '../verify/send.ts';

export interface LimitsParts {
  limits: AccountLimits;
  stops: Stops;
  dryRuns: DryRuns;
  now(): number;
}

export function limitsService({ limits, stops, dryRuns, now }: LimitsParts): RegisteredService {
  return service(LimitsService, {
    async getLimits(_, context) {
      const { budgets, ...rest } = await limits.of(keyOf(context));
      const shown = budgets.map(({ windowEndsAt, ...budget }) => {
        return { ...budget, windowEndsAt: toTimestamp(new Date(windowEndsAt)) };
      });
      return { limits: { ...rest, budgets: shown } };
    },

    async listStops(request, context) {
      const { accountId, mode } = keyOf(context);
      const { active } = request;
      const list = ['stops', accountId, mode, String(active)];
      const { limit, before } = readPage(request, stopIdPrefix, list);
      const filter = { accountId, activeOnly: active };
      const rows = mode === 'live' ? await stops.list(filter, { limit: limit + 1, before }) : [];
      const { items, next } = cutPage(rows, limit);
      return { stops: items.map(toOwnStop), nextPageToken: nextPageToken(next, list) };
    },

    async liftStop({ id }, context) {
      const { accountId, mode } = keyOf(context);
      if (!isId(stopIdPrefix, id) || mode !== 'live') throw notFound();
      const lifted = await stops.lift(id, { accountId, actor: actorOf(context) });
      if (lifted.kind === 'stop_not_found') throw notFound();
      return { stop: toOwnStop(lifted.stop) };
    },

    async dryRun(request, context) {
      const key = keyOf(context);
      // The rules know single numbers: those on lists, and those that were sent to. Number by number their masked digits could be guessed.
      requireNumbers(key);
      if (request.code !== '') requireOwnCodes(key);
      const asked = toAsked(request, key);
      const result = await dryRuns.of(asked);
      if (result.kind === 'refused') throw toError(result);
      if (result.kind === 'account_limited') {
        const retryAfterSeconds = result.retryAfterMs / 1000;
        throw fail('rate_limited', 'the account makes too many dry runs', { retryAfterSeconds });
      }
      return create(DryRunResponseSchema, {
        allowed: result.allowed,
        results: result.results.map(({ rule, mode, finding }) => ({
          rule,
          mode,
          objects: finding !== null,
          reason: finding?.reason ?? '',
          stopId: finding?.stopId ?? '',
          ...(finding?.retryAfterMs === undefined ? {} : { retryAt: toTimestamp(now() + finding.retryAfterMs) }),
        })),
      });
    },
  });
}

const notFound = () => fail('stop_not_found', 'no such stop in this account and mode');

/** A stop as its account sees it. */
const toOwnStop = (stop: StoredStop): Stop => toStop({ ...stop, liftedBy: shownToAccount(stop.liftedBy) });

export const toStop = (stop: StoredStop): Stop =>
  create(StopSchema, {
    ...stop,
    startedAt: toTimestamp(stop.startedAt),
    endsAt: toTimestamp(stop.endsAt),
    liftedAt: toTimestamp(stop.liftedAt),
    liftedBy: stop.liftedBy ?? '',
  });
