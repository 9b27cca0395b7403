// Statements over messages for the dates of first sends (account-dates.ts): which of an account's messages was accepted first, the mark of
// the one that is its first SMS, and the search for what no process has in memory.

import { lowestId } from '../../core/ids.ts';
import type { Queryable } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';
import type { FirstSms, SentMessage, UndatedAccount } from './account-dates.ts';

const sent = record<SentMessage>()({ accountId: 'text', sessionId: 'text', messageId: 'text' });
const first = record<FirstSms>()({ accountId: 'text', sessionId: 'text', messageId: 'text', submittedAt: 'ms' });

// `offset 0`: a row is looked for by its whole key. Joined, the planner may take a part of it while a partition is young, and read all that
// has that part.
const earliestText = `
with c as materialized (${sent.select(1)})
select distinct on (c.account_id) c.account_id, c.session_id, m.id as message_id, m.submitted_at
from c cross join lateral (
  select id, submitted_at from message where session_id = c.session_id and id = c.message_id offset 0
) m
where m.submitted_at is not null order by c.account_id, m.submitted_at, m.id`;

/** The earliest of these messages that an operator has accepted, one an account. */
export async function earliestSent(db: Queryable, messages: readonly SentMessage[]): Promise<FirstSms[]> {
  const query = { name: 'first_sends.earliest', text: earliestText, values: sent.parameters(messages) };
  return (await db.query<RowOf<typeof first>>(query)).rows.map(first.fromRow);
}

/** Marks these messages as their accounts' first. Returns those that are here. */
export async function markFirstSms(db: Queryable, claimed: readonly FirstSms[]): Promise<FirstSms[]> {
  const text = `with c as materialized (${first.select(1)})
    update message m set first_send_at = c.submitted_at from c
    where m.session_id = c.session_id and m.id = c.message_id returning m.id`;
  const query = { name: 'first_sends.mark', text, values: first.parameters(claimed) };
  const marked = new Set((await db.query<{ id: string }>(query)).rows.map(({ id }) => id));
  return claimed.filter(({ messageId }) => marked.has(messageId));
}

/** A session sent from an account's own number. */
export type LinkedSession = UndatedAccount & Pick<SentMessage, 'sessionId'>;

const linked = record<LinkedSession>()({
  accountId: 'text',
  connectedAt: 'ms',
  sessionId: 'text',
});

// What counts is the session's first send, by whichever channel; one that began before the link does not count.
const firstOfLinkText = `
with c as materialized (${linked.select(1)})
select c.account_id, (extract(epoch from min(s.first_send_at)) * 1000)::double precision as at
from c cross join lateral (
  select first_send_at from verify_session where account_id = c.account_id and id = c.session_id offset 0
) s
where s.first_send_at >= c.connected_at group by c.account_id`;

/** The first send of these sessions since their accounts were linked, Unix ms. */
export async function firstSendsSince(
  db: Queryable,
  sessions: readonly LinkedSession[],
): Promise<{ accountId: string; at: number }[]> {
  const query = { name: 'first_sends.linked', text: firstOfLinkText, values: linked.parameters(sessions) };
  const { rows } = await db.query<{ account_id: string; at: number }>(query);
  return rows.map(({ account_id: accountId, at }) => ({ accountId, at }));
}

/** Sessions of one account looked at, the youngest first: an account without a date may still have sent any number with test keys. */
const sessionsPerAccount = 2_000;

/** Longer than any session lives: what was accepted from then on belongs to a session that was opened no longer before. */
const longestWaitMs = 7_200_000;

const undated = record<UndatedAccount>()({ accountId: 'text', connectedAt: 'ms' });

const searchText = (condition: string) => `
with undated as materialized (${undated.select(3)})
select undated.account_id, found.session_id, found.id as message_id
from undated cross join lateral (
  select m.id, s.id as session_id
  from (
    select id, mode, first_send_at from verify_session
    where account_id = undated.account_id and id >= $1 order by id desc limit ${sessionsPerAccount}
  ) s cross join lateral (
    select id, channel, sender_id, sender_fallback, submitted_at from message where session_id = s.id offset 0
  ) m
  where s.mode = 'live' and m.submitted_at >= to_timestamp($2::bigint / 1000.0)
    and ${condition}
  order by m.submitted_at, m.id limit 1
) found`;

const searches = {
  sms: { name: 'first_sends.find_sms', text: searchText(`m.channel = 'sms'`) },
  app: {
    name: 'first_sends.find_app',
    text: searchText(`m.channel = 'whatsapp' and m.sender_id is not null and not m.sender_fallback
      and s.first_send_at >= undated.connected_at`),
  },
};

/** Looks for the first of each account among what was accepted from `since` (Unix ms) on. `connectedAt` counts for `app`. */
export async function findFirstSends(
  db: Queryable,
  what: keyof typeof searches,
  since: number,
  accounts: readonly UndatedAccount[],
): Promise<SentMessage[]> {
  const oldest = lowestId('vrf_', Math.max(0, Math.floor(since) - longestWaitMs));
  const values = [oldest, Math.floor(since), ...undated.parameters(accounts)];
  return (await db.query<RowOf<typeof sent>>({ ...searches[what], values })).rows.map(sent.fromRow);
}
