// Webhook endpoints as their account manages them, and their sealed signing secrets. Page tokens, wire names and error codes are the
// handlers' business.

import { randomBytes } from 'node:crypto';
import { shardForAccount } from '../../core/ids.ts';
import { type KeyRing, open, seal } from '../../core/secrets/key-ring.ts';
import { newWebhookSecret } from '../../core/webhooks/signature.ts';
import { withAccountLocked } from '../../db/accounts/accounts.ts';
import type { Reads } from '../../db/queryable.ts';
import * as rows from '../../db/webhooks/endpoints.ts';
import { resealedText, type SealedRows } from '../secrets/resealing.ts';
import type { WebhooksContext } from './context.ts';
import { hostOf } from './hosts.ts';
import { checkUrl } from './target.ts';

export type Owner = rows.Owner;

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

type EndpointsContext = Pick<
  WebhooksContext,
  'db' | 'reads' | 'ids' | 'ring' | 'now' | 'settings' | 'caches' | 'allowPrivate' | 'mostEndpoints'
>;

const dayMs = 86_400_000;

export class Endpoints {
  readonly #context: EndpointsContext;

  constructor(context: EndpointsContext) {
    this.#context = context;
  }

  /** `secret` is shown this once. */
  async create(
    owner: Owner,
    { url, description, eventTypes }: NewEndpoint,
  ): Promise<
    | { kind: 'created'; endpoint: EndpointView; secret: string }
    | Refused
    | HostFull
    | { kind: 'too_many'; most: number }
  > {
    const { db, ids, ring, now, caches, mostEndpoints: most } = this.#context;
    const check = checkUrl(url, this.#context);
    if (check.kind === 'refused') return check;
    const id = ids('whe_', shardForAccount(owner.accountId));
    const { secret, sealed } = makeSecret(ring, id);
    const row = { ...owner, id, url, description, eventTypes, sealedSecret: sealed, now: now() };
    const made = await withAccountLocked(db, owner.accountId, async (tx) => {
      return (await this.#hostFull(tx, owner, id, url)) ?? rows.insertEndpoint(tx, row, most);
    });
    if (!made) return { kind: 'too_many', most };
    if ('kind' in made) return made;
    caches.clear();
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
    owner: Owner,
    id: string,
    change: rows.EndpointChange,
  ): Promise<{ kind: 'updated'; endpoint: EndpointView } | Refused | HostFull | NotFound> {
    const check = change.url === undefined ? { kind: 'ok' as const } : checkUrl(change.url, this.#context);
    if (check.kind === 'refused') return check;
    const { db, reads, now, caches } = this.#context;
    const update = (on: Reads) => rows.updateEndpoint(on, owner, id, change, now());
    const { url } = change;
    const row =
      url === undefined
        ? await update(reads)
        : await withAccountLocked(
            db,
            owner.accountId,
            async (tx) => (await this.#movesIn(tx, owner, id, url)) ?? update(tx),
          );
    if (!row) return { kind: 'not_found' };
    if ('kind' in row) return row;
    caches.clear();
    return { kind: 'updated', endpoint: this.#view(row) };
  }

  /** False when there was none. What was still to be delivered to it is not. */
  async remove(owner: Owner, id: string): Promise<boolean> {
    const removed = await rows.deleteEndpoint(this.#context.reads, owner, id);
    if (removed) this.#context.caches.clear();
    return removed;
  }

  /** Until `keepPreviousMs` (default 24 h) have passed, the old secret is signed with too; 0 = it is dropped at once. */
  async rotateSecret(
    owner: Owner,
    id: string,
    keepPreviousMs: number = dayMs,
  ): Promise<{ kind: 'rotated'; endpoint: EndpointView; secret: string } | NotFound> {
    const { reads, ring, caches } = this.#context;
    const now = this.#context.now();
    const { secret, sealed } = makeSecret(ring, id);
    const keepUntil = keepPreviousMs > 0 ? now + keepPreviousMs : null;
    const row = await rows.rotateSecret(reads, owner, id, { sealedSecret: sealed, keepUntil, now });
    if (!row) return { kind: 'not_found' };
    caches.clear();
    return { kind: 'rotated', endpoint: this.#view(row), secret };
  }

  /** An endpoint that stays at its host is not counted again, however many there are from before the limit. */
  async #movesIn(tx: Reads, owner: Owner, id: string, url: string): Promise<HostFull | null> {
    const before = await rows.getEndpoint(tx, owner, id);
    if (!before || hostOf(before.url) === hostOf(url)) return null;
    return this.#hostFull(tx, owner, id, url);
  }

  async #hostFull(tx: Reads, { accountId }: Owner, id: string, url: string): Promise<HostFull | null> {
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

/** A sealed secret is bound to the endpoint's id, so that a copy in another row does not open there. `secret` is shown to the client this once; `sealed` is what is stored. */
function makeSecret(ring: KeyRing, endpointId: string): { secret: string; sealed: string } {
  const secret = newWebhookSecret(randomBytes(24));
  return { secret, sealed: seal(ring, 'webhook_secret', secret, endpointId, randomBytes(12)) };
}

/** undefined when the ring no longer has the key, or the text was tampered with. */
export function openSecret(ring: KeyRing, endpointId: string, sealed: string): string | undefined {
  const opened = open(ring, 'webhook_secret', sealed, endpointId);
  return opened.kind === 'ok' ? opened.plaintext : undefined;
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
