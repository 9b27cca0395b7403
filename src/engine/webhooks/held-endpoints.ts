// Endpoints in memory, as delivery needs them, until one changes: `clear` is called within a second of any change.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import type { Mode } from '../../core/verify/session.ts';
import type { SigningKey } from '../../core/webhooks/signature.ts';
import { Lane } from '../../db/batch.ts';
import { type EndpointRow, loadEndpoints } from '../../db/webhooks/endpoints.ts';
import type { WebhooksContext } from './context.ts';
import { openSecret } from './endpoints.ts';
import { hostOf } from './host-limiter.ts';

export interface Endpoint {
  id: string;
  accountId: string;
  mode: Mode;
  url: string;
  enabled: boolean;
  disabledReason: string | null;
  /** Its account is suspended: what it would get is held. */
  suspended: boolean;
  /** Whether its last attempt failed, as home knew it when the endpoint was read. */
  isFailing: boolean;
  /** When the endpoint was read, Unix ms. */
  loadedAt: number;
  /** The key of its secret; undefined when the secret can't be opened: the key ring lacks the key. */
  key: SigningKey | undefined;
  /** The secret before, and until when posts are signed with it as well, Unix ms. */
  previous: { key: SigningKey; expiresAt: number } | null;
}

/** Endpoints held at once; about a kilobyte each. */
const maxHeld = 20_000;

export class HeldEndpoints {
  readonly #ring: KeyRing;
  readonly #now: () => number;
  readonly #lane: Lane<string, Endpoint | null>;
  #held = new Map<string, Promise<Endpoint | null>>();
  /** Where the posts of those that are held go, and whose they are; absent while they are loaded. */
  #known = new Map<string, { host: string; accountId: string }>();

  constructor({ home, ring, now }: Pick<WebhooksContext, 'home' | 'ring' | 'now'>) {
    this.#ring = ring;
    this.#now = now;
    this.#lane = new Lane(
      async (ids) => {
        const at = this.#now();
        const rows = await loadEndpoints(home, ids);
        return ids.map((id) => this.#view(rows.get(id), at));
      },
      { name: 'webhook_endpoints' },
    );
  }

  /** Null when the endpoint does not exist any more. @throws when the database fails. */
  get(id: string): Promise<Endpoint | null> {
    const held = this.#held.get(id);
    if (held) return held;
    if (this.#held.size >= maxHeld) this.clear();
    const into = this.#held;
    const loading = this.#lane.push(id);
    into.set(id, loading);
    loading.then(
      (endpoint) => {
        // Forgotten meanwhile, it may be older than what is held now.
        if (!endpoint || this.#held.get(id) !== loading) return;
        this.#known.set(id, { host: hostOf(endpoint.url), accountId: endpoint.accountId });
      },
      () => into.get(id) === loading && into.delete(id),
    );
    return loading;
  }

  /** The host of an endpoint that is held; null for others. */
  hostOf(id: string): string | null {
    return this.#known.get(id)?.host ?? null;
  }

  /** Forgets the account's endpoints; without one, all. So is what is being loaded at this moment: it may be older than the change. */
  clear(accountId?: string): void {
    if (accountId === undefined) {
      this.#held = new Map();
      this.#known = new Map();
      return;
    }
    for (const id of this.#held.keys()) {
      if ((this.#known.get(id)?.accountId ?? accountId) !== accountId) continue;
      this.#held.delete(id);
      this.#known.delete(id);
    }
  }

  #view(row: EndpointRow | undefined, loadedAt: number): Endpoint | null {
    if (!row) return null;
    const { id, accountId, mode, url, enabled, disabledReason, suspended } = row;
    const { previousSecret, failingSince } = row;
    const expiresAt = row.previousSecretExpiresAt ?? Number.NEGATIVE_INFINITY;
    // One that has expired stays sealed: nothing is signed with it any more.
    const isLive = previousSecret !== null && expiresAt > loadedAt;
    const previous = isLive ? openSecret(this.#ring, id, previousSecret) : undefined;
    return {
      id,
      accountId,
      mode,
      url,
      enabled,
      disabledReason,
      suspended,
      isFailing: failingSince !== null,
      loadedAt,
      key: openSecret(this.#ring, id, row.secret),
      previous: previous === undefined ? null : { key: previous, expiresAt },
    };
  }
}

/** The keys to sign with at `now`: the current one first. Empty when its secret can't be opened. */
export function liveKeys({ key, previous }: Endpoint, now: number): SigningKey[] {
  if (key === undefined) return [];
  return previous && previous.expiresAt > now ? [key, previous.key] : [key];
}
