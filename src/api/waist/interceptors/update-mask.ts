// The update mask of a call that changes something (AIP-134): which fields of the request are meant. It is settled here once, so that
// every door and every handler means the same: behind this interceptor the mask names each field that changes, a field that it names
// is there, and one that it does not name is not.

import { create, type DescField, type DescMessage, type DescMethod, type Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type FieldMask, FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import type { Interceptor } from '@connectrpc/connect';
import { fail } from '../errors.ts';
import { httpRule } from '../method-options.ts';
import { shown } from '../validate.ts';

/** The field that holds the mask; undefined = the message changes nothing in part. */
export const maskFieldOf = (desc: DescMessage): DescField | undefined =>
  desc.fields.find((field) => field.message?.typeName === FieldMaskSchema.typeName);

/** Whether the request means to change the field, by its name in the contract. Lists need it: an empty one looks absent. */
export const changes = (request: { updateMask?: FieldMask | undefined }, name: string): boolean =>
  request.updateMask?.paths.includes(name) ?? false;

export function updateMask(): Interceptor {
  return (next) => (request) => {
    if (!request.stream) settle(request.method, request.message);
    return next(request);
  };
}

function settle(method: DescMethod, message: Message): void {
  const maskField = maskFieldOf(method.input);
  if (!maskField) return;
  const fields = changeable(method, maskField);
  const held = reflect(method.input, message);
  const { paths: given } = (held.get(maskField) as ReflectMessage).message as FieldMask;
  const named = given.length === 0 ? fields.filter((field) => held.isSet(field)) : namedBy(given, fields);
  for (const field of fields) {
    if (!named.includes(field)) held.clear(field);
    // What is absent is read as the empty value of its type.
    else if (!held.isSet(field)) held.set(field, held.get(field));
  }
  const mask = create(FieldMaskSchema, { paths: named.map(({ name }) => name) });
  held.set(maskField, reflect(FieldMaskSchema, mask));
}

const changeableCache = new WeakMap<DescMethod, DescField[]>();

/** Every field but the mask and those of the path, which say what is changed. */
function changeable(method: DescMethod, mask: DescField): DescField[] {
  let fields = changeableCache.get(method);
  if (!fields) {
    const template = String(httpRule(method)?.pattern.value ?? '');
    fields = method.input.fields.filter((field) => field !== mask && !template.includes(`{${field.name}}`));
    changeableCache.set(method, fields);
  }
  return fields;
}

function namedBy(paths: readonly string[], fields: readonly DescField[]): DescField[] {
  if (paths.includes('*')) return [...fields];
  return paths.map((path) => {
    const field = fields.find(({ name }) => name === path);
    if (field) return field;
    const whole = fields.find(({ name }) => path.startsWith(`${name}.`))?.name;
    const problem = whole
      ? `${whole} changes as a whole, so name it without ${shown(path).slice(whole.length)}`
      : `there is no field ${shown(path)} to change`;
    throw fail('unknown_field', `update_mask: ${problem}`, { field: 'update_mask' });
  });
}
