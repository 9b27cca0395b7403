// The operations of WebhookEndpointService on deliveries: list, redeliver, test. The data of a test event is made from the
// examples in the contract, so that no second example must be kept up to date.

import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  ScalarType,
} from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { isId } from '../../../core/ids.ts';
import type { DeliveryView, HostFull, Webhooks } from '../../../engine/webhooks/webhooks.ts';
import { file_ramz_v1_events } from '../../../gen/ramz/v1/events_pb.ts';
import { event_types } from '../../../gen/ramz/v1/options_pb.ts';
import { file_ramz_v1_receipt } from '../../../gen/ramz/v1/receipt_pb.ts';
import {
  type WebhookDelivery,
  WebhookDeliverySchema,
  type WebhookEndpointService,
} from '../../../gen/ramz/v1/webhook_endpoint_pb.ts';
import { file_ramz_v1_webhook } from '../../../gen/ramz/v1/webhook_pb.ts';
import { actingOwnerOf, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { fieldRules } from '../../waist/method-options.ts';
import { nextPageToken, readPage, toTimestamp } from '../fields.ts';

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
        ? await deliveries.redeliver(actingOwnerOf(context), id, eventId)
        : { kind: 'delivery_not_found' as const };
      switch (outcome.kind) {
        case 'queued':
          return { delivery: toDelivery(outcome.delivery) };
        case 'endpoint_not_found':
          throw endpointNotFound();
        case 'endpoint_disabled':
          throw endpointDisabled();
        case 'delivery_not_found':
          throw fail('webhook_delivery_not_found', 'this event was not sent to this endpoint, or too long ago');
      }
    },

    async testWebhookEndpoint({ id, eventType }, context) {
      if (!isId(endpointIdPrefix, id)) throw endpointNotFound();
      const type = eventType || 'receipt.updated';
      const outcome = await deliveries.sendTest(actingOwnerOf(context), id, { type, data: exampleData(type) });
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

export const endpointIdPrefix = 'whe_';

export const endpointDisabled = () =>
  fail('endpoint_disabled', 'the webhook endpoint is switched off: switch it on first');

export const endpointNotFound = () =>
  fail('webhook_endpoint_not_found', 'no such webhook endpoint in this account and mode');

/** The limit counts the endpoints of both modes of an account. */
export const hostFull = ({ host, most }: HostFull) =>
  fail(
    'too_many_resources',
    `url is the account's endpoint number ${most + 1} at ${host}: it has at most ${most} there`,
    {
      field: 'url',
    },
  );

/** `reason` is a clause: "must be …". */
export const invalidUrl = (reason: string) => fail('invalid_webhook_url', `url ${reason}`, { field: 'url' });

const registry = createRegistry(file_ramz_v1_webhook, file_ramz_v1_receipt);
const eventTypes = hasOption(file_ramz_v1_events, event_types) ? getOption(file_ramz_v1_events, event_types) : [];

/** `data` of an event of that type, snake case as on the wire. Throws, as a bug, for a type the contract does not have. */
export function exampleData(type: string): Record<string, unknown> {
  const found = eventTypes.find(({ name }) => name === type);
  const desc = found && registry.getMessage(found.data);
  if (!desc) throw new Error(`the contract has no data for events of the type ${type}`);
  return exampleOf(desc, new Map(found.examples.map(({ field, example }) => [field, example])));
}

/**
 * Without what bodies leave out, and without what has no example: it is absent, as in a real event. Of a oneof the first.
 * @param own Examples of this type of event alone, by the path of their field.
 */
function exampleOf(desc: DescMessage, own: ReadonlyMap<string, string>, within = ''): Record<string, unknown> {
  const fields = desc.fields
    .filter((field) => !fieldRules(field)?.leftOutOfWebhooks)
    .filter((field) => !field.oneof || field === field.oneof.fields[0])
    .filter((field) => field.fieldKind !== 'message' || own.get(within + field.name) !== '');
  return Object.fromEntries(fields.map((field) => [field.name, fieldExample(field, own, within)]));
}

function fieldExample(field: DescField, own: ReadonlyMap<string, string>, within: string): unknown {
  const path = within + field.name;
  const example = own.get(path) ?? fieldRules(field)?.example ?? '';
  if (field.fieldKind === 'list' && field.message) return [exampleOf(field.message, own, `${path}.`)];
  if (field.fieldKind === 'message' && field.message.typeName.startsWith('ramz.'))
    return exampleOf(field.message, own, `${path}.`);
  // Strings and times are given as their bare text, all else as JSON.
  const bare = field.fieldKind === 'message' || (field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING);
  return bare ? example : JSON.parse(example || 'null');
}
