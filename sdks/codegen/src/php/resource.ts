// A service as a PHP class: one method for each operation, with named arguments.

import type { DescField } from '@bufbuild/protobuf';
import { camel, type Operation, pascal, type Resource } from '../client.ts';
import type { Contract } from '../contract.ts';
import { callOf } from './call.ts';
import { block, file } from './text.ts';
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
    'Ramz\\CallOptions',
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
    ...callOf(contract, resource, operation),
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
export function parametersOf(contract: Contract, { pathFields, otherFields, idempotencyKey }: Operation): Parameter[] {
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
    {
      name: 'options',
      type: '?CallOptions',
      docType: 'CallOptions|null',
      description: 'Options of this call: time limits, retries, headers, a hook.',
      fallback: 'null',
    },
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
  return ['', `${needs} the token of an administrator in place of the client's API key.`];
}

function throwsOf({ errors }: Operation): string {
  const own = errors.map((code) => `\`${code}\``).join(', ');
  return own ? `${own}, or what any call may answer.` : 'What any call may answer.';
}
