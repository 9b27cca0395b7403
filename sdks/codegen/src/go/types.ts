// Plain structs for what is asked and answered, one for each message: the SDK's own encoder leaves what is empty out of requests,
// the tags write answers as the service does.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { comment, isMask } from '../contract.ts';
import { isWellKnown, type Model } from '../model.ts';
import { doc, goFile, goName, label } from './text.ts';

/** A field of a struct. */
export interface GoField {
  name: string;
  type: string;
  /** Options of its JSON tag. `omitzero` leaves out what is absent, and keeps an empty list. */
  omit: '' | ',omitzero';
}

/** Every struct: requests without what stands in the path, then what they hold and what is answered. */
export function typesFile(model: Model): string {
  const { requests, client } = model;
  const pages = client.resources.flatMap(({ operations }) => operations.filter(({ kind }) => kind === 'list'));
  const shown = new Set<DescMessage>([...model.inputs, ...model.answers, ...pages.map(({ method }) => method.output)]);
  const structs = [
    ...requests.map(({ method: { input }, otherFields }) => struct(model, input, otherFields, true)),
    ...client.messages.filter((message) => shown.has(message)).map((each) => struct(model, each, each.fields, false)),
  ];
  const imports = structs.some((text) => text.includes(' time.Time ') || text.includes(']time.Time ')) ? ['time'] : [];
  return goFile('ramz', imports, structs);
}

function struct(model: Model, message: DescMessage, fields: readonly DescField[], isRequest: boolean): string {
  const name = goName(message.name);
  const members = fields
    .filter((field) => !isMask(field))
    .map((field) => {
      const { name: member, type, omit } = goField(model, field, isRequest);
      return `${doc(comment(field), '\t')}\n\t${member} ${type} \`json:"${field.name}${omit}"\``;
    });
  return `${doc(label(name, comment(message)))}\ntype ${name} struct {\n${members.join('\n')}\n}`;
}

export function goField(model: Model, field: DescField, isRequest: boolean): GoField {
  const name = goName(field.name);
  const one = typeOf(model, field);
  const isOptional = field.proto.proto3Optional || field.oneof !== undefined;
  switch (field.fieldKind) {
    case 'list':
      return { name, type: `[]${one}`, omit: ',omitzero' };
    case 'map':
      return { name, type: `map[string]${one}`, omit: ',omitzero' };
    case 'message':
      return { name, type: isModel(field) ? `*${one}` : one, omit: ',omitzero' };
    default:
      return {
        name,
        type: field.proto.proto3Optional && saysMoreThanAbsent(model, field) ? `*${one}` : one,
        omit: isRequest || isOptional ? ',omitzero' : '',
      };
  }
}

/** Whether an empty value could stand in the field: only then does it need a pointer to tell it from none. */
function saysMoreThanAbsent(model: Model, field: DescField): boolean {
  const { values = '', pattern = '', minLength = 0, minimum = 0 } = model.rules(field) ?? {};
  if (field.scalar !== ScalarType.STRING) return field.scalar === ScalarType.BOOL || minimum <= 0;
  return values === '' && minLength === 0 && new RegExp(pattern).test('');
}

const isModel = (field: DescField): boolean => field.message !== undefined && !isWellKnown(field.message);

/** Of one value. */
export function typeOf(model: Model, field: DescField): string {
  const { message } = field;
  if (message?.typeName === 'google.protobuf.Timestamp') return 'time.Time';
  if (message && isModel(field)) return goName(message.name);
  const set = model.rules(field)?.values;
  if (set) return goName(model.wordsName(set));
  switch (field.scalar) {
    case ScalarType.STRING:
      return 'string';
    case ScalarType.BOOL:
      return 'bool';
    case ScalarType.INT32:
      return 'int';
    case ScalarType.DOUBLE:
      return 'float64';
    default:
      throw new Error(`${field.parent.typeName}.${field.name}: the Go SDK knows no such type`);
  }
}
