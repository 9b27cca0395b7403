// events.ts of the Node SDK: one type for each type of webhook event, told apart by `type`.

import { camel } from '../client.ts';
import { comment, type EventType } from '../contract.ts';
import { eventName } from '../event.ts';
import type { Model } from '../model.ts';
import { doc, file, importing, key, quote } from './print.ts';

export function renderEvents({ contract }: Model): string {
  const shared = contract.envelope().fields.filter(({ name }) => name !== 'type');
  const dataName = ({ data }: EventType) => contract.message(data).name;
  return file(
    ...importing(contract.eventTypes.map(dataName), './types.ts'),
    '',
    ...doc('What every webhook event has.'),
    'export interface WebhookEventBase {',
    ...shared.flatMap((field) => [
      ...doc(comment(field), '  '),
      `  ${camel(field.name)}${field.message ? '?' : ''}: ${typeOf(field)};`,
    ]),
    '}',
    '',
    ...contract.eventTypes.flatMap((event) => [
      ...doc(event.description),
      `export interface ${eventName(event)} extends WebhookEventBase {`,
      `  type: ${quote(event.name)};`,
      `  data: ${dataName(event)};`,
      '}',
      '',
    ]),
    ...doc(
      'Any type that this version of the SDK does not know. It is plain text; what is written here only keeps TypeScript from taking a known type for it.',
    ),
    `export type UnknownEventType = \`unknown \${string}\`;`,
    '',
    ...doc('An event of a type that this version of the SDK does not know yet: `data` as it came.'),
    'export interface UnknownWebhookEvent extends WebhookEventBase {',
    '  type: UnknownEventType;',
    '  data: Record<string, unknown>;',
    '}',
    '',
    ...doc('A webhook event; its `type` tells what `data` is.'),
    'export type WebhookEvent =',
    ...contract.eventTypes.map((event) => `  | ${eventName(event)}`),
    '  | UnknownWebhookEvent;',
    '',
    ...doc('The shape of `data`, by type of event.'),
    'export const eventData: Readonly<Record<string, string>> = {',
    ...contract.eventTypes.map((event) => `  ${key(event.name)}: ${quote(dataName(event))},`),
    '};',
  );
}

function typeOf(field: { message?: unknown; scalar?: number | undefined; name: string }): string {
  if (field.message) return 'Date';
  // ScalarType: 8 is bool, 9 is string.
  return field.scalar === 9 ? 'string' : field.scalar === 8 ? 'boolean' : 'number';
}
