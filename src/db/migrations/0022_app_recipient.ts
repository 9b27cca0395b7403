// The people that messages went to over WhatsApp within a day, by the number they went out from: the platform limits how many they may be.

import { type Kysely, sql } from 'kysely';
import { busy } from './beginning/busy.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table app_recipient (
    phone_number_id text collate "C" not null,
    -- 24 bits of the hash of the phone, which hundreds of phones share: the count needs no more.
    person integer not null,
    -- Of the last message; a row that is older than a day is deleted.
    last_at timestamptz not null,
    primary key (phone_number_id, person)
  ) ${busy}`.execute(db);
}
