// The check of the key ring at a start: a process that lacks keys which the database names would join the others as ready, and answer good
// keys 401. Ids of keys stand in rows and before sealed texts.

import type { KeyPurpose, KeyRing } from '../../core/secrets/key-ring.ts';
import type { Queryable } from '../queryable.ts';

interface NamedKey {
  purpose: KeyPurpose;
  id: string;
}

const sealed = (column: string): string => `split_part(${column}, '.', 1)`;

const atHome = `
select distinct 'api_key' as purpose, hmac_key_id as id from api_key
where revoked_at is null and (expires_at is null or expires_at > now())
union select 'api_key', hmac_key_id from administrator
where revoked_at is null and (expires_at is null or expires_at > now())
union select 'webhook_secret', ${sealed('secret')} from webhook_endpoint
union select 'webhook_secret', ${sealed('previous_secret')} from webhook_endpoint
where previous_secret is not null and previous_secret_expires_at > now()
union select 'waba_secret', ${sealed('each.text')} from waba, lateral (values (code), (token), (pin)) as each (text)
where each.text is not null`;

const inCell = `
select distinct named.purpose, named.id from pending_number p
join verify_session s on s.account_id = p.account_id and s.id = p.session_id,
lateral (values ('code', s.key_id), ('custom_code', ${sealed('s.sealed_code')})) as named (purpose, id)
where named.id <> ''`;

/** Of accounts all rows are read (tens each), of sessions only those that are pending. */
async function namedKeys({ home, cells }: Databases): Promise<NamedKey[]> {
  const found = [
    home.query<NamedKey>({ name: 'named_keys.home', text: atHome, values: [] }),
    ...cells.map((cell) => cell.query<NamedKey>({ name: 'named_keys.cell', text: inCell, values: [] })),
  ];
  return (await Promise.all(found)).flatMap(({ rows }) => rows);
}

/** Where accounts are, and all that sessions are in. */
export interface Databases {
  home: Queryable;
  cells: readonly Queryable[];
}

export type RequiredKeys =
  | { kind: 'complete' }
  /** `reason`: for the person who starts the program, with the purpose and id of each key that the ring lacks. */
  | { kind: 'missing'; reason: string };

/** Whether the ring has every key that the databases name. */
export async function requiredKeys(databases: Databases, ring: KeyRing): Promise<RequiredKeys> {
  const missing = (await namedKeys(databases)).filter(({ purpose, id }) => ring.byId(id)?.purpose !== purpose);
  return missing.length > 0 ? { kind: 'missing', reason: reasonFor(missing) } : { kind: 'complete' };
}

const reasonFor = (missing: readonly NamedKey[]): string =>
  [
    'the key ring lacks keys that the database names:',
    ...new Set(missing.map(({ purpose, id }) => `  ${purpose}  ${id}`).sort()),
    'Start with the ring that the other processes have (RAMZ_KEY_RING); a key may go once nothing names it.',
  ].join('\n');
