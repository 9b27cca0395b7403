// WebhookEndpointService: endpoints of the caller's account and mode. Rules and storage are in engine/webhooks; this file translates.

import { create } from '@bufbuild/protobuf';
import { isId } from '../../../core/ids.ts';
import type { EndpointView, Webhooks } from '../../../engine/webhooks/webhooks.ts';
import {
  type UpdateWebhookEndpointRequest,
  type WebhookEndpoint,
  WebhookEndpointSchema,
  WebhookEndpointService,
} from '../../../gen/ramz/v1/webhook_endpoint_pb.ts';
import { actingOwnerOf, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { changes } from '../../waist/interceptors/update-mask.ts';
import { type RegisteredService, service } from '../../waist/invoke.ts';
import { nextPageToken, readPage, toTimestamp } from '../fields.ts';
import { deliveryHandlers, endpointIdPrefix, endpointNotFound, hostFull, invalidUrl } from './deliveries.ts';
import { replayWebhooks } from './replay.ts';

export function webhookEndpointService({
  endpoints,
  deliveries,
}: Pick<Webhooks, 'endpoints' | 'deliveries'>): RegisteredService {
  return service(WebhookEndpointService, {
    ...deliveryHandlers(deliveries),
    replayWebhooks: replayWebhooks(deliveries),

    async createWebhookEndpoint({ url, description, eventTypes }, context) {
      const outcome = await endpoints.create(actingOwnerOf(context), { url, description, eventTypes });
      switch (outcome.kind) {
        case 'created':
          return { webhookEndpoint: toEndpoint(outcome.endpoint, outcome.secret) };
        case 'refused':
          throw invalidUrl(outcome.reason);
        case 'host_full':
          throw hostFull(outcome);
        case 'too_many':
          throw fail('too_many_resources', `an account has at most ${outcome.most} webhook endpoints in each mode`);
      }
    },

    async getWebhookEndpoint({ id }, context) {
      const endpoint = isId(endpointIdPrefix, id) ? await endpoints.get(keyOf(context), id) : null;
      if (!endpoint) throw endpointNotFound();
      return { webhookEndpoint: toEndpoint(endpoint) };
    },

    async listWebhookEndpoints(request, context) {
      const owner = keyOf(context);
      const list = ['webhook_endpoints', owner.accountId, owner.mode];
      const { items, next } = await endpoints.list(owner, readPage(request, endpointIdPrefix, list));
      return {
        webhookEndpoints: items.map((endpoint) => toEndpoint(endpoint)),
        nextPageToken: nextPageToken(next, list),
      };
    },

    async updateWebhookEndpoint(request, context) {
      if (!isId(endpointIdPrefix, request.id)) throw endpointNotFound();
      const outcome = await endpoints.update(actingOwnerOf(context), request.id, readChange(request));
      switch (outcome.kind) {
        case 'updated':
          return { webhookEndpoint: toEndpoint(outcome.endpoint) };
        case 'refused':
          throw invalidUrl(outcome.reason);
        case 'host_full':
          throw hostFull(outcome);
        case 'not_found':
          throw endpointNotFound();
      }
    },

    async deleteWebhookEndpoint({ id }, context) {
      const removed = isId(endpointIdPrefix, id) && (await endpoints.remove(actingOwnerOf(context), id));
      if (!removed) throw endpointNotFound();
      return {};
    },

    async rotateWebhookSecret({ id, keepPreviousSeconds }, context) {
      if (!isId(endpointIdPrefix, id)) throw endpointNotFound();
      const keepMs = keepPreviousSeconds === undefined ? undefined : keepPreviousSeconds * 1000;
      const outcome = await endpoints.rotateSecret(actingOwnerOf(context), id, keepMs);
      if (outcome.kind === 'not_found') throw endpointNotFound();
      return { webhookEndpoint: toEndpoint(outcome.endpoint, outcome.secret) };
    },
  });
}

/** Absent fields keep their value. */
function readChange(request: UpdateWebhookEndpointRequest) {
  const { url, description, eventTypes, enabled } = request;
  return {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(changes(request, 'event_types') ? { eventTypes } : {}),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

/** `secret` only in the answers that made it. */
function toEndpoint(endpoint: EndpointView, secret = ''): WebhookEndpoint {
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
