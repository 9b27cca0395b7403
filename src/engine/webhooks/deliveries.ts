// Deliveries as their account sees them: the list, a redelivery, a test with an example event.

import { homeCell } from '../../core/fleet/cells.ts';
import { isId, shardForAccount, shardOf } from '../../core/ids.ts';
import { mergedPages } from '../../db/verify/list.ts';
import { type DeliveryRow, getDelivery, listDeliveries, requeueDelivery } from '../../db/webhooks/deliveries.ts';
import { getEndpoint } from '../../db/webhooks/endpoints.ts';
import { accountEventBody } from './account-events.ts';
import type { WebhookCell, WebhooksContext } from './context.ts';
import type { DeliveryWorker } from './delivery-worker.ts';
import { type ActingOwner, auditAhead, type NotFound, type Owner, type Page, type Refused } from './endpoints.ts';
import { hostOf } from './host-limiter.ts';
import { judge } from './outcome.ts';
import type { Records } from './records.ts';
import { type Replayed, type ReplayRequest, replay } from './replay.ts';
import { checkUrl } from './target.ts';

export type DeliveryView = DeliveryRow;

export interface DeliveryPage {
  limit: number;
  /** `next` of the page before; null for the first. */
  before: string | null;
  /** Only deliveries that stand so (value set `webhook_delivery_status`); null = all. */
  status: string | null;
}

export type Redelivery =
  | { kind: 'queued'; delivery: DeliveryView }
  | { kind: 'endpoint_not_found' }
  | { kind: 'endpoint_disabled' }
  | { kind: 'delivery_not_found' };

export type TestResult =
  /** `status`: of the answer, null when none came. `error`: for people, null when it was delivered. */
  | { kind: 'tested'; delivered: boolean; status: number | null; durationMs: number; error: string | null }
  /** The endpoint's last test is still under way, its host gets no more at the moment, or this process is stopping. */
  | { kind: 'busy' }
  | Refused
  | NotFound;

/** A test ends well before the call that asks for it, which takes 10 s at most at every door and in every SDK. */
const mostTestMs = 8_000;

export class Deliveries {
  readonly #context: WebhooksContext;
  readonly #worker: DeliveryWorker;
  readonly #recordsOf: (cell: string) => Records;
  readonly #testing = new Set<string>();

  /** `recordsOf`: of a cell. */
  constructor(context: WebhooksContext, worker: DeliveryWorker, recordsOf: (cell: string) => Records) {
    this.#context = context;
    this.#worker = worker;
    this.#recordsOf = recordsOf;
  }

  /** Newest first; a page may be empty though another follows. */
  async list(owner: Owner, endpointId: string, page: DeliveryPage): Promise<Page<DeliveryView> | null> {
    const { reads, cells } = this.#context;
    if (!(await getEndpoint(reads, owner, endpointId))) return null;
    const pages = await Promise.all(cells.each.map(({ lists }) => listDeliveries(lists, owner, endpointId, page)));
    return mergedPages(pages, page.limit, ({ eventId }) => eventId);
  }

  /**
   * Sends it again at once, with the same id and body, whatever became of it before. Attempts go on counting: one that had
   * used up its schedule gets this one. A delivery that is on its way already is answered as it is.
   */
  async redeliver(owner: ActingOwner, endpointId: string, eventId: string): Promise<Redelivery> {
    const { reads, now, leaseMs } = this.#context;
    const endpoint = await getEndpoint(reads, owner, endpointId);
    if (!endpoint) return { kind: 'endpoint_not_found' };
    if (!endpoint.enabled) return { kind: 'endpoint_disabled' };
    const key = { accountId: owner.accountId, mode: owner.mode, endpointId, eventId };
    for (const { name, reads: own, fleet } of this.#cellsOf(eventId)) {
      if (!(await getDelivery(own, key))) continue;
      await auditAhead(this.#context, owner, 'redeliver_webhook', endpointId, { event_id: eventId });
      const leasedAt = now();
      const leaseUntil = leasedAt + leaseMs;
      const requeued = await requeueDelivery(own, key, { holder: fleet.holder, leaseUntil });
      if (requeued) {
        const { delivery, body } = requeued;
        const { attempts } = delivery;
        const row = { accountId: owner.accountId, eventId, endpointId, body, attempts };
        const records = this.#recordsOf(name);
        this.#worker.enqueue([{ ...row, records, isRetry: true, leasedAt, leaseUntil }]);
        return { kind: 'queued', delivery: { ...delivery, nextAt: leasedAt } };
      }
      const delivery = await getDelivery(own, key);
      if (delivery) return { kind: 'queued', delivery };
    }
    return { kind: 'delivery_not_found' };
  }

  /** Delivers the events of a time again: see replay.ts. */
  replay(owner: ActingOwner, request: ReplayRequest): Promise<Replayed> {
    return replay(this.#context, this.#recordsOf, owner, request);
  }

  /** Where the event may be: in a cell of its shard, or at home, where events of accounts are. */
  #cellsOf(eventId: string): readonly WebhookCell[] {
    const { cells, now } = this.#context;
    if (cells.each.length === 1 || !isId('evt_', eventId)) return cells.each;
    const names = new Set([...cells.map.everOf(shardOf(eventId), now()), homeCell]);
    return [...names].flatMap((wanted) => cells.each.filter(({ name }) => name === wanted));
  }

  /**
   * Posts an example event once and returns what came back; nothing is stored, retried or held against the endpoint, and it
   * may be switched off. `data` is the example's, as webhook.proto has it for the type.
   */
  async sendTest(
    { actor, ...owner }: ActingOwner,
    endpointId: string,
    example: { type: string; data: object },
  ): Promise<TestResult> {
    const { reads, ids, now } = this.#context;
    const timeoutMs = Math.min(this.#context.timeoutMs, mostTestMs);
    const row = await getEndpoint(reads, owner, endpointId);
    if (!row) return { kind: 'not_found' };
    const check = checkUrl(row.url, this.#context);
    if (check.kind === 'refused') return check;
    const { hosts, endpoints, attempts } = this.#worker;
    const host = hostOf(row.url);
    if (this.#testing.has(endpointId) || hosts.room(host) < 1) return { kind: 'busy' };
    this.#testing.add(endpointId);
    hosts.take(host);
    try {
      const endpoint = await endpoints.get(endpointId);
      if (!endpoint) return { kind: 'not_found' };
      const startedAt = now();
      const eventId = ids('evt_', shardForAccount(owner.accountId));
      const told = { event_type: example.type };
      await auditAhead(this.#context, { ...owner, actor }, 'test_webhook_endpoint', endpointId, told);
      const body = accountEventBody(eventId, { ...owner, ...example, at: startedAt });
      const answer = await attempts.post(endpoint, { eventId, body }, startedAt, timeoutMs);
      if (answer.kind === 'broken_off') return { kind: 'busy' };
      const at = now();
      const { status, lastStatus, lastError } = judge(answer, { attempts: 0, now: at, jitter: 0, timeoutMs });
      const delivered = status === 'delivered';
      return { kind: 'tested', delivered, status: lastStatus, durationMs: at - startedAt, error: lastError };
    } finally {
      this.#worker.leave(host);
      this.#testing.delete(endpointId);
    }
  }
}
