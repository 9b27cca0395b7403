// The keys of the ring that the database still needs, by their ids, which stand in rows and before sealed texts. Read once, at a
// start: what an account has is read whole (tens of rows each), and of the sessions only those that are pending.

import type { KeyPurpose } from '../../core/secrets/key-ring.ts';
import type { Queryable } from '../queryable.ts';

export interface NamedKey {
  purpose: KeyPurpose;
  id: string;
}

const sealed = (column: string): string => `split_part(${column}, '.', 1)`;

const text = `
select distinct 'api_key' as purpose, hmac_key_id as id from api_key
where revoked_at is null and (expires_at is null or expires_at > now())
union select 'webhook_secret', ${sealed('secret')} from webhook_endpoint
union select 'webhook_secret', ${sealed('previous_secret')} from webhook_endpoint
where previous_secret is not null and previous_secret_expires_at > now()
union select 'waba_secret', ${sealed('each.text')} from waba, lateral (values (code), (token), (pin)) as each (text)
where each.text is not null
union select 'code', s.key_id from pending_number p
join verify_session s on s.account_id = p.account_id and s.id = p.session_id`;

/** In the order of purposes and ids. */
export async function namedKeys(db: Queryable): Promise<NamedKey[]> {
  const { rows } = await db.query<NamedKey>({ name: 'named_keys', text: `${text} order by 1, 2`, values: [] });
  return rows;
}
