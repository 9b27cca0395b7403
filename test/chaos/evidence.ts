// What is looked at when a run is over: the ledger, what the service says over its API, and what is in the database. Plain
// data, so that every check of verify/ can be tested with evidence that was tampered with.
import pg from 'pg';
import type { Client } from './client.ts';
import type { Change, Incident } from './journal.ts';
import type { Arrived, Checked, Event, Sent, Try } from './ledger.ts';
import type { World } from './world.ts';

/** A session as GET /v1/verify/sessions lists it. */
export interface ListedSession {
  id: string;
  to: string;
  status: string;
  total_cost: { currency: string; amount: string; final: boolean }[];
}

export interface StoredSession {
  id: string;
  created_at: number;
  event_sequence: number;
  timeline: { at: number; kind: string; messageId?: string | null; reason?: string | null }[];
  legs: { timeoutMs: number }[];
  expires_at: number;
}

export interface StoredMessage {
  id: string;
  session_id: string;
  number: string;
  operator: string;
  status: string;
  /** 2 for the message that went out because the fate of the leg's first one was not known. */
  attempt: number;
  reason: string | null;
  created_at: number;
  submitted_at: number | null;
  cost: { amount: string; final: boolean } | null;
}

export interface StoredDelivery {
  event_id: string;
  session_id: string;
  status: string;
  created_at: number;
}

export interface Peak {
  operator: string;
  /** Binds at one time while no server was frozen, and ever. */
  unfrozen: number;
  ever: number;
  /** When `unfrozen` was reached. */
  after: string;
}

export interface Evidence {
  sent: readonly Sent[];
  checked: readonly Checked[];
  arrived: readonly Arrived[];
  events: ReadonlyMap<string, Event>;
  listed: readonly ListedSession[];
  sessions: readonly StoredSession[];
  messages: readonly StoredMessage[];
  deliveries: readonly StoredDelivery[];
  firstSends: number;
  parked: number;
  prices: Readonly<Record<string, string>>;
  peaks: readonly Peak[];
  allowedBinds: Readonly<Record<string, number>>;
  outages: readonly { from: number; to: number }[];
  incidents: readonly Incident[];
  changes: readonly Change[];
  tries: readonly Try[];
  /** Ends of server processes nobody caused. */
  deaths: number;
  leaseMs: number;
  /** How long the row of a webhook is leased. */
  deliveryLeaseMs: number;
  /** What timers may be late beyond that. */
  slackMs: number;
}

const ms = (column: string) =>
  `(extract(epoch from ${column}) * 1000)::double precision as ${column.split('.').at(-1)}`;

export async function stored(
  url: string,
): Promise<Pick<Evidence, 'sessions' | 'messages' | 'deliveries' | 'firstSends' | 'parked'>> {
  const client = new pg.Client({ connectionString: url, application_name: 'ramz chaos' });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const all = async <Row>(text: string) => (await client.query(text)).rows as Row[];
    const [count] = await all<{ first_sends: number; parked: number }>(
      `select (select count(*)::integer from message where first_send_at is not null) as first_sends,
        (select count(*)::integer from parked_receipt) as parked`,
    );
    return {
      sessions: await all(
        `select id, ${ms('created_at')}, ${ms('expires_at')}, event_sequence, legs,
          (select jsonb_agg(jsonb_build_object('at', e.entry -> 0, 'kind', e.entry -> 1, 'messageId', e.entry -> 5,
                'reason', e.entry -> 6)
              order by t.version, e.n)
            from session_timeline t, jsonb_array_elements(t.entries::jsonb) with ordinality e (entry, n)
            where t.session_id = s.id) as timeline
        from verify_session s`,
      ),
      messages: await all(
        `select m.id, m.session_id, s.number, m.operator, m.status, m.attempt, m.reason, ${ms('m.created_at')},
          ${ms('m.submitted_at')}, m.cost from message m join verify_session s on s.id = m.session_id`,
      ),
      deliveries: await all(`select event_id, session_id, status, ${ms('created_at')} from webhook_delivery`),
      firstSends: count?.first_sends ?? 0,
      parked: count?.parked ?? 0,
    };
  } finally {
    await client.end();
  }
}

const maxPages = 10_000;

/** Every session, page by page, as a client would read them. */
export async function listed(client: Client): Promise<ListedSession[]> {
  const found: ListedSession[] = [];
  let token = '';
  for (let page = 0; page < maxPages; page += 1) {
    const next = token ? `&page_token=${encodeURIComponent(token)}` : '';
    const answer = await client.get(`/v1/verify/sessions?page_size=100${next}`);
    found.push(...answer.sessions);
    token = answer.next_page_token;
    if (!token) return found;
  }
  throw new Error(`more than ${maxPages} pages of sessions`);
}

/** What is not over yet, as text; empty when the run is quiet. */
export async function unsettled({ postgres, sandbox }: World): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.url, application_name: 'ramz chaos' });
  await client.connect();
  try {
    const { rows } = await client.query(`select
      (select count(*)::integer from message where status in ('queued', 'submitting')) as outgoing,
      (select count(*)::integer from message m join verify_session s on s.id = m.session_id
        where m.status = 'submitted' and s.purpose = '') as without_receipt,
      (select count(*)::integer from webhook_delivery where status = 'pending') as webhooks,
      (select count(*)::integer from parked_receipt p where exists (
        select from operator_reference f where f.operator = p.operator and f.number = p.number
          and (f.reference = 'to ' || p.number or p.receipt -> 'references' ? f.reference))) as receipts_to_match,
      -- One whose message is in doubt sends another in a moment.
      (select count(*)::integer from verify_session where status = 'pending' and delivery = 'sending') as sending,
      (select count(*)::integer from verify_session where next_at < now() - interval '2 seconds') as overdue`);
    const receipts = Object.values(sandbox.smscs).reduce((sum, { counts }) => sum + counts.receipts_pending, 0);
    return Object.entries({ ...rows[0], receipts_to_bring: receipts })
      .filter(([, count]) => Number(count) > 0)
      .map(([what, count]) => `${what}: ${count}`)
      .join(', ');
  } finally {
    await client.end();
  }
}
