// Every generated file of the Laravel package by its PSR-4 path: one event class per type of webhook, and the resources
// as methods, which is what a facade can offer. All else is written by hand in sdks/laravel/src.

import { camel, type Operation, pascal, type Resource, readClient } from '../client.ts';
import type { Contract, EventType } from '../contract.ts';
import { parametersOf, resourceName } from '../php/resource.ts';
import { block, file as phpFile } from '../php/text.ts';
import { isModel } from '../php/types.ts';
import type { Files } from '../plugin.ts';

const file = (namespace: string, uses: readonly string[], body: readonly string[]): string =>
  phpFile(namespace, uses, body, 'laravel.ts');

export function laravelFiles(contract: Contract): Files {
  const { resources } = readClient(contract);
  const events = contract.eventTypes.map((type) => [`Events/${eventName(type)}.php`, eventClass(contract, type)]);
  return {
    ...Object.fromEntries(events),
    'Internal/EventClasses.php': eventClasses(contract.eventTypes),
    'Internal/Resources.php': resourcesTrait(resources),
    'Internal/FacadeMethods.php': facadeMethods(contract, resources),
  };
}

/** `receipt.updated` → `ReceiptUpdated`. */
const eventName = ({ name }: EventType): string => pascal(name.replaceAll('.', '_'));

function eventClass(contract: Contract, type: EventType): string {
  const model = contract.message(type.data).name;
  return file(
    'Ramz\\Laravel\\Events',
    [`Ramz\\Model\\${model}`, 'Ramz\\Model\\WebhookEvent'],
    [
      ...block([type.description, '', `Webhook \`${type.name}\`.`]),
      `final class ${eventName(type)}`,
      '{',
      ...block(
        [
          '@param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.',
          `@param ${model} $data Its data.`,
        ],
        '    ',
      ),
      '    public function __construct(',
      '        public readonly WebhookEvent $webhook,',
      `        public readonly ${model} $data,`,
      '    ) {',
      '    }',
      '}',
    ],
  );
}

function eventClasses(types: readonly EventType[]): string {
  return file('Ramz\\Laravel\\Internal', types.map((type) => `Ramz\\Laravel\\Events\\${eventName(type)}`).sort(), [
    ...block(['Which event class a webhook of a type becomes.', '', '@internal']),
    'final class EventClasses',
    '{',
    '    /** @var array<string, class-string> */',
    '    public const BY_TYPE = [',
    ...types.map((type) => `        '${type.name}' => ${eventName(type)}::class,`),
    '    ];',
    '}',
  ]);
}

function resourcesTrait(resources: readonly Resource[]): string {
  return file(
    'Ramz\\Laravel\\Internal',
    ['Ramz\\Client', ...resources.map((resource) => `Ramz\\Resource\\${resourceName(resource)}`).sort()],
    [
      ...block(["The client's resources as methods.", '', '@internal']),
      'trait Resources',
      '{',
      '    abstract public function client(): Client;',
      ...resources.flatMap((resource) => [
        '',
        ...block([resource.description], '    '),
        `    public function ${camel(resource.name)}(): ${resourceName(resource)}`,
        '    {',
        `        return $this->client()->${camel(resource.name)};`,
        '    }',
      ]),
      '}',
    ],
  );
}

/** The operations that the facade has itself, beside the resources. */
const shortcuts = ['send', 'check'];

function facadeMethods(contract: Contract, resources: readonly Resource[]): string {
  const verify = resources.find(({ name }) => name === 'verify');
  const own = (verify?.operations ?? []).filter(({ name }) => shortcuts.includes(name));
  const models = own.flatMap(({ answer, otherFields }) => [
    answer,
    ...otherFields.flatMap(({ message }) => message ?? []),
  ]);
  // Editors complete the named arguments that they find here.
  const methods = [
    ...own.map(
      (operation) =>
        `@method static ${operation.answer.name} ${camel(operation.name)}(${signatureOf(contract, operation)})`,
    ),
    ...resources.map((resource) => `@method static ${resourceName(resource)} ${camel(resource.name)}()`),
  ];
  const uses = [
    'Illuminate\\Support\\Facades\\Facade',
    'Ramz\\CallOptions',
    ...[...new Set(models.filter(isModel).map(({ name }) => name))]
      .filter((name) => methods.some((method) => new RegExp(`\\b${name}\\b`).test(method)))
      .map((name) => `Ramz\\Model\\${name}`),
    ...resources.map((resource) => `Ramz\\Resource\\${resourceName(resource)}`),
  ];
  const doc = ['/**', " * What editors are to know of the facade's methods.", ' *', ' * @internal', ' *'];
  return file('Ramz\\Laravel\\Internal', uses.sort(), [
    // Each on one line, however long: not every editor reads more.
    ...[...doc, ...methods.map((method) => ` * ${method}`), ' */'],
    'abstract class FacadeMethods extends Facade',
    '{',
    '}',
  ]);
}

const signatureOf = (contract: Contract, operation: Operation): string =>
  parametersOf(contract, operation)
    .map(({ type, name, fallback }) => `${type} $${name}${fallback === undefined ? '' : ` = ${fallback}`}`)
    .join(', ');
