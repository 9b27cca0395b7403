// Webhook events of the Python SDK: a class for each type, told apart by a literal `type`, so that comparing it narrows `data`.

import { type Contract, comment, type EventType } from '../contract.ts';
import { eventName } from '../event.ts';
import { fieldReader, renderFields } from './fields.ts';
import { described, pyName, quote } from './text.ts';

const unknownName = 'UnknownWebhookEvent';

export const eventNames = (contract: Contract): string[] => [
  contract.envelope().message.name,
  'EVENTS',
  'Event',
  'EventData',
  'UnknownEventType',
  unknownName,
  ...contract.eventTypes.map(eventName),
];

export function renderEvents(contract: Contract): string[] {
  const { message, fields } = contract.envelope();
  const base = message.name;
  const dataOf = ({ data }: EventType): string => contract.message(data).name;
  const data = [...new Set(contract.eventTypes.map(dataOf))];
  return [
    '',
    '#: `data` of an event: the message of its type, or plain JSON where the type is not known yet.',
    `EventData = Union[${[...data, 'Mapping[str, Any]'].join(', ')}]`,
    '',
    '',
    '@dataclass(frozen=True)',
    `class ${base}(_Message):`,
    ...described(comment(message), 4),
    '',
    ...renderFields(contract, fields),
    '    data: EventData = field(default_factory=dict)',
    ...described(
      'The state at that moment: the message of the type, or plain JSON where the type is not known yet.',
      4,
    ),
    '',
    '    @classmethod',
    `    def from_dict(cls, data: Mapping[str, Any]) -> ${base}:`,
    '        """Reads a JSON object, as the class of its type. `ValueError` if it is no such object."""',
    `        event, read = EVENTS.get(_read.text(data, "type"), (${unknownName}, dict))`,
    '        return event(',
    ...fields.map((field) => `            ${pyName(field.name)}=${fieldReader(field)},`),
    '            data=read(_read.mapping(data, "data")),',
    '        )',
    '',
    ...contract.eventTypes.flatMap((type) => [
      '',
      '@dataclass(frozen=True)',
      `class ${eventName(type)}(${base}):`,
      ...described(type.description, 4),
      '',
      `    type: Literal[${quote(type.name)}] = ${quote(type.name)}`,
      `    data: ${dataOf(type)} = field(default_factory=${dataOf(type)})`,
      '',
    ]),
    '',
    '#: Any type that this version of the SDK does not know. It is plain text; the literal only keeps type checkers from',
    '#: taking a known type for it.',
    'UnknownEventType = Literal["unknown"]',
    '',
    '',
    '@dataclass(frozen=True)',
    `class ${unknownName}(${base}):`,
    '    """An event of a type that this version of the SDK does not know yet."""',
    '',
    '    type: UnknownEventType = "unknown"',
    '    data: Mapping[str, Any] = field(default_factory=dict)',
    '',
    '',
    '#: Any event; its `type` decides what `data` is.',
    `Event = Union[${[...contract.eventTypes.map(eventName), unknownName].join(', ')}]`,
    '',
    '#: Type of event → its class, and the reader of its data.',
    `EVENTS: dict[str, tuple[type[${base}], Callable[[Mapping[str, Any]], EventData]]] = {`,
    ...contract.eventTypes.map((type) => `    ${quote(type.name)}: (${eventName(type)}, ${dataOf(type)}.from_dict),`),
    '}',
    '',
  ];
}
