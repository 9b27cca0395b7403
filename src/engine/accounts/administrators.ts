// Administrators: the people who run a deployment. Their tokens are made like API keys; the callers decide which scopes and which end one
// may give another.

import type { Actor } from '../../core/accounts/actor.ts';
import {
  administratorIdPrefix,
  administratorTokenPrefix,
  mostAdministrators,
} from '../../core/accounts/administrator.ts';
import { formatKey } from '../../core/accounts/api-key.ts';
import * as rows from '../../db/accounts/administrators.ts';
import type { AdministratorRow } from '../../db/schema.ts';
import type { AccountsContext } from './context.ts';
import { newSecret } from './secret.ts';

/** An administrator without the hash of the token's secret. */
export type Administrator = Omit<AdministratorRow, 'secret_hash' | 'hmac_key_id'> & {
  /** Enough to recognise the token in a list: its prefix and the end of its id, which are no secret. */
  hint: string;
};

export interface AdministratorRequest {
  name: string;
  scopes: readonly string[];
  /** Unix ms; null = never. */
  expiresAt: number | null;
}

export type AdministratorCreated =
  /** `token` is shown this once, and stored nowhere. */
  | { kind: 'created'; administrator: Administrator; token: string }
  | { kind: 'too_many'; most: number }
  /** The administrator who asks for it was revoked after the call was let in. */
  | { kind: 'maker_revoked' };

export type AdministratorRevoked =
  | { kind: 'revoked'; administrator: Administrator }
  | Exclude<rows.Revoked, { kind: 'revoked' }>;

export class Administrators {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  async create({ name, scopes, expiresAt }: AdministratorRequest, actor: Actor): Promise<AdministratorCreated> {
    const { db, ids, ring, now, caches } = this.#context;
    const id = ids(administratorIdPrefix);
    const { secret, columns } = newSecret(ring);
    const row: rows.NewAdministrator = {
      id,
      name,
      scopes: [...scopes],
      ...columns,
      created_at: new Date(now()),
      created_by: actor.id,
      expires_at: expiresAt === null ? null : new Date(expiresAt),
    };
    const made = await rows.insertAdministrator(db, row, { actor, most: mostAdministrators });
    if (made.kind === 'too_many') return { kind: 'too_many', most: mostAdministrators };
    caches?.clear();
    if (made.kind === 'maker_revoked') return made;
    const token = formatKey({ prefix: administratorTokenPrefix, id, secret });
    return { kind: 'created', administrator: viewOf(made.row), token };
  }

  /** Newest first. */
  async list(page: rows.AdministratorPage): Promise<Administrator[]> {
    return (await rows.listAdministrators(this.#context.db, page)).map(viewOf);
  }

  /** Revoking twice is the same as once. */
  async revoke(id: string, actor: Actor): Promise<AdministratorRevoked> {
    const { db, now, caches, settings } = this.#context;
    const needsOther = !settings.hasAdminToken;
    const outcome = await rows.revokeAdministrator(db, { id, actor, now: new Date(now()), needsOther });
    if (outcome.kind !== 'revoked') return outcome;
    caches?.clear();
    return { kind: 'revoked', administrator: viewOf(outcome.row) };
  }
}

const viewOf = ({ secret_hash: _, hmac_key_id: __, ...row }: AdministratorRow): Administrator => ({
  ...row,
  hint: `${administratorTokenPrefix}…${row.id.slice(-4)}`,
});
