// What an account's sends are checked against: its stops that hold, and those that ended of late.

import { sql } from 'kysely';
import { hourMs } from '../../time/wall-clock.ts';
import type { StopRow } from '../schema.ts';

/** What is wanted of stops that are over: what they are based on must not count again (`countedSince`). */
const wantedMs = 3 * hourMs;

/** For a column of a query over `account`. */
export const stopsOfAccount = sql<StopRow[]>`(
  select coalesce(jsonb_agg(to_jsonb(s) order by s.id), '[]') from stop s
  where s.account_id = account.id and s.ends_at > now() - ${sql.lit(wantedMs)} * interval '1 millisecond')`;
