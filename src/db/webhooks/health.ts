// The health of endpoints: since when each has failed without a success in between. It is stored at home, with the endpoints, and apart from the
// mark of an attempt (attempts.ts), which is stored in the delivery's cell: no statement spans two databases.

import { type Columns, columns } from '../columns.ts';
import type { Queryable } from '../queryable.ts';

const attempt = columns({ endpoint_id: 'text', works: 'boolean', at: 'ms' });

/** What came of an attempt: whether it was delivered, and when its answer came. */
export type HealthReport = typeof attempt extends Columns<infer Row> ? Row : never;

// Of several attempts at once a success counts. Endpoints are locked in one order; only those whose health turns are written.
const reportText = `
with i as materialized (${attempt.select(1)}),
tried as materialized (
  select endpoint_id, bool_or(works) as works, min(at) as at from i group by endpoint_id
),
turned as materialized (
  select w.id, t.works, t.at from tried t join webhook_endpoint w on w.id = t.endpoint_id
  where (w.failing_since is null) <> t.works order by w.id for update of w
),
health as (
  update webhook_endpoint w set failing_since = case when turned.works then null else turned.at end
  from turned where w.id = turned.id returning w.id, w.failing_since
)
select t.endpoint_id, case when health.id is null then w.failing_since else health.failing_since end as failing_since
from tried t join webhook_endpoint w on w.id = t.endpoint_id left join health on health.id = t.endpoint_id`;

type Row = { endpoint_id: string; failing_since: Date | null };

/** Since when each endpoint has been failing, Unix ms, in the order of `reports`; null while it works or is gone. */
export async function reportHealth(home: Queryable, reports: readonly HealthReport[]): Promise<(number | null)[]> {
  const query = { name: 'endpoint.health', text: reportText, values: attempt.parameters(reports) };
  const { rows } = await home.query<Row>(query);
  const since = new Map(rows.map((row) => [row.endpoint_id, row.failing_since?.getTime() ?? null]));
  return reports.map(({ endpoint_id }) => since.get(endpoint_id ?? '') ?? null);
}

/** Those of these endpoints that are failing, and since when, Unix ms. */
export async function failingEndpoints(home: Queryable, ids: readonly string[]): Promise<Map<string, number>> {
  const text = `select id as endpoint_id, failing_since from webhook_endpoint
    where id = any ($1::text[]) and failing_since is not null`;
  const { rows } = await home.query<Row>({ name: 'endpoint.failing', text, values: [ids] });
  return new Map(rows.map((row) => [row.endpoint_id, row.failing_since?.getTime() ?? 0]));
}
