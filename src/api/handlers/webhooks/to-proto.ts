// Webhook endpoints and deliveries as the contract shows them.

import { create } from '@bufbuild/protobuf';
import type { DeliveryView } from '../../../engine/webhooks/deliveries.ts';
import type { EndpointView } from '../../../engine/webhooks/manage.ts';
import {
  type WebhookDelivery,
  WebhookDeliverySchema,
  type WebhookEndpoint,
  WebhookEndpointSchema,
} from '../../../gen/ramz/v1/webhook_endpoint_pb.ts';
import { toTimestamp } from '../time.ts';

/** `secret` only in the answers that made it. */
export function toEndpoint(endpoint: EndpointView, secret = ''): WebhookEndpoint {
  const { id, url, description, eventTypes, enabled } = endpoint;
  return create(WebhookEndpointSchema, {
    id,
    url,
    description,
    eventTypes,
    enabled,
    secret,
    disabledReason: endpoint.disabledReason ?? '',
    previousSecretExpiresAt: toTimestamp(endpoint.previousSecretExpiresAt),
    createdAt: toTimestamp(endpoint.createdAt),
    updatedAt: toTimestamp(endpoint.updatedAt),
    failingSince: toTimestamp(endpoint.failingSince),
  });
}

export function toDelivery(delivery: DeliveryView): WebhookDelivery {
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
