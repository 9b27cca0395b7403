// resources.ts and resources/*.ts of the Node SDK: a class for each resource with a method for each operation.

import { camel, type Operation, pascal, type Resource } from '../client.ts';
import type { Model } from '../model.ts';
import { operationKey } from './operations.ts';
import { doc, file, importing, list, quote } from './print.ts';
import { isOptional } from './types.ts';

export const resourceFile = ({ name }: Resource): string => `resources/${name.replaceAll('_', '-')}.ts`;

/** Not just the resource's name: `waba` is a message, too. */
const className = ({ name }: Pick<Resource, 'name'>): string => `${pascal(name)}Resource`;

/** The base of every client: its resources. */
export function renderResources({ client: { resources } }: Model): string {
  return file(
    "import type { Caller } from '../operation.ts';",
    ...resources
      .map((resource) => `import { ${className(resource)} } from './${resourceFile(resource)}';`)
      .sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)),
    '',
    ...doc('Every resource of the service, over whichever transport.'),
    'export class Resources {',
    ...resources.flatMap(({ name, description }) => [
      ...doc(description, '  '),
      `  readonly ${camel(name)}: ${className({ name })};`,
    ]),
    '',
    '  /** @internal */',
    '  constructor(caller: Caller) {',
    ...resources.map(({ name }) => `    this.${camel(name)} = new ${className({ name })}(caller);`),
    '  }',
    '}',
    '',
    exported(resources.map(className).sort()),
  );
}

const pathOf = (line: string): string => /'(.*)'/.exec(line)?.[1] ?? '';

export function renderResource(model: Model, resource: Resource): string {
  const types = resource.operations.flatMap(({ otherFields, method, answer, items }) => [
    ...(otherFields.length > 0 ? [method.input.name] : []),
    ...(items?.message ? [items.message.name] : answer.fields.length > 0 ? [answer.name] : []),
  ]);
  const hasLists = resource.operations.some(({ kind }) => kind === 'list');
  return file(
    ...(hasLists ? ["import { List } from '../../list.ts';"] : []),
    `import type { ${['Caller', ...new Set(resource.operations.map(optionsOf))].sort(ignoringCase).join(', ')} } from '../../operation.ts';`,
    "import { operations } from '../operations.ts';",
    ...importing(types, '../types.ts'),
    '',
    ...doc(resource.description),
    `export class ${className(resource)} {`,
    '  readonly #caller: Caller;',
    '',
    '  /** @internal */',
    '  constructor(caller: Caller) {',
    '    this.#caller = caller;',
    '  }',
    ...resource.operations.flatMap((operation) => ['', ...renderMethod(model, resource, operation)]),
    '}',
  );
}

function renderMethod(model: Model, resource: Resource, operation: Operation): string[] {
  const { name, kind, pathFields, otherFields, method, answer, items } = operation;
  const needsRequest = otherFields.some((field) => !isOptional(model, field, 'request'));
  const parameters = [
    ...pathFields.map((field) => `${camel(field.name)}: string`),
    ...(otherFields.length > 0 ? [`request: ${method.input.name}${needsRequest ? '' : ' = {}'}`] : []),
    `options?: ${optionsOf(operation)}`,
  ];
  const path = `[${pathFields.map((field) => camel(field.name)).join(', ')}]`;
  const request = otherFields.length > 0 ? 'request' : '{}';
  const type = items?.message?.name ?? (answer.fields.length > 0 ? answer.name : 'void');
  const result = kind === 'unary' ? `Promise<${type}>` : kind === 'list' ? `List<${type}>` : `AsyncIterable<${type}>`;
  const given = [`operations[${quote(operationKey(resource, operation))}]`, path, request, 'options'];
  const callee = kind === 'list' ? `new List<${type}>` : `this.#caller.${kind}<${type}>`;
  return [
    ...doc(documentation(model, operation), '  '),
    ...list(`  ${camel(name)}`, parameters, `: ${result} {`),
    ...list(`    return ${callee}`, kind === 'list' ? ['this.#caller', ...given] : given, ';'),
    '  }',
  ];
}

const optionsOf = ({ kind }: Operation): string => (kind === 'watch' ? 'WatchOptions' : 'CallOptions');

/** As the formatter sorts imports. */
const ignoringCase = (a: string, b: string): number => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);

/** Comment of the method, where it lies, and what it can be refused with. */
function documentation({ contract }: Model, operation: Operation): string {
  const { description, http, kind, access, errors } = operation;
  const meaning = new Map(contract.errorCodes.map((code) => [code.name, code.description]));
  return [
    description,
    ...(kind === 'list' ? ['', 'Iterate over the answer for the items of all pages; `page()` gets one page.'] : []),
    ...(kind === 'watch' ? ['', 'A lost connection is made again; leaving the loop ends the watch.'] : []),
    ...(access === 'admin' ? ['', 'Needs the token of an administrator as `apiKey`.'] : []),
    ...(access === 'registration'
      ? ['', 'Needs the token of an administrator as `apiKey`, unless registration is open.']
      : []),
    ...(http ? ['', `\`${http.verb.toUpperCase()} ${http.path}\``] : []),
    ...(errors.length > 0 ? ['', 'Errors of its own:'] : []),
    ...errors.map((code) => `- \`${code}\`: ${meaning.get(code) ?? ''}`),
  ].join('\n');
}

/** On one line where it fits, as the formatter has it. */
function exported(names: readonly string[]): string {
  const line = `export { ${names.join(', ')} };`;
  return line.length <= 120 ? line : `export {\n${names.map((name) => `  ${name},\n`).join('')}};`;
}
