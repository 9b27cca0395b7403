// Statements over the people that messages went to over WhatsApp (table `app_recipient`): one row for a person and the number that the
// messages went out from, with the time of the last one. A person is 24 bits of a keyed hash.

import { sql } from 'kysely';
import type { Db } from '../schema.ts';

export interface Recipient {
  phoneNumberId: string;
  /** Below 2^24. */
  person: number;
}

/** Notes that a message went to each of these at `at`. In one order, so that two processes never wait for each other. */
export async function saveRecipients(db: Db, recipients: readonly Recipient[], at: Date): Promise<void> {
  const ids = recipients.map(({ phoneNumberId }) => phoneNumberId);
  const people = recipients.map(({ person }) => person);
  await sql`insert into app_recipient as r (phone_number_id, person, last_at)
    select phone_number_id, person, ${at} from unnest(${ids}::text[], ${people}::integer[]) as given (phone_number_id, person)
    order by phone_number_id collate "C", person
    on conflict (phone_number_id, person) do update set last_at = greatest(r.last_at, excluded.last_at)`.execute(db);
}

/** Those that are counted under another hash now. In one order, as above. */
export async function deleteRecipients(db: Db, recipients: readonly Recipient[]): Promise<void> {
  const ids = recipients.map(({ phoneNumberId }) => phoneNumberId);
  const people = recipients.map(({ person }) => person);
  await sql`with gone as materialized (
      select phone_number_id, person from app_recipient
      where (phone_number_id, person) in (select * from unnest(${ids}::text[], ${people}::integer[]))
      order by phone_number_id collate "C", person for update
    )
    delete from app_recipient r using gone where r.phone_number_id = gone.phone_number_id and r.person = gone.person`.execute(
    db,
  );
}

/** The people that one number has written to since. */
export async function recipientsOf(db: Db, phoneNumberId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ people: number }>`select count(*)::integer as people from app_recipient
    where phone_number_id = ${phoneNumberId} and last_at > ${since}`.execute(db);
  return rows[0]?.people ?? 0;
}

/** The people written to since, by the number that the messages went out from. Deletes those that were not, for a day by the database's clock too. */
export async function countRecipients(db: Db, since: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ phone_number_id: string; people: number }>`
    with old as materialized (
      select phone_number_id, person from app_recipient
      where last_at <= least(${since}, clock_timestamp() - interval '24 hours') for update skip locked
    ),
    gone as (
      delete from app_recipient r using old where r.phone_number_id = old.phone_number_id and r.person = old.person
    )
    select phone_number_id, count(*)::integer as people from app_recipient where last_at > ${since} group by 1`.execute(
    db,
  );
  return new Map(rows.map(({ phone_number_id, people }) => [phone_number_id, people]));
}
