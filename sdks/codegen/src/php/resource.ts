// A service as a PHP class: one method for each operation, with named arguments.

import type { DescField } from '@bufbuild/protobuf';
import { camel, type Operation, pascal, type Resource } from '../client.ts';
import type { Contract } from '../contract.ts';
import { block, file, quoted } from './text.ts';
import { isModel, isTime, type PhpField, phpField } from './types.ts';

/** Not the bare name: `Waba` is a model too. */
export const resourceName = ({ name }: { name: string }): string => `${pascal(name)}Resource`;

export function resourceClass(contract: Contract, resource: Resource): string {
  const methods = resource.operations.map((operation) => method(contract, resource, operation));
  const text = methods.flat().join('\n');
  return file('Ramz\\Resource', imports(resource, text), [
    ...block([resource.description]),
    `final class ${resourceName(resource)}`,
    '{',
    '    /** @internal A client makes it. */',
    '    public function __construct(private readonly Caller $caller)',
    '    {',
    '    }',
    ...methods.flatMap((lines) => ['', ...lines]),
    '}',
  ]);
}

/** What the methods name, in code or PHPDoc. */
function imports({ operations }: Resource, text: string): string[] {
  const internal = ['Arguments', 'Caller', 'IdempotencyKey', 'Operation', 'SessionWatch'].filter(
    (name) => name === 'Caller' || names(text, name),
  );
  const used = operations.flatMap(({ answer, items, otherFields }) => [
    items?.message ?? answer,
    ...answer.fields.flatMap(({ message }) => message ?? []),
    ...otherFields.flatMap(({ message }) => message ?? []),
  ]);
  const models = [...new Set(used.filter(isModel).map(({ name }) => name))].filter((name) => names(text, name));
  return [
    'Ramz\\Error\\ApiError',
    'Ramz\\Error\\NetworkError',
    ...internal.map((name) => `Ramz\\Internal\\${name}`),
    ...(names(text, 'Listing') ? ['Ramz\\Listing'] : []),
    ...models.sort().map((name) => `Ramz\\Model\\${name}`),
  ];
}

const names = (text: string, name: string): boolean => new RegExp(`(?<![\\\\\\w])${name}(?!\\w)`).test(text);

interface Parameter {
  name: string;
  type: string;
  docType: string;
  description: string;
  fallback?: string;
}

function method(contract: Contract, resource: Resource, operation: Operation): string[] {
  const parameters = parametersOf(contract, operation);
  const answer = answerOf(operation);
  return [
    ...block(
      [
        operation.description,
        ...accessOf(operation),
        '',
        ...parameters.map(({ docType, name, description }) => `@param ${docType} $${name} ${description}`),
        ...(parameters.length > 0 ? [''] : []),
        ...(answer.docType ? [`@return ${answer.docType}`, ''] : []),
        `@throws ApiError ${throwsOf(operation)}`,
        '@throws NetworkError There was no answer.',
      ],
      '    ',
    ),
    ...signature(camel(operation.name), parameters, answer.type),
    ...body(contract, resource, operation),
    '    }',
  ];
}

function signature(name: string, parameters: readonly Parameter[], type: string): string[] {
  const each = parameters.map(
    (one) => `${one.type} $${one.name}${one.fallback === undefined ? '' : ` = ${one.fallback}`}`,
  );
  const line = `    public function ${name}(${each.join(', ')}): ${type}`;
  if (each.length < 3 && line.length <= 110) return [line, '    {'];
  return [`    public function ${name}(`, ...each.map((line) => `        ${line},`), `    ): ${type} {`];
}

/** What must be given comes first; the rest has its name. */
function parametersOf(contract: Contract, { pathFields, otherFields, idempotencyKey }: Operation): Parameter[] {
  const isRequired = (field: DescField) => pathFields.includes(field) || contract.rules(field)?.required === true;
  const all = [...pathFields, ...otherFields];
  const given = (field: DescField) => parameter(phpField(contract, field), field, isRequired(field));
  return [
    ...all.filter(isRequired).map(given),
    ...all.filter((field) => !isRequired(field)).map(given),
    ...(idempotencyKey
      ? [
          {
            name: 'idempotencyKey',
            type: '?string',
            docType: 'string|null',
            description: 'Makes the call safe to repeat for 24 hours. Default: one of its own for each call.',
            fallback: 'null',
          },
        ]
      : []),
  ];
}

function parameter(php: PhpField, field: DescField, required: boolean): Parameter {
  const { type, docType } = accepted(php, field);
  const { name, description } = php;
  if (required) return { name, type, docType, description };
  const optional = { type: type.includes('|') ? `${type}|null` : `?${type}`, docType: `${docType}|null` };
  return { name, ...optional, description, fallback: 'null' };
}

/** Any time is taken, and models as arrays too. */
function accepted({ type, docType }: PhpField, field: DescField): { type: string; docType: string } {
  const plain = type.replace(/^\?/, '');
  if (isTime(field)) return { type: '\\DateTimeInterface', docType: '\\DateTimeInterface' };
  if (!field.message) return { type: plain, docType: docType.replace(/\|null$/, '') };
  const either = `${field.message.name}|array<string, mixed>`;
  return field.fieldKind === 'list'
    ? { type: 'array', docType: `list<${either}>` }
    : { type: `${field.message.name}|array`, docType: either };
}

function answerOf({ kind, answer, items }: Operation): { type: string; docType?: string } {
  if (kind === 'list') return { type: 'Listing', docType: `Listing<${items?.message?.name}>` };
  if (kind === 'watch') return { type: '\\Generator', docType: `\\Generator<int, ${answer.name}>` };
  return { type: answer.fields.length === 0 ? 'void' : answer.name };
}

function accessOf({ access }: Operation): string[] {
  if (access === 'key') return [];
  const needs = access === 'admin' ? 'Needs' : 'Where registration is closed it needs';
  return ['', `${needs} the admin token of the deployment in place of the client's API key.`];
}

function throwsOf({ errors }: Operation): string {
  const own = errors.map((code) => `\`${code}\``).join(', ');
  return own ? `${own}, or what any call may answer.` : 'What any call may answer.';
}

function body(contract: Contract, { operations }: Resource, operation: Operation): string[] {
  const { kind, answer, items, http, method: desc } = operation;
  if (kind === 'watch') {
    const get = operations.find(({ name }) => name === 'get');
    const session = answer.fields.find(({ message }) => message !== undefined && message === get?.answer);
    // Clients without streams ask again and again instead.
    if (session?.name !== 'session') throw new Error(`${desc.name}: there is no operation that answers the same`);
    return [
      '        return SessionWatch::follow(',
      '            $this->caller,',
      `            '/${desc.parent.typeName}/${desc.name}',`,
      '            $id,',
      `            fn (): ${session.message?.name} => $this->get($id),`,
      '        );',
    ];
  }
  const path = pathOf(operation);
  if (kind === 'list')
    return [
      '        return new Listing(',
      '            $this->caller,',
      `            ${path},`,
      ...fieldsOf(contract, operation, '            ', ''),
      `            ${quoted(String(items?.name))},`,
      `            ${items?.message?.name}::fromArray(...),`,
      '        );',
    ];
  const fields = operation.otherFields.length > 0 || http?.body === '*';
  const call = [
    '$this->caller->call(new Operation(',
    `            ${quoted(String(http?.verb).toUpperCase())},`,
    `            ${path},`,
    ...(fields ? fieldsOf(contract, operation, '            ', http?.body === '*' ? 'body: ' : 'query: ') : []),
    ...(operation.repeatable ? [] : ['            isRepeatable: false,']),
    ...(operation.idempotencyKey ? ['            idempotencyKey: $idempotencyKey ?? IdempotencyKey::make(),'] : []),
    '        ))',
  ];
  const isVoid = answer.fields.length === 0;
  const [first, ...rest] = call;
  const last = rest.pop();
  return isVoid
    ? [`        ${first}`, ...rest, `${last};`]
    : [`        return ${answer.name}::fromArray(${first}`, ...rest, `${last});`];
}

function fieldsOf(contract: Contract, { otherFields }: Operation, indent: string, label: string): string[] {
  if (otherFields.length === 0) return [`${indent}${label}[],`];
  return [
    `${indent}${label}[`,
    ...otherFields.map((field) => {
      const { key, name } = phpField(contract, field);
      return `${indent}    '${key}' => ${argument(field, `$${name}`)},`;
    }),
    `${indent}],`,
  ];
}

function argument(field: DescField, variable: string): string {
  if (isTime(field)) return `Arguments::time(${variable})`;
  if (!field.message) return variable;
  return field.fieldKind === 'list' ? `Arguments::many(${variable})` : `Arguments::one(${variable})`;
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
