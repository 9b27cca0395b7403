// A replay: events of a time are delivered to an endpoint once more, with the same ids and bodies. It only makes them due; the sweep claims
// them as it does retries, so the limits of endpoint and host hold.

import { lowestId } from '../../core/ids.ts';
import { getEndpoint } from '../../db/webhooks/endpoints.ts';
import { reachOfReplay, replayDeliveries } from '../../db/webhooks/replay.ts';
import type { WebhooksContext } from './context.ts';
import { type ActingOwner, auditAhead } from './endpoints.ts';
import type { Records } from './records.ts';

export interface ReplayRequest {
  endpointId: string;
  /** Unix ms. */
  since: number;
  until: number;
  eventTypes: readonly string[];
  /** Value set `webhook_delivery_status`; null = any. */
  status: string | null;
  /** Event id after which it goes on; null = the first call. */
  after: string | null;
  /** When the first call of the replay came, Unix ms. */
  startedAt: number;
}

export type Replayed =
  /** `next`: event id after which the next call goes on; null = everything was taken up. */
  | { kind: 'queued'; count: number; next: string | null }
  | { kind: 'endpoint_not_found' }
  | { kind: 'endpoint_disabled' };

/** Deliveries taken up by one call, in each database. */
export const mostReplayed = 1_000;

/** An id is made within this time of its event. */
const slackMs = 60_000;

export async function replay(
  context: WebhooksContext,
  recordsOf: (cell: string) => Pick<Records, 'times'>,
  owner: ActingOwner,
  { endpointId, after, ...request }: ReplayRequest,
): Promise<Replayed> {
  const { reads, cells, now } = context;
  const endpoint = await getEndpoint(reads, owner, endpointId);
  if (!endpoint) return { kind: 'endpoint_not_found' };
  if (!endpoint.enabled) return { kind: 'endpoint_disabled' };
  await auditAhead(context, owner, 'replay_webhooks', endpointId, {
    since: new Date(request.since),
    until: new Date(request.until),
    event_types: request.eventTypes,
    status: request.status,
  });
  const at = now();
  const { accountId, mode } = owner;
  const first = lowestId('evt_', Math.max(0, request.since - slackMs));
  const span = {
    ...request,
    accountId,
    mode,
    endpointId,
    after: after === null || after < first ? first : after,
    before: lowestId('evt_', Math.max(0, request.until + slackMs)),
    now: at,
    limit: mostReplayed,
  };
  // The next call goes on from one event in every database. What this call took up beyond it would be taken up once more where it has failed
  // again meanwhile.
  const reaches =
    cells.each.length > 1 ? await Promise.all(cells.each.map(({ reads: own }) => reachOfReplay(own, span))) : [];
  const reach = firstOf(reaches);
  const within = reach === null ? span : { ...span, before: idAfter(reach) };
  const taken = await Promise.all(
    cells.each.map(async ({ name, reads: own }) => {
      const { queued, lookedUntil } = await replayDeliveries(own, within);
      if (queued > 0) recordsOf(name).times.add(at);
      return { queued, lookedUntil };
    }),
  );
  return {
    kind: 'queued',
    count: taken.reduce((sum, { queued }) => sum + queued, 0),
    next: firstOf([reach, ...taken.map(({ lookedUntil }) => lookedUntil)]),
  };
}

const firstOf = (ids: readonly (string | null)[]): string | null =>
  ids.filter((id) => id !== null).toSorted()[0] ?? null;

/** Behind this id, and before every other one behind it: all are of one length. */
const idAfter = (id: string): string => `${id}0`;
