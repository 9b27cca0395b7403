// What the database knows of the sessions and messages that violations name: the place to begin looking for a reason.
import pg from 'pg';
import type { Violation } from './verify/violation.ts';

const most = 8;

/** One JSON line for each of the first few: the session with its timeline, its messages, receipts and references. */
export async function stories(url: string, violations: readonly Violation[]): Promise<string[]> {
  const named = violations.flatMap(({ detail }) => detail.match(/\b(?:vrf|msg)_[0-9a-z]{26}\b/g) ?? []);
  const ids = [...new Set(named)].slice(0, most);
  if (ids.length === 0) return [];
  const client = new pg.Client({ connectionString: url, application_name: 'ramz chaos' });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select to_jsonb(s) - 'legs' - 'cascade' - 'autofill' as session,
        (select jsonb_agg(t.entries order by t.version) from session_timeline t where t.session_id = s.id) as timeline,
        (select jsonb_agg(to_jsonb(m)) from message m where m.session_id = s.id) as messages,
        (select jsonb_agg(to_jsonb(r)) from receipt r where r.session_id = s.id) as receipts,
        (select jsonb_agg(to_jsonb(f)) from operator_reference f where f.session_id = s.id) as "references"
      from verify_session s where s.id = any($1) or s.id in (select session_id from message where id = any($1))`,
      [ids],
    );
    return rows.map((row) => JSON.stringify(row));
  } finally {
    await client.end();
  }
}
