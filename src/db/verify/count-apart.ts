// The statement that counts for a session of another cell: wrong codes and sends of a number are counted where the number is now, and a session
// from before the move is still where it was opened. What it counts is counted here first and then saved there, so that a process that dies in
// between has counted a try too many, and never one too few.

import { lockedType } from '../../core/webhooks/event-body.ts';
import { type Spent, tokensFor } from '../limits/number-tokens.ts';
import { again, type Queryable } from '../queryable.ts';
import { counted, lockedBody, refusedChecks } from './failures-text.ts';
import { type FailureLimit, inputTexts, inputValues, type SaveItem, type SavePart } from './save-batches.ts';

/** What a save may still do once it was counted. */
export type Counted =
  /** `lock`: the body of the event, where the check has locked its number. */
  | { kind: 'counted'; lock: string | null }
  | { kind: 'locked'; until: number | null }
  | { kind: 'spent'; by: Spent }
  /** Another check was faster: start again. */
  | { kind: 'stale' };

const parts: ReadonlySet<SavePart> = new Set<SavePart>(['events', 'sends']);

const text = `
with ${inputTexts(parts).join(',\n')},
looked as materialized (select account_id, id from i),
${counted},
${tokensFor('select * from b')}
select 'counted' as kind, id as session_id, null as event_id, null as endpoint_id, null as detail from ranked where answered
union all ${refusedChecks}
union all select 'spent', s.id, null, null, s.by from spent s
union all select 'lock', e.session_id, e.id, null, ${lockedBody}
  from e join locked l on l.one_wrong = e.session_id where e.type = '${lockedType}'`;

interface Line {
  kind: 'counted' | 'locked' | 'spent' | 'lock';
  session_id: string;
  detail: string | null;
}

/** Counts the check or the resend of each item. The results are in the order of the items. */
export async function countApart(db: Queryable, items: readonly SaveItem[], limit: FailureLimit): Promise<Counted[]> {
  const values = inputValues(parts, items, limit);
  const { rows } = await again(() => db.query<Line>({ name: 'count apart', text, values }));
  const of = (kind: Line['kind']) =>
    new Map(rows.filter((row) => row.kind === kind).map(({ session_id, detail }) => [session_id, detail]));
  const [answered, locked, spent, locks] = [of('counted'), of('locked'), of('spent'), of('lock')];
  return items.map(({ session: { id }, change }): Counted => {
    const by = spent.get(id);
    if (by) return { kind: 'spent', by: by as Spent };
    if (!change.guarded || answered.has(id)) return { kind: 'counted', lock: locks.get(id) ?? null };
    const until = locked.get(id);
    if (until === undefined) return { kind: 'stale' };
    return { kind: 'locked', until: until === null ? null : Number(until) };
  });
}
