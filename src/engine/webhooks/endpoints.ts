// Webhook endpoints as their account manages them, and their sealed signing secrets. Page tokens, wire names and error codes are the
// handlers' business.

import { hash, randomBytes } from 'node:crypto';
import type { Actor } from '../../core/accounts/actor.ts';
import { shardForAccount } from '../../core/ids.ts';
import { type KeyRing, open, seal } from '../../core/secrets/key-ring.ts';
import { newWebhookSecret, type SigningKey, signingKey } from '../../core/webhooks/signature.ts';
import { withAccountLocked } from '../../db/accounts/accounts.ts';
import { type AuditFields, audit } from '../../db/accounts/audit.ts';
import { inTransaction } from '../../db/changes.ts';
import { inside, type Queryable } from '../../db/queryable.ts';
import type { Tx } from '../../db/schema.ts';
import * as rows from '../../db/webhooks/endpoints.ts';
import { dayMs } from '../../time/wall-clock.ts';
import { resealedText, type SealedRows } from '../secrets/resealing.ts';
import type { WebhooksContext } from './context.ts';
import { hostOf } from './host-limiter.ts';
import { checkUrl } from './target.ts';

export type Owner = rows.Owner;

/** An owner who changes something, and who it is for the audit log. */
export interface ActingOwner extends Owner {
  actor: Actor;
}

/** An endpoint as its account sees it: without secrets. */
export type EndpointView = Omit<rows.EndpointRow, 'secret' | 'previousSecret'>;

export interface NewEndpoint {
  url: string;
  description: string;
  /** Empty = every type. */
  eventTypes: readonly string[];
}

/** `reason` is a clause for a message about the address: "must be …". */
export type Refused = { kind: 'refused'; reason: string };
export type NotFound = { kind: 'not_found' };
/** The account has `most` endpoints at the host already. */
export type HostFull = { kind: 'host_full'; host: string; most: number };

export interface Page<Item> {
  items: Item[];
  /** `before` of the next page; null on the last. */
  next: string | null;
}

/**
 * Endpoints, in each mode, of an account that waits for approval. Each event is stored for each endpoint, with all that its send brought along: with
 * 50 of them, a stranger's thousand calls an hour were ten gigabytes.
 */
const mostOfWaiting = 3;

type EndpointsContext = Pick<
  WebhooksContext,
  'db' | 'reads' | 'ids' | 'ring' | 'now' | 'settings' | 'caches' | 'allowPrivate' | 'mostEndpoints'
>;

export class Endpoints {
  readonly #context: EndpointsContext;

  constructor(context: EndpointsContext) {
    this.#context = context;
  }

  /** `secret` is shown this once. */
  async create(
    { actor, ...owner }: ActingOwner,
    { url, description, eventTypes }: NewEndpoint,
  ): Promise<
    | { kind: 'created'; endpoint: EndpointView; secret: string }
    | Refused
    | HostFull
    | { kind: 'too_many'; most: number }
  > {
    const { db, ids, ring, now, caches, mostEndpoints } = this.#context;
    const check = checkUrl(url, this.#context);
    if (check.kind === 'refused') return check;
    const id = ids('whe_', shardForAccount(owner.accountId));
    const { secret, sealed } = makeSecret(ring, id);
    const { accountId, mode } = owner;
    const row = { accountId, mode, id, url, description, eventTypes, sealedSecret: sealed, now: now() };
    const made = await withAccountLocked(db, accountId, async (tx, account) => {
      const full = await this.#hostFull(inside(tx), owner, id, url);
      if (full) return full;
      const most = account?.approved_at === null ? Math.min(mostOfWaiting, mostEndpoints) : mostEndpoints;
      const made = await rows.insertEndpoint(inside(tx), row, most);
      if (!made) return { kind: 'too_many' as const, most };
      await this.#audit(tx, actor, 'create_webhook_endpoint', null, made);
      return made;
    });
    if ('kind' in made) return made;
    caches.clear(owner.accountId);
    return { kind: 'created', endpoint: this.#view(made), secret };
  }

  async get(owner: Owner, id: string): Promise<EndpointView | null> {
    const row = await rows.getEndpoint(this.#context.reads, owner, id);
    return row && this.#view(row);
  }

  /** Newest first. `before` is the `next` of the page before, null for the first. */
  async list(owner: Owner, { limit, before }: { limit: number; before: string | null }): Promise<Page<EndpointView>> {
    const found = await rows.listEndpoints(this.#context.reads, owner, { limit: limit + 1, before });
    const items = found.slice(0, limit).map((row) => this.#view(row));
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  /** What is absent stays; switching on forgets past failures. */
  async update(
    owner: ActingOwner,
    id: string,
    change: rows.EndpointChange,
  ): Promise<{ kind: 'updated'; endpoint: EndpointView } | Refused | HostFull | NotFound> {
    const check = change.url === undefined ? { kind: 'ok' as const } : checkUrl(change.url, this.#context);
    if (check.kind === 'refused') return check;
    const { url } = change;
    const row = await this.#change(owner, id, 'update_webhook_endpoint', async (tx, before) => {
      // An endpoint that stays at its host is not counted again, however many there are from before the limit.
      const moves = url !== undefined && hostOf(before.url) !== hostOf(url);
      const full = moves ? await this.#hostFull(tx, owner, id, url) : null;
      return full ?? rows.updateEndpoint(tx, owner, id, change, this.#context.now());
    });
    if (!row) return { kind: 'not_found' };
    return 'kind' in row ? row : { kind: 'updated', endpoint: this.#view(row) };
  }

  /** False when there was none. What was still to be delivered to it is not. */
  async remove(owner: ActingOwner, id: string): Promise<boolean> {
    const removed = await this.#change(owner, id, 'delete_webhook_endpoint', async (tx, before) =>
      (await rows.deleteEndpoint(tx, owner, id)) ? before : null,
    );
    return removed !== null;
  }

  /** Until `keepPreviousMs` (default 24 h) have passed, the old secret is signed with too; 0 = it is dropped at once. */
  async rotateSecret(
    owner: ActingOwner,
    id: string,
    keepPreviousMs: number = dayMs,
  ): Promise<{ kind: 'rotated'; endpoint: EndpointView; secret: string } | NotFound> {
    const now = this.#context.now();
    const { secret, sealed } = makeSecret(this.#context.ring, id);
    const keepUntil = keepPreviousMs > 0 ? now + keepPreviousMs : null;
    const row = await this.#change(owner, id, 'rotate_webhook_secret', (tx) =>
      rows.rotateSecret(tx, owner, id, { sealedSecret: sealed, keepUntil, now }),
    );
    if (!row || 'kind' in row) return { kind: 'not_found' };
    return { kind: 'rotated', endpoint: this.#view(row), secret };
  }

  /**
   * Runs the change of one endpoint under the account's lock, and records it; null where there is no such endpoint. One that is removed is
   * returned as it was.
   */
  async #change(
    { actor, ...owner }: ActingOwner,
    id: string,
    action: string,
    run: (tx: Queryable, before: rows.EndpointRow) => Promise<rows.EndpointRow | HostFull | null>,
  ): Promise<rows.EndpointRow | HostFull | null> {
    const { db, caches } = this.#context;
    const changed = await withAccountLocked(db, owner.accountId, async (tx) => {
      const before = await rows.getEndpoint(inside(tx), owner, id);
      const after = before && (await run(inside(tx), before));
      if (after && !('kind' in after)) await this.#audit(tx, actor, action, before, after === before ? null : after);
      return after;
    });
    if (changed && !('kind' in changed)) caches.clear(owner.accountId);
    return changed;
  }

  #audit(tx: Tx, actor: Actor, action: string, before: rows.EndpointRow | null, after: rows.EndpointRow | null) {
    const { id: target, accountId, mode } = (after ?? before) as rows.EndpointRow;
    const at = new Date(this.#context.now());
    const entry = { at, actor, action, target, accountId, mode };
    return audit(tx, {
      ...entry,
      ...(before ? { before: shown(before) } : {}),
      ...(after ? { after: shown(after) } : {}),
    });
  }

  async #hostFull(tx: Queryable, { accountId }: Owner, id: string, url: string): Promise<HostFull | null> {
    const most = this.#context.settings.endpointsPerHost;
    const host = hostOf(url);
    const others = await rows.endpointUrls(tx, accountId, id);
    return others.filter((other) => hostOf(other) === host).length >= most ? { kind: 'host_full', host, most } : null;
  }

  #view({ secret: _, previousSecret: __, ...row }: rows.EndpointRow): EndpointView {
    const expired = (row.previousSecretExpiresAt ?? 0) <= this.#context.now();
    return { ...row, previousSecretExpiresAt: expired ? null : row.previousSecretExpiresAt };
  }
}

/**
 * Records what is done with deliveries, which lie in other databases than the audit log, or go out into the world: before anything is done, and as it
 * was asked for.
 */
export function auditAhead(
  { db, now }: Pick<WebhooksContext, 'db' | 'now'>,
  { actor, accountId, mode }: ActingOwner,
  action: string,
  endpointId: string,
  asked: AuditFields,
): Promise<void> {
  const entry = { at: new Date(now()), actor, action, target: endpointId, accountId, mode, after: asked };
  return inTransaction(db, (tx) => audit(tx, entry));
}

/** For the audit log: without the secret, but when the one before it ends. */
const shown = (row: rows.EndpointRow) => ({
  url: withoutQuery(row.url),
  description: row.description,
  event_types: row.eventTypes,
  enabled: row.enabled,
  previous_secret_expires_at: row.previousSecretExpiresAt === null ? null : new Date(row.previousSecretExpiresAt),
});

/** Receivers may expect a token in the query: of one there is only enough of a digest to tell it from another. */
function withoutQuery(url: string): string {
  const [base = '', query] = url.split(/\?(.*)/s, 2);
  return query === undefined ? base : `${base}?…${hash('sha256', query).slice(0, 8)}`;
}

/**
 * A sealed secret is bound to the endpoint's id, so that a copy in another row does not open there. `secret` is shown to the client this
 * once; `sealed` is what is stored.
 */
function makeSecret(ring: KeyRing, endpointId: string): { secret: string; sealed: string } {
  const secret = newWebhookSecret(randomBytes(24));
  return { secret, sealed: seal(ring, 'webhook_secret', secret, endpointId, randomBytes(12)) };
}

/** undefined when the ring no longer has the key, or the text was tampered with. */
export function openSecret(ring: KeyRing, endpointId: string, sealed: string): SigningKey | undefined {
  const opened = open(ring, 'webhook_secret', sealed, endpointId);
  return opened.kind === 'ok' ? signingKey(opened.plaintext) : undefined;
}

/** The secrets of all endpoints, both of a rotation. */
export const sealedEndpoints = (ring: KeyRing): SealedRows => ({
  purpose: 'webhook_secret',
  async reseal(tx, batch) {
    const found = await rows.lockSealedEndpoints(tx, batch);
    const unreadable: string[] = [];
    for (const { id, secret, previousSecret } of found) {
      const again = (sealed: string) => resealedText(ring, 'webhook_secret', { sealed, aad: id, iv: randomBytes(12) });
      const next = { secret: again(secret), previousSecret: previousSecret === null ? null : again(previousSecret) };
      if (next.secret === undefined || next.previousSecret === undefined) unreadable.push(id);
      await rows.resealEndpoint(tx, {
        id,
        secret: next.secret ?? secret,
        previousSecret: next.previousSecret ?? previousSecret,
      });
    }
    return { last: found.at(-1)?.id ?? null, resealed: found.length - unreadable.length, unreadable };
  },
});
