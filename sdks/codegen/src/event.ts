// Webhook events as schemas: one for each type, with the type as its constant, and their union, which the type tells apart.

import type { DescField } from '@bufbuild/protobuf';
import { pascal } from './client.ts';
import { type Contract, comment, type EventType } from './contract.ts';
import type { JsonObject, Schemas } from './schema.ts';

/** `session.verified` → `SessionVerifiedEvent`. */
export const eventName = ({ name }: EventType): string => `${pascal(name.replaceAll('.', '_'))}Event`;

export function eventSchemas(contract: Contract, schemas: Schemas): JsonObject {
  const { message, fields } = contract.envelope();
  const reference = (type: EventType): string => `#/components/schemas/${eventName(type)}`;
  return {
    ...Object.fromEntries(
      contract.eventTypes.map((type) => [eventName(type), eventSchema(contract, schemas, type, fields)]),
    ),
    [message.name]: {
      description: comment(message),
      oneOf: contract.eventTypes.map((type) => ({ $ref: reference(type) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(contract.eventTypes.map((type) => [type.name, reference(type)])),
      },
    },
  };
}

/** Every field of an event is always there. */
function eventSchema(contract: Contract, schemas: Schemas, type: EventType, fields: readonly DescField[]): JsonObject {
  const properties = fields.map((field): [string, JsonObject] => [
    field.name,
    field.name === 'type'
      ? { type: 'string', enum: [type.name], description: comment(field) }
      : schemas.field(field, 'answer'),
  ]);
  return {
    type: 'object',
    description: type.description,
    properties: { ...Object.fromEntries(properties), data: schemas.reference(contract.message(type.data), 'answer') },
    required: [...fields.map(({ name }) => name), 'data'],
  };
}
