// Sessions whose number was erased a moment ago. What this process had of their webhooks by then has the number in its body: it is not posted but
// given back, and posted as it is stored once it is claimed again.

import type { WebhooksContext } from './context.ts';
import type { LeasedDelivery } from './records.ts';

export class ErasedSessions {
  readonly #context: Pick<WebhooksContext, 'now' | 'leaseMs'>;
  /** When this process heard of it, Unix ms; the oldest first. */
  readonly #heardAt = new Map<string, number>();

  constructor(context: Pick<WebhooksContext, 'now' | 'leaseMs'>) {
    this.#context = context;
  }

  add(sessionIds: readonly string[]): void {
    const at = this.#context.now();
    this.#forgetOld(at);
    for (const id of sessionIds) {
      this.#heardAt.delete(id); // Again at the end.
      this.#heardAt.set(id, at);
    }
  }

  /** Whether the body may be as it was before the erasure. */
  precedes({ body, leasedAt }: Pick<LeasedDelivery, 'body' | 'leasedAt'>): boolean {
    this.#forgetOld(this.#context.now());
    if (this.#heardAt.size === 0) return false;
    const { data } = JSON.parse(body) as { data?: { session_id?: string } };
    const heardAt = this.#heardAt.get(data?.session_id ?? '');
    return heardAt !== undefined && leasedAt <= heardAt;
  }

  /** What was leased before then is not posted any more. A clock that was set back counts as time that has passed. */
  #forgetOld(now: number): void {
    for (const [id, at] of this.#heardAt) {
      if (at <= now && now - at <= this.#context.leaseMs) return;
      this.#heardAt.delete(id);
    }
  }
}
