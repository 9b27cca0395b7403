// What a method of a resource does: its path, what of its arguments goes where, and how the answer is read.

import type { DescField } from '@bufbuild/protobuf';
import { camel, type Operation, type Resource } from '../client.ts';
import type { Contract } from '../contract.ts';
import { quoted } from './text.ts';
import { isTime, phpField } from './types.ts';

/** The lines of the method's body. */
export function callOf(contract: Contract, { name: resource, operations }: Resource, operation: Operation): string[] {
  const called = quoted(`${resource}.${operation.name}`);
  const { kind, answer, items, http, method: desc } = operation;
  if (kind === 'watch') {
    const get = operations.find(({ name }) => name === 'get');
    const session = answer.fields.find(({ message }) => message !== undefined && message === get?.answer);
    // Clients without streams ask again and again instead.
    if (session?.name !== 'session') throw new Error(`${desc.name}: there is no operation that answers the same`);
    return [
      '        return SessionWatch::follow(',
      '            $this->caller,',
      `            ${called},`,
      `            '/${desc.parent.typeName}/${desc.name}',`,
      '            $id,',
      '            $options,',
      `            fn (): ${session.message?.name} => $this->get($id, $options),`,
      '        );',
    ];
  }
  const path = pathOf(operation);
  if (kind === 'list')
    return [
      '        return new Listing(',
      '            $this->caller,',
      `            ${called},`,
      `            ${path},`,
      ...fieldsOf(contract, operation, '            ', ''),
      `            ${quoted(String(items?.name))},`,
      `            ${items?.message?.name}::fromArray(...),`,
      '            $options,',
      '        );',
    ];
  const fields = operation.otherFields.length > 0 || http?.body === '*';
  const isVoid = answer.fields.length === 0;
  const lines = [
    'new Operation(',
    `            ${called},`,
    `            ${quoted(String(http?.verb).toUpperCase())},`,
    `            ${path},`,
    ...(fields ? fieldsOf(contract, operation, '            ', http?.body === '*' ? 'body: ' : 'query: ') : []),
    ...(operation.repeatable ? [] : ['            isRepeatable: false,']),
    ...(operation.idempotencyKey ? ['            idempotencyKey: $idempotencyKey ?? IdempotencyKey::make(),'] : []),
    ...(operation.ids.length > 0
      ? [`            ids: [${operation.ids.map((id) => idOf(operation, id)).join(', ')}],`]
      : []),
  ];
  const start = isVoid ? '        $this->caller->call(' : '        return $this->caller->call(';
  const end = isVoid ? '        ), $options);' : `        ), $options, ${answer.name}::fromArray(...));`;
  return [`${start}${lines[0]}`, ...lines.slice(1), end];
}

/** `'id' => $id`: which one the answer must have; null: any. */
function idOf({ pathFields, otherFields }: Operation, name: string): string {
  const isAsked = [...pathFields, ...otherFields].some((field) => field.name === name);
  return `${quoted(name)} => ${isAsked ? `$${camel(name)}` : 'null'}`;
}

function fieldsOf(contract: Contract, { otherFields }: Operation, indent: string, label: string): string[] {
  if (otherFields.length === 0) return [`${indent}${label}[],`];
  return [
    `${indent}${label}[`,
    ...otherFields.map((field) => {
      const { key, name } = phpField(contract, field);
      return `${indent}    '${key}' => ${writerOf(field)?.(`$${name}`) ?? `$${name}`},`;
    }),
    `${indent}],`,
  ];
}

/** How what callers give for a field comes into a request; undefined: as it is. */
export function writerOf(field: DescField): ((given: string) => string) | undefined {
  if (isTime(field)) return (given) => `Arguments::time(${given})`;
  if (field.fieldKind === 'map') return (given) => `Arguments::map(${given})`;
  const model = field.message && `${field.message.name}::class`;
  if (field.fieldKind === 'list')
    return (given) => (model ? `Arguments::many(${given}, ${model})` : `Arguments::list(${given})`);
  return model ? (given) => `Arguments::one(${given}, ${model})` : undefined;
}

/** `'/v1/verify/sessions/' . Arguments::segment('id', $id) . '/cancel'`. */
function pathOf({ http }: Operation): string {
  const parts = String(http?.path)
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => {
      const field = /^\{(\w+)\}$/.exec(part)?.[1];
      return field === undefined ? quoted(part) : `Arguments::segment(${quoted(field)}, $${camel(field)})`;
    });
  return parts.join(parts.length > 3 ? '\n                . ' : ' . ');
}
