// Statements over the table `projection`: until when each process has projected what it committed. By a dead process's row another process
// knows which rows are not projected yet.

import type { Queryable } from '../queryable.ts';

export interface OwnMark {
  projector: string;
  processId: string;
  /** What this process committed before it is projected, Unix ms; null leaves the row as it is. */
  doneUntil: number | null;
  mayTakeOver: boolean;
}

const ms = (time: string): string => `round(extract(epoch from ${time}) * 1000)::double precision`;

// The row of a dead process is merged into this process's own, in one statement: should this process die next, the process that takes over
// finds the older time.
const markText = `
with dead as materialized (
  select d.process_id, d.done_until from projection d
  where $4::boolean and d.projector = $1 and d.process_id <> $2
    and not exists (select from process p where p.id = d.process_id and p.lease_until > now())
  for update skip locked
),
gone as (
  delete from projection g using dead where g.projector = $1 and g.process_id = dead.process_id
),
mine as (
  insert into projection as m (projector, process_id, done_until)
  select $1, $2, least(to_timestamp($3::bigint / 1000.0), min(dead.done_until)) from dead
  having $3 is not null or count(*) > 0
  on conflict (projector, process_id) do update
    set done_until = case when $3 is null then least(m.done_until, excluded.done_until) else excluded.done_until end
)
select (select ${ms('min(done_until)')} from dead) as dead,
  (select ${ms('done_until')} from projection where projector = $1 and process_id = $2) as own`;

/** Unix ms; null where there is none. */
export interface MarksFound {
  /** The earliest of those that were taken over. */
  dead: number | null;
  /** This process's own, as it was before. */
  own: number | null;
}

/** Moves this process's mark, and takes over those of dead processes. */
export async function moveMark(db: Queryable, mark: OwnMark): Promise<MarksFound> {
  const values = [mark.projector, mark.processId, mark.doneUntil, mark.mayTakeOver];
  const { rows } = await db.query<MarksFound>({ name: 'projection.mark', text: markText, values });
  return rows[0] ?? { dead: null, own: null };
}

/** For a process that ends, with everything projected. */
export async function removeMark(db: Queryable, projector: string, processId: string): Promise<void> {
  const text = 'delete from projection where projector = $1 and process_id = $2';
  await db.query({ name: 'projection.end', text, values: [projector, processId] });
}
