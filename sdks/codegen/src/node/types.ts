// types.ts of the Node SDK: plain interfaces for what is asked and answered. Answers always have what the contract gives a
// default; requests need only what is required.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { camel } from '../client.ts';
import { comment, hasPresence } from '../contract.ts';
import { isWellKnown, type Model } from '../model.ts';
import { doc, file, importing } from './print.ts';

type Direction = 'request' | 'answer';

export function renderTypes(model: Model): string {
  const words = new Set<string>();
  const typeOf = (field: DescField, direction: Direction): string => {
    const one = singleTypeOf(model, field, direction, words);
    const isRequest = direction === 'request';
    switch (field.fieldKind) {
      case 'list':
        return isRequest ? `readonly ${one}[]` : `${one}[]`;
      case 'map':
        return isRequest ? `Readonly<Record<string, ${one}>>` : `Record<string, ${one}>`;
      default:
        return one;
    }
  };
  const member = (field: DescField, direction: Direction): string[] => {
    const canBeAbsent = isOptional(model, field, direction);
    const mark = canBeAbsent ? '?' : '';
    // Requests leave both out: who copies values that may be absent need not pick those that are there.
    const absent = canBeAbsent && direction === 'request' ? ' | null | undefined' : '';
    return [...doc(comment(field), '  '), `  ${camel(field.name)}${mark}: ${typeOf(field, direction)}${absent};`];
  };
  const render = (name: string, text: string, fields: readonly DescField[], direction: Direction): string[] => [
    ...doc(text),
    `export interface ${name} {`,
    ...fields.flatMap((field) => member(field, direction)),
    '}',
    '',
  ];
  const body = [
    ...model.requests.flatMap(({ method: { input }, otherFields }) =>
      render(input.name, comment(input), otherFields, 'request'),
    ),
    ...model.inputs.flatMap((message) => render(inputName(message), comment(message), message.fields, 'request')),
    ...model.answers.flatMap((message) => render(message.name, comment(message), message.fields, 'answer')),
  ];
  return file(...importing([...words], './words.ts'), '', ...body);
}

/** A message inside a request: it may be answered too, and then has two types. */
const inputName = (message: DescMessage): string => `${message.name}Input`;

export function isOptional(model: Model, field: DescField, direction: Direction): boolean {
  if (direction === 'request') return !(model.rules(field)?.required ?? false);
  return hasPresence(field);
}

function singleTypeOf(model: Model, field: DescField, direction: Direction, words: Set<string>): string {
  const { message } = field;
  if (message?.typeName === 'google.protobuf.Timestamp') return direction === 'request' ? 'Date | string' : 'Date';
  if (message && isWellKnown(message)) return 'Record<string, unknown>';
  if (message) return direction === 'request' ? inputName(message) : message.name;
  const set = model.rules(field)?.values;
  if (set) {
    const name = model.wordsName(set);
    words.add(name);
    return name;
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return 'string';
    case ScalarType.BOOL:
      return 'boolean';
    case ScalarType.INT32:
    case ScalarType.DOUBLE:
      return 'number';
    default:
      throw new Error(`${field.parent.typeName}.${field.name}: the public contract has no such type`);
  }
}
