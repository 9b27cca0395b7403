// A message as a PHP class: readonly promoted properties (PHP 8.1 has no readonly classes), read from decoded JSON and
// written back to it.

import type { DescMessage } from '@bufbuild/protobuf';
import { type Contract, comment } from '../contract.ts';
import { writerOf } from './call.ts';
import { block, file } from './text.ts';
import { isTime, type PhpField, phpField } from './types.ts';

/** @param isInput callers may hand it over in a request. */
export function modelClass(contract: Contract, message: DescMessage, isInput: boolean): string {
  const fields = message.fields.map((field) => phpField(contract, field));
  const uses = [
    ...(isInput && message.fields.some(writerOf) ? ['Ramz\\Internal\\Arguments'] : []),
    ...(isInput ? ['Ramz\\Internal\\Input'] : []),
    'Ramz\\Internal\\Json',
    ...(message.fields.some(isTime) ? ['Ramz\\Internal\\Timestamp'] : []),
  ];
  return render(message, fields, uses, isInput);
}

/** The envelope of webhook events. */
export function eventClass(contract: Contract): string {
  const { message, fields } = contract.envelope();
  const uses = ['Ramz\\Internal\\EventData', 'Ramz\\Internal\\Json', 'Ramz\\Internal\\Timestamp'];
  return render(message, [...fields.map((field) => phpField(contract, field)), eventData(contract)], uses, false);
}

function render(message: DescMessage, fields: readonly PhpField[], uses: readonly string[], isInput: boolean): string {
  return file('Ramz\\Model', uses, [
    ...block([comment(message)]),
    `final class ${message.name} implements \\JsonSerializable${isInput ? ', Input' : ''}`,
    '{',
    ...block(
      fields.map(({ docType, name, description }) => `@param ${docType} $${name} ${description}`),
      '    ',
    ),
    '    public function __construct(',
    ...fields.map(({ type, name, fallback }) => promoted(type, `$${name} = ${fallback},`)),
    '    ) {',
    '    }',
    '',
    ...block(
      [
        'Reads decoded JSON. What is unknown is passed over, what is missing has its default.',
        '',
        '@param array<mixed> $data',
        '',
        '@throws \\UnexpectedValueException A field is of another type.',
      ],
      '    ',
    ),
    '    public static function fromArray(array $data): self',
    '    {',
    '        return new self(',
    ...fields.map(({ name, read }) => `            ${name}: ${read},`),
    '        );',
    '    }',
    '',
    ...written('toArray', 'As the service writes it: what is absent is left out.', fields, ({ write }) => write),
    ...(isInput
      ? [
          '',
          ...written('toRequest', 'As a request: what is empty is left out.', fields, (each) => each.writeInput),
          '',
          ...writers(message),
        ]
      : []),
    '',
    '    /** @return array<string, mixed> */',
    '    public function jsonSerialize(): array',
    '    {',
    '        return $this->toArray();',
    '    }',
    '}',
  ]);
}

function written(
  method: string,
  about: string,
  fields: readonly PhpField[],
  of: (field: PhpField) => string,
): string[] {
  return [
    ...block([about, '', '@return array<string, mixed>'], '    '),
    `    public function ${method}(): array`,
    '    {',
    '        return Json::given([',
    ...fields.map((field) => `            '${field.key}' => ${of(field)},`),
    '        ]);',
    '    }',
  ];
}

/** Whatever its fields came from: PHP has one type for lists, maps and objects, and they are three of JSON. */
function writers({ fields }: DescMessage): string[] {
  const lines = fields.flatMap((field) => {
    const writer = writerOf(field);
    return writer ? [`            '${field.name}' => static fn (mixed $given): mixed => ${writer('$given')},`] : [];
  });
  return [
    ...block(
      [
        'How fields of a request are written that are more than plain values.',
        '',
        '@internal',
        '',
        '@return array<string, \\Closure(mixed): mixed>',
      ],
      '    ',
    ),
    '    public static function writers(): array',
    '    {',
    ...(lines.length > 0 ? ['        return [', ...lines, '        ];'] : ['        return [];']),
    '    }',
  ];
}

/** A union that is too long for a line has a line for each of its types. */
function promoted(type: string, rest: string): string {
  const line = `        public readonly ${type} ${rest}`;
  return line.length <= 140 ? line : line.replaceAll('|', '\n        | ');
}

/** What `data` is, the type of the event decides; of an unknown type it stays as it came. */
function eventData(contract: Contract): PhpField {
  const classes = [...new Set(contract.eventTypes.map(({ data }) => contract.message(data).name))].sort();
  const write = '\\is_array($this->data) ? $this->data : $this->data->toArray()';
  return {
    key: 'data',
    name: 'data',
    type: `${classes.join('|')}|array`,
    docType: `${classes.join('|')}|array<mixed>`,
    fallback: '[]',
    read: "EventData::read(Json::text($data, 'type'), Json::map($data, 'data'))",
    write,
    writeInput: write,
    description: 'The state at that moment; its class goes with the type, and an unknown type keeps what came.',
    nullable: false,
  };
}
