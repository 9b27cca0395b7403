// What of the contract an SDK with types shows: which messages are asked for, which are answered, and what the sets of words
// are called. No language's syntax lives here.

import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { Client, Operation } from './client.ts';
import { pascal } from './client.ts';
import type { Contract, FieldRules } from './contract.ts';

export interface Model {
  contract: Contract;
  client: Client;
  /** What calls and webhooks answer, in the order of declaration. */
  answers: DescMessage[];
  /** Messages inside requests. */
  inputs: DescMessage[];
  /** Requests that have a field beside those in the path. */
  requests: Operation[];
  wordsName(set: string): string;
  rules(field: DescField): FieldRules | undefined;
}

export function readModel(contract: Contract, client: Client): Model {
  const operations = client.resources.flatMap((resource) => resource.operations);
  const requests = operations.filter(({ otherFields }) => otherFields.length > 0);
  const answered = closure([
    ...operations.map(({ items, answer }) => items?.message ?? answer),
    ...contract.eventTypes.map(({ data }) => contract.message(data)),
  ]);
  const asked = closure(requests.flatMap(({ otherFields }) => otherFields.flatMap(({ message }) => message ?? [])));
  const inOrder = (wanted: ReadonlySet<DescMessage>) => client.messages.filter((message) => wanted.has(message));
  const messageNames = new Set(client.messages.map(({ name }) => name));
  return {
    contract,
    client,
    answers: inOrder(answered).filter(({ fields }) => fields.length > 0),
    inputs: inOrder(asked),
    requests,
    // A set may have the name of a message: `sender_decision`.
    wordsName: (set) => (messageNames.has(pascal(set)) ? `${pascal(set)}Value` : pascal(set)),
    rules: (field) => contract.rules(field),
  };
}

/** The messages and all that they hold, without those of google.protobuf. */
function closure(messages: readonly DescMessage[]): Set<DescMessage> {
  const seen = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (seen.has(message) || isWellKnown(message)) return;
    seen.add(message);
    for (const field of message.fields) if (field.message) visit(field.message);
  };
  for (const message of messages) visit(message);
  return seen;
}

export const isWellKnown = (message: DescMessage): boolean => message.typeName.startsWith('google.protobuf.');
