// VerifyService.GetSummary: sums over an account's sessions, as the reports of the operator have them (docs/reports.md).

import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import type { Summaries, Summary, SummaryGroup } from '../../../engine/reports/summary.ts';
import type { GetSummaryRequest, SummaryRowSchema } from '../../../gen/ramz/v1/verify_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { boundOf, toBound } from '../fields.ts';

export const getSummary =
  (summaries: Pick<Summaries, 'of'>) =>
  async ({ since, until, groupBy }: GetSummaryRequest, context: HandlerContext) => {
    const { accountId, mode } = keyOf(context);
    const summary = await summaries.of({
      accountId,
      mode,
      since: boundOf(since),
      until: boundOf(until),
      // Words of the value set: the waist has seen to it.
      groupBy: groupBy as SummaryGroup[],
    });
    if (summary.kind === 'refused') {
      const { field, reason } = summary;
      throw fail('invalid_argument', `${field} ${reason}`, { field });
    }
    return {
      since: toBound(summary.since),
      until: toBound(summary.until),
      ...(summary.countedUntil === null ? {} : { countedUntil: timestampFromMs(Math.floor(summary.countedUntil)) }),
      rows: summary.rows.map((row) => toRow(row, summary.groups)),
    };
  };

function toRow(
  { by, counts, costs }: Summary['rows'][number],
  groups: Summary['groups'],
): MessageInitShape<typeof SummaryRowSchema> {
  const { sessions, verified, expired, failed, canceled, sent, delivered, parts } = counts;
  const partOf = (group: SummaryGroup) => by[groups.indexOf(group)];
  // `2026-03-01`, or `2026-03-01T14:00Z`.
  const startsAt = partOf('day') ?? partOf('hour');
  return {
    ...(startsAt === undefined ? {} : { startsAt: timestampFromMs(Date.parse(startsAt)) }),
    operator: partOf('operator') ?? '',
    channel: partOf('channel') ?? '',
    sessions,
    verified,
    expired,
    failed,
    canceled,
    sent,
    delivered,
    parts,
    costs: costs.map(({ currency, amount, platformAmount }) => ({ currency, amount, platformAmount })),
  };
}
