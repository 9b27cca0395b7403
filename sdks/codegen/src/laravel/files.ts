// Every generated file of the Laravel package by its PSR-4 path: one event class per type of webhook, and the resources
// as methods, which is what a facade can offer. All else is written by hand in sdks/laravel/src.

import { camel, pascal, type Resource, readClient } from '../client.ts';
import type { Contract, EventType } from '../contract.ts';
import { resourceName } from '../php/resource.ts';
import { block, file as phpFile } from '../php/text.ts';
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
    'Internal/FacadeMethods.php': facadeMethods(resources),
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

function facadeMethods(resources: readonly Resource[]): string {
  const methods = resources.map((resource) => `@method static ${resourceName(resource)} ${camel(resource.name)}()`);
  return file(
    'Ramz\\Laravel\\Internal',
    [
      'Illuminate\\Support\\Facades\\Facade',
      ...resources.map((resource) => `Ramz\\Resource\\${resourceName(resource)}`).sort(),
    ],
    [
      ...block(["What editors are to know of the facade's methods.", '', '@internal', '', ...methods]),
      'abstract class FacadeMethods extends Facade',
      '{',
      '}',
    ],
  );
}
