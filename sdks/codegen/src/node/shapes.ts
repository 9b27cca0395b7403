// shapes.ts of the Node SDK: the fields of every message with their kinds, for the codec that reads and writes JSON.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { hasPresence } from '../contract.ts';
import { isWellKnown, type Model } from '../model.ts';
import { file, object, quote } from './print.ts';

export function renderShapes(model: Model): string {
  const requests = model.requests.map(({ method: { input }, otherFields }) => render(input.name, otherFields));
  const inside = new Set<DescMessage>([...model.inputs, ...model.answers]);
  const envelope = model.contract.envelope();
  return file(
    '/** Field on the wire → kind: `string`, `number`, `boolean`, `time`, `json`, `map` or a shape; `?` may be absent, `[]` is a list. */',
    'export type Shape = Readonly<Record<string, string>>;',
    '',
    '/** Every message by its name. */',
    'export const shapes: Readonly<Record<string, Shape>> = {',
    ...requests.flat(),
    ...[...inside].flatMap((message) => render(message.name, message.fields)),
    ...render(envelope.message.name, envelope.fields, ["data: 'json'"]),
    '};',
  );
}

const render = (name: string, fields: readonly DescField[], more: readonly string[] = []): string[] =>
  object(`${name}: `, [...fields.map((field) => `${field.name}: ${quote(kindOf(field))}`), ...more], '  ', ',');

function kindOf(field: DescField): string {
  if (field.fieldKind === 'map') return 'map';
  const many = field.fieldKind === 'list' ? '[]' : '';
  const { message } = field;
  if (message?.typeName === 'google.protobuf.Timestamp') return `time${many}`;
  if (message && isWellKnown(message)) return `json${many}`;
  if (message) return `${message.name}${many}`;
  const optional = hasPresence(field) ? '?' : '';
  if (field.scalar === ScalarType.STRING) return `string${many || optional}`;
  if (field.scalar === ScalarType.BOOL) return `boolean${many || optional}`;
  return `number${many || optional}`;
}
