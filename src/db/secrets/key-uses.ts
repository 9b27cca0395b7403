// The rows that name keys of the key ring, by purpose and id: of API keys and of everything that is sealed. A key may leave the ring
// once nothing names it. What names a key under a new purpose is added here.

import type { KeyPurpose } from '../../core/secrets/key-ring.ts';
import type { Queryable } from '../queryable.ts';
import { sealedUnder } from './resealing.ts';

export interface KeyUse {
  purpose: KeyPurpose;
  /** Of the key. */
  id: string;
  /** In the plural, for people. */
  what: string;
  /** How many name it. */
  rows: number;
}

/** Where accounts are, and all that sessions are in. */
export interface Databases {
  home: Queryable;
  cells: readonly Queryable[];
}

interface Source {
  purpose: KeyPurpose;
  what: string;
  /** Key id of a row. */
  id: string;
  /** From `from` on. */
  rows: string;
}

const pending = `pending_number p join verify_session s on s.account_id = p.account_id and s.id = p.session_id`;

/** Few rows: of accounts and what they have. */
const atHome: readonly Source[] = [
  {
    purpose: 'api_key',
    what: 'API keys',
    id: 'hmac_key_id',
    rows: 'api_key where revoked_at is null and (expires_at is null or expires_at > now())',
  },
  {
    purpose: 'api_key',
    what: 'tokens of administrators',
    id: 'hmac_key_id',
    rows: 'administrator where revoked_at is null and (expires_at is null or expires_at > now())',
  },
  { purpose: 'webhook_secret', what: 'webhook secrets', id: sealedUnder('secret'), rows: 'webhook_endpoint' },
  {
    purpose: 'webhook_secret',
    what: 'previous webhook secrets',
    id: sealedUnder('previous_secret'),
    rows: 'webhook_endpoint where previous_secret is not null and previous_secret_expires_at > now()',
  },
  {
    purpose: 'lists',
    what: 'numbers of allow and block lists',
    id: 'hmac_key_id',
    rows: 'limit_entry where hmac_key_id is not null',
  },
  {
    purpose: 'waba_secret',
    what: 'secrets of linked WhatsApp accounts',
    id: sealedUnder('each.text'),
    rows: 'waba, lateral (values (code), (token), (pin)) as each (text) where each.text is not null',
  },
];

/** Of sessions only those that are pending: of one that is over no code is asked any more. */
const inCell: readonly Source[] = [
  { purpose: 'code', what: 'pending sessions', id: 's.key_id', rows: `${pending} where s.key_id <> ''` },
  {
    purpose: 'custom_code',
    what: 'pending sessions with a code of their caller',
    id: sealedUnder('s.sealed_code'),
    rows: `${pending} where s.sealed_code <> ''`,
  },
];

const textOf = (sources: readonly Source[]): string =>
  sources
    .map(
      ({ purpose, what, id, rows }) =>
        `select '${purpose}' as purpose, ${id} as id, '${what.replaceAll("'", "''")}' as what, count(*)::integer as rows from ${rows} group by 2`,
    )
    .join('\nunion all ');

const homeText = textOf(atHome);
const cellText = textOf(inCell);

/** Every key that is named, and by how many rows of each kind. */
export async function keyUses({ home, cells }: Databases): Promise<KeyUse[]> {
  const found = await Promise.all([
    home.query<KeyUse>({ name: 'key_uses.home', text: homeText, values: [] }),
    ...cells.map((cell) => cell.query<KeyUse>({ name: 'key_uses.cell', text: cellText, values: [] })),
  ]);
  const sums = new Map<string, KeyUse>();
  for (const use of found.flatMap(({ rows }) => rows)) {
    const key = [use.purpose, use.id, use.what].join('\n');
    sums.set(key, { ...use, rows: use.rows + (sums.get(key)?.rows ?? 0) });
  }
  return [...sums.values()];
}

const answersText = `select exists (select from idempotency where request_hash >= $1 and request_hash < $2) or
  exists (select from idempotency_claim where request_hash >= $1 and request_hash < $2) as named`;

/**
 * Whether an answer that is kept for an Idempotency-Key, a day long, names the `code` key. Reads all of them where none does: not for a start.
 */
export async function namedByAnswers(cells: readonly Queryable[], id: string): Promise<boolean> {
  // '/' follows '.': from the id with its dot up to there.
  const values = [Buffer.from(`${id}.`, 'latin1'), Buffer.from(`${id}/`, 'latin1')];
  const query = { name: 'key_uses.answers', text: answersText, values };
  const found = await Promise.all(cells.map((cell) => cell.query<{ named: boolean }>(query)));
  return found.some(({ rows }) => rows[0]?.named ?? false);
}
