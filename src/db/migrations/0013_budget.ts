// Budgets: what of each is used in its window, and what they keep for a message until its cost is final.

import { type Kysely, sql } from 'kysely';
import { busy } from './beginning/busy.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table budget (
    account_id text collate "C" not null,
    -- '' = of the whole account.
    key_id text collate "C" not null,
    period text not null,
    -- 'sends', or a currency.
    unit text not null,
    -- Hours or days since 1970.
    time_window integer not null,
    -- What was granted to processes in it, less what they gave back and what messages cost less in the end.
    used numeric not null,
    most numeric not null,
    -- The last warning of the window, in percent.
    warned smallint not null,
    primary key (account_id, key_id, period, unit)
  ) ${busy}`.execute(db);
  await sql`alter table message add column reserve jsonb`.execute(db);
}
