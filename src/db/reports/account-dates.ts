// Statements at home that date an account's first sends, once in its life. The account's row decides which message was the first SMS: it is
// claimed here, then marked where it lies (first-sends.ts), and the claim ends when it is. A claim that its process left is found and ended by another.

import { columns, on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { type RowOf, record } from '../record.ts';

/** A message on record that may be its account's first. */
export interface SentMessage {
  accountId: string;
  sessionId: string;
  messageId: string;
}

/** The one that is, and when an operator accepted it, Unix ms. */
export interface FirstSms extends SentMessage {
  submittedAt: number;
}

const first = record<FirstSms>()({ accountId: 'text', sessionId: 'text', messageId: 'text', submittedAt: 'ms' });
type FirstRow = RowOf<typeof first>;

const claims = `select id as account_id, sms_first_session_id as session_id, sms_first_message_id as message_id,
  sms_first_send_at as submitted_at from account`;

/** `unmarked`: claims whose message may not be marked yet. */
export interface OpenSms {
  undated: string[];
  unmarked: FirstSms[];
}

/** What is left to be done for the first SMS of these accounts. */
export async function openFirstSms(home: Queryable, accountIds: readonly string[]): Promise<OpenSms> {
  const text = `${claims} where id = any ($1::text[]) and (sms_first_send_at is null or sms_first_message_id is not null)`;
  const { rows } = await home.query<FirstRow>({ name: 'first_sends.open_sms', text, values: [accountIds] });
  const isClaimed = ({ message_id }: FirstRow) => message_id !== null;
  return {
    undated: rows.filter((row) => !isClaimed(row)).map(({ account_id }) => account_id),
    unmarked: rows.filter(isClaimed).map(first.fromRow),
  };
}

const claimText = `
with c as materialized (${first.select(1)}),
open as materialized (
  select id from account where id = any (array(select account_id from c)) and sms_first_send_at is null
  order by id for no key update
)
update account a set sms_first_send_at = c.submitted_at, sms_first_session_id = c.session_id, sms_first_message_id = c.message_id
from open join c on c.account_id = open.id where a.id = open.id returning a.id`;

/** Dates the accounts that have no date, by one message each. Returns those that were dated here: their messages are to be marked. */
export async function claimFirstSms(home: Queryable, found: readonly FirstSms[]): Promise<FirstSms[]> {
  const query = { name: 'first_sends.claim', text: claimText, values: first.parameters(found) };
  const dated = new Set((await home.query<{ id: string }>(query)).rows.map(({ id }) => id));
  return found.filter(({ accountId }) => dated.has(accountId));
}

/** Claims looked at with one statement. */
const claimsPerPage = 500;

/** What was claimed and not marked, by whichever process; the oldest first. */
export async function unmarkedFirstSms(home: Queryable): Promise<FirstSms[]> {
  const text = `${claims} where sms_first_message_id is not null order by sms_first_send_at limit ${claimsPerPage}`;
  return (await home.query<FirstRow>({ name: 'first_sends.unmarked', text, values: [] })).rows.map(first.fromRow);
}

/** Ends the claims of messages that are marked. */
export async function endClaims(home: Queryable, marked: readonly SentMessage[]): Promise<void> {
  const text = `update account a set sms_first_session_id = null, sms_first_message_id = null
    from (${first.pick('accountId', 'messageId').select(1)}) m where a.id = m.account_id and a.sms_first_message_id = m.message_id`;
  const rows = marked.map((message) => ({ ...message, submittedAt: 0 }));
  const values = first.pick('accountId', 'messageId').parameters(rows);
  await home.query({ name: 'first_sends.end', text, values });
}

/** An account without a date. */
export interface UndatedAccount {
  accountId: string;
  /** When its own WhatsApp number was linked, Unix ms: what was sent before does not count. Null = never, or not asked for. */
  connectedAt: number | null;
}

const undated = record<UndatedAccount>()({ accountId: 'text', connectedAt: 'ms' });
type UndatedRow = RowOf<typeof undated>;

const linkedRows = `select w.account_id, a.custom_waba_connected_at as connected_at from waba w join account a on a.id = w.account_id
  where w.first_send_at is null`;

/** The accounts among these whose own number has sent nothing yet. */
export async function withoutAppSend(home: Queryable, accountIds: readonly string[]): Promise<UndatedAccount[]> {
  const text = `${linkedRows} and w.account_id = any ($1::text[])`;
  const query = { name: 'first_sends.without_app', text, values: [accountIds] };
  return (await home.query<UndatedRow>(query)).rows.map(undated.fromRow);
}

const appSend = columns({ account_id: 'text', at: 'ms' });

/** Dates those of these accounts that have no date; `at` in Unix ms. */
export async function dateAppSends(
  home: Queryable,
  sends: readonly { accountId: string; at: number }[],
): Promise<void> {
  const text = `with c as materialized (${appSend.select(1)}),
    open as materialized (
      select account_id from waba where account_id = any (array(select account_id from c)) and first_send_at is null
      order by account_id for no key update
    )
    update waba w set first_send_at = c.at from open join c on ${on('c', 'open', 'account_id')} where w.account_id = open.account_id`;
  const values = appSend.parameters(sends.map(({ accountId, at }) => ({ account_id: accountId, at })));
  await home.query({ name: 'first_sends.app', text, values });
}

/** Accounts looked at with one statement. */
const accountsPerPage = 500;

const pages = {
  sms: `select id as account_id, null::timestamptz as connected_at from account
    where sms_first_send_at is null and id > $1 order by id limit ${accountsPerPage}`,
  app: `${linkedRows} and w.account_id > $1 order by w.account_id limit ${accountsPerPage}`,
};

/** One page of the accounts without a date, in the order of their ids. */
export interface UndatedPage {
  accounts: UndatedAccount[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
}

export async function undatedAccounts(home: Queryable, what: keyof typeof pages, after: string): Promise<UndatedPage> {
  const query = { name: `first_sends.undated_${what}`, text: pages[what], values: [after] };
  const accounts = (await home.query<UndatedRow>(query)).rows.map(undated.fromRow);
  return { accounts, next: accounts.length < accountsPerPage ? null : (accounts.at(-1)?.accountId ?? null) };
}
