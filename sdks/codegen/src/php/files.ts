// Every generated file of the PHP SDK by its PSR-4 path: models, resources, constants, and what binds them to the layer
// that is written by hand (sdks/php/src).

import type { DescMessage } from '@bufbuild/protobuf';
import { camel, type Operation, pascal, readClient } from '../client.ts';
import type { Contract } from '../contract.ts';
import type { Files } from '../plugin.ts';
import { eventClass, modelClass } from './model.ts';
import { resourceClass, resourceName } from './resource.ts';
import { block, file, quoted } from './text.ts';
import { isModel } from './types.ts';
import { valueClass } from './values.ts';

export function phpFiles(contract: Contract): Files {
  const { resources, messages } = readClient(contract);
  const operations = resources.flatMap((resource) => resource.operations);
  const answers = within([
    ...operations.map(answerOf),
    ...contract.eventTypes.map(({ data }) => contract.message(data)),
  ]);
  const inputs = within(operations.flatMap(({ otherFields }) => otherFields.flatMap(({ message }) => message ?? [])));
  const models = messages.filter((message) => (answers.has(message) || inputs.has(message)) && !isEmpty(message));
  const named: [path: string, content: string][] = [
    ...models.map((message): [string, string] => [
      `Model/${message.name}`,
      modelClass(contract, message, inputs.has(message)),
    ]),
    ...resources.map((resource): [string, string] => [
      `Resource/${resourceName(resource)}`,
      resourceClass(contract, resource),
    ]),
    ...contract.valueSets.map((set): [string, string] => [`Value/${pascal(set.name)}`, valueClass(contract, set)]),
    ['Internal/Resources', resourcesClass(resources)],
    ['Testing/Routes', routesClass(operations)],
    [`Model/${contract.envelope().message.name}`, eventClass(contract)],
    ['Internal/EventData', eventDataClass(contract)],
  ];
  return Object.fromEntries(named.map(([path, content]) => [`${path}.php`, content]));
}

/** Pages are not shown: a list answers its items. */
const answerOf = ({ answer, items }: Operation): DescMessage => items?.message ?? answer;

const isEmpty = (message: DescMessage): boolean => message.fields.length === 0;

function within(roots: readonly DescMessage[]): Set<DescMessage> {
  const seen = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (seen.has(message) || !isModel(message)) return;
    seen.add(message);
    for (const field of message.fields) if (field.message) visit(field.message);
  };
  roots.forEach(visit);
  return seen;
}

function resourcesClass(resources: readonly { name: string; description: string }[]): string {
  const properties = resources.map(({ name, description }) => [
    ...block([description], '    '),
    `    public readonly ${resourceName({ name })} $${camel(name)};`,
  ]);
  return file('Ramz\\Internal', resources.map(({ name }) => `Ramz\\Resource\\${resourceName({ name })}`).sort(), [
    ...block(['What a client offers: one property for each resource.', '', '@internal']),
    'abstract class Resources',
    '{',
    ...properties.flatMap((lines) => [...lines, '']),
    '    protected function __construct(Caller $caller)',
    '    {',
    ...resources.map(({ name }) => `        $this->${camel(name)} = new ${resourceName({ name })}($caller);`),
    '    }',
    '}',
  ]);
}

/** What the fake reads ids of. */
function routesClass(operations: readonly Operation[]): string {
  const templates = operations.flatMap(({ http, pathFields }) =>
    http && pathFields.length > 0 ? [`${http.verb.toUpperCase()} ${http.path}`] : [],
  );
  return file(
    'Ramz\\Testing',
    [],
    [
      ...block(['Which parts of a path are ids.', '', '@internal']),
      'final class Routes',
      '{',
      ...block(['Method and path of the operations that have any.'], '    '),
      '    public const TEMPLATES = [',
      ...templates.map((template) => `        ${quoted(template)},`),
      '    ];',
      '}',
    ],
  );
}

function eventDataClass({ eventTypes, message }: Contract): string {
  const classes = [...new Set(eventTypes.map(({ data }) => message(data).name))].sort();
  const arms = classes.map((name) => {
    const types = eventTypes.filter(({ data }) => message(data).name === name).map((each) => `'${each.name}'`);
    const one = types.join(', ');
    const listed = one.length <= 80 ? one : types.join(',\n            ');
    return `            ${listed} => ${name}::fromArray($data),`;
  });
  return file(
    'Ramz\\Internal',
    classes.map((name) => `Ramz\\Model\\${name}`),
    [
      ...block(['Which model the `data` of an event is.', '', '@internal']),
      'final class EventData',
      '{',
      ...block(
        [
          '@param array<mixed> $data',
          '',
          `@return ${classes.join('|')}|array<mixed> as it came where the type is unknown`,
        ],
        '    ',
      ),
      `    public static function read(string $type, array $data): \\JsonSerializable|array`,
      '    {',
      '        return match ($type) {',
      ...arms,
      '            default => $data,',
      '        };',
      '    }',
      '}',
    ],
  );
}
