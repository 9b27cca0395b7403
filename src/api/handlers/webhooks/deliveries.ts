// The operations of WebhookEndpointService on deliveries: list, redeliver, test.

import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { isId } from '../../../core/ids.ts';
import type { DeliveryView, Webhooks } from '../../../engine/webhooks/webhooks.ts';
import {
  type WebhookDelivery,
  WebhookDeliverySchema,
  type WebhookEndpointService,
} from '../../../gen/ramz/v1/webhook_endpoint_pb.ts';
import { keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { nextPageToken, readPage } from '../page.ts';
import { toTimestamp } from '../text.ts';
import { endpointIdPrefix, endpointNotFound, invalidUrl } from './errors.ts';
import { exampleData } from './example.ts';

type Handlers = Pick<
  ServiceImpl<typeof WebhookEndpointService>,
  'listWebhookDeliveries' | 'redeliverWebhook' | 'testWebhookEndpoint'
>;

export function deliveryHandlers(deliveries: Webhooks['deliveries']): Handlers {
  return {
    async listWebhookDeliveries(request, context) {
      const owner = keyOf(context);
      const { id, status } = request;
      const list = ['webhook_deliveries', owner.accountId, owner.mode, id, status];
      const page = { ...readPage(request, 'evt_', list), status: status || null };
      const found = isId(endpointIdPrefix, id) ? await deliveries.list(owner, id, page) : null;
      if (!found) throw endpointNotFound();
      return { deliveries: found.items.map(toDelivery), nextPageToken: nextPageToken(found.next, list) };
    },

    async redeliverWebhook({ id, eventId }, context) {
      if (!isId(endpointIdPrefix, id)) throw endpointNotFound();
      const outcome = isId('evt_', eventId)
        ? await deliveries.redeliver(keyOf(context), id, eventId)
        : { kind: 'delivery_not_found' as const };
      switch (outcome.kind) {
        case 'queued':
          return { delivery: toDelivery(outcome.delivery) };
        case 'endpoint_not_found':
          throw endpointNotFound();
        case 'endpoint_disabled':
          throw fail('endpoint_disabled', 'the webhook endpoint is switched off: switch it on first');
        case 'delivery_not_found':
          throw fail('webhook_delivery_not_found', 'this event was not sent to this endpoint, or too long ago');
      }
    },

    async testWebhookEndpoint({ id, eventType }, context) {
      if (!isId(endpointIdPrefix, id)) throw endpointNotFound();
      const type = eventType || 'receipt.updated';
      const outcome = await deliveries.sendTest(keyOf(context), id, { type, data: exampleData(type) });
      switch (outcome.kind) {
        case 'tested': {
          const { delivered, status, durationMs, error } = outcome;
          const answered = status === null ? {} : { responseStatus: status };
          return { delivered, ...answered, durationMs: Math.round(durationMs), error: error ?? '' };
        }
        case 'busy':
          throw fail(
            'rate_limited',
            'the last test of this endpoint is still under way, or its host gets no more at the moment',
            { retryAfterSeconds: 1 },
          );
        case 'refused':
          throw invalidUrl(outcome.reason);
        case 'not_found':
          throw endpointNotFound();
      }
    },
  };
}

function toDelivery(delivery: DeliveryView): WebhookDelivery {
  const { eventId, type, status, attempts, lastStatus } = delivery;
  return create(WebhookDeliverySchema, {
    eventId,
    type,
    status,
    attempts,
    sessionId: delivery.sessionId ?? '',
    nextAttemptAt: toTimestamp(delivery.nextAt),
    ...(lastStatus === null ? {} : { lastResponseStatus: lastStatus }),
    lastError: delivery.lastError ?? '',
    createdAt: toTimestamp(delivery.createdAt),
    deliveredAt: toTimestamp(delivery.deliveredAt),
  });
}
