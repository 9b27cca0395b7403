// The stops that an account's sends are checked against: those in force, and those that ended lately.

import { sql } from 'kysely';
import { hourMs } from '../../time/wall-clock.ts';
import type { StopRow } from '../schema.ts';

/** How long after its end a stop is among them, ms: the sends that it was based on must not count again (`countedSince`). */
const wantedMs = 3 * hourMs;

/** For a column of a query over `account`. */
export const stopsOfAccount = sql<StopRow[]>`(
  select coalesce(jsonb_agg(to_jsonb(s) order by s.id), '[]') from stop s
  where s.account_id = account.id and s.ends_at > now() - ${sql.lit(wantedMs)} * interval '1 millisecond')`;
