// Example data of webhook events, made from the examples in the contract.

import { createRegistry, type DescField, type DescMessage, getOption, hasOption, ScalarType } from '@bufbuild/protobuf';
import { file_ramz_v1_events } from '../../../gen/ramz/v1/events_pb.ts';
import { event_types } from '../../../gen/ramz/v1/options_pb.ts';
import { file_ramz_v1_receipt } from '../../../gen/ramz/v1/receipt_pb.ts';
import { file_ramz_v1_webhook } from '../../../gen/ramz/v1/webhook_pb.ts';
import { fieldRules } from '../../waist/method-options.ts';

const registry = createRegistry(file_ramz_v1_webhook, file_ramz_v1_receipt);
const eventTypes = hasOption(file_ramz_v1_events, event_types) ? getOption(file_ramz_v1_events, event_types) : [];

/** `data` of an event of that type, snake case as on the wire. Throws, as a bug, for a type the contract does not have. */
export function exampleData(type: string): Record<string, unknown> {
  const found = eventTypes.find(({ name }) => name === type);
  const desc = found && registry.getMessage(found.data);
  if (!desc) throw new Error(`the contract has no data for events of the type ${type}`);
  return exampleOf(desc);
}

function exampleOf(desc: DescMessage): Record<string, unknown> {
  return Object.fromEntries(desc.fields.map((field) => [field.name, fieldExample(field)]));
}

function fieldExample(field: DescField): unknown {
  const example = fieldRules(field)?.example ?? '';
  if (field.fieldKind === 'message' && field.message.typeName.startsWith('ramz.')) return exampleOf(field.message);
  // Strings and times are given as their bare text, all else as JSON.
  const bare = field.fieldKind === 'message' || field.scalar === ScalarType.STRING;
  return bare ? example : JSON.parse(example || 'null');
}
