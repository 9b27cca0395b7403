// What the API does with webhook endpoints. Page tokens, wire names and error codes are the handlers' business.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Reads } from '../../db/queryable.ts';
import * as rows from '../../db/webhooks/endpoints.ts';
import { hostOf } from './hosts.ts';
import { makeSecret } from './secrets.ts';
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

export interface EndpointManagerOptions {
  /** Not the lanes' pool. */
  db: Reads;
  ring: KeyRing;
  now(): number;
  newEndpointId(accountId: string): string;
  allowPrivate: boolean;
  /** Endpoints of one account and mode. Default 50. */
  most?: number;
  /** Of them, in both modes together, at one host. Default: no limit of its own. */
  mostPerHost?(): number;
  /** Runs `work` while no other call changes endpoints of this account. Default: at once, on `db`. */
  exclusive?<T>(accountId: string, work: (db: Reads) => Promise<T>): Promise<T>;
  /** Called after every change, so that it holds here at once; elsewhere within a second. */
  changed(): void;
}

const dayMs = 86_400_000;

export class EndpointManager {
  readonly #options: EndpointManagerOptions;

  constructor(options: EndpointManagerOptions) {
    this.#options = options;
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
    const { ring, now, newEndpointId, most = 50 } = this.#options;
    const check = checkUrl(url, this.#options);
    if (check.kind === 'refused') return check;
    const id = newEndpointId(owner.accountId);
    const { secret, sealed } = makeSecret(ring, id);
    const row = { ...owner, id, url, description, eventTypes, sealedSecret: sealed, now: now() };
    const made = await this.#exclusive(owner, async (db) => {
      return (await this.#hostFull(db, owner, id, url)) ?? rows.insertEndpoint(db, row, most);
    });
    if (!made) return { kind: 'too_many', most };
    if ('kind' in made) return made;
    this.#options.changed();
    return { kind: 'created', endpoint: this.#view(made), secret };
  }

  async get(owner: Owner, id: string): Promise<EndpointView | null> {
    const row = await rows.getEndpoint(this.#options.db, owner, id);
    return row && this.#view(row);
  }

  /** Newest first. `before` is the `next` of the page before, null for the first. */
  async list(owner: Owner, { limit, before }: { limit: number; before: string | null }): Promise<Page<EndpointView>> {
    const found = await rows.listEndpoints(this.#options.db, owner, { limit: limit + 1, before });
    const items = found.slice(0, limit).map((row) => this.#view(row));
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  /** What is absent stays; switching on forgets past failures. */
  async update(
    owner: Owner,
    id: string,
    change: rows.EndpointChange,
  ): Promise<{ kind: 'updated'; endpoint: EndpointView } | Refused | HostFull | NotFound> {
    const check = change.url === undefined ? { kind: 'ok' as const } : checkUrl(change.url, this.#options);
    if (check.kind === 'refused') return check;
    const { db, now } = this.#options;
    const update = (on: Reads) => rows.updateEndpoint(on, owner, id, change, now());
    const { url } = change;
    const row =
      url === undefined
        ? await update(db)
        : await this.#exclusive(owner, async (tx) => (await this.#movesIn(tx, owner, id, url)) ?? update(tx));
    if (!row) return { kind: 'not_found' };
    if ('kind' in row) return row;
    this.#options.changed();
    return { kind: 'updated', endpoint: this.#view(row) };
  }

  /** False when there was none. What was still to be delivered to it is not. */
  async remove(owner: Owner, id: string): Promise<boolean> {
    const removed = await rows.deleteEndpoint(this.#options.db, owner, id);
    if (removed) this.#options.changed();
    return removed;
  }

  /** Until `keepPreviousMs` (default 24 h) have passed, the old secret is signed with too; 0 = it is dropped at once. */
  async rotateSecret(
    owner: Owner,
    id: string,
    keepPreviousMs: number = dayMs,
  ): Promise<{ kind: 'rotated'; endpoint: EndpointView; secret: string } | NotFound> {
    const now = this.#options.now();
    const { secret, sealed } = makeSecret(this.#options.ring, id);
    const keepUntil = keepPreviousMs > 0 ? now + keepPreviousMs : null;
    const row = await rows.rotateSecret(this.#options.db, owner, id, { sealedSecret: sealed, keepUntil, now });
    if (!row) return { kind: 'not_found' };
    this.#options.changed();
    return { kind: 'rotated', endpoint: this.#view(row), secret };
  }

  #exclusive<T>({ accountId }: Owner, work: (db: Reads) => Promise<T>): Promise<T> {
    const { db, exclusive } = this.#options;
    return exclusive ? exclusive(accountId, work) : work(db);
  }

  /** An endpoint that stays at its host takes no place there, however many there are from before the limit. */
  async #movesIn(db: Reads, owner: Owner, id: string, url: string): Promise<HostFull | null> {
    const before = await rows.getEndpoint(db, owner, id);
    if (!before || hostOf(before.url) === hostOf(url)) return null;
    return this.#hostFull(db, owner, id, url);
  }

  async #hostFull(db: Reads, { accountId }: Owner, id: string, url: string): Promise<HostFull | null> {
    const most = this.#options.mostPerHost?.() ?? Number.POSITIVE_INFINITY;
    const host = hostOf(url);
    const others = await rows.endpointUrls(db, accountId, id);
    return others.filter((other) => hostOf(other) === host).length >= most ? { kind: 'host_full', host, most } : null;
  }

  #view({ secret: _, previousSecret: __, ...row }: rows.EndpointRow): EndpointView {
    const expired = (row.previousSecretExpiresAt ?? 0) <= this.#options.now();
    return { ...row, previousSecretExpiresAt: expired ? null : row.previousSecretExpiresAt };
  }
}
