// A message as a PHP class: readonly promoted properties (PHP 8.1 has no readonly classes), read from decoded JSON and
// written back to it.

import type { DescMessage } from '@bufbuild/protobuf';
import { type Contract, comment } from '../contract.ts';
import { block, file } from './text.ts';
import { isStruct, isTime, type PhpField, phpField } from './types.ts';

/** @param isInput callers may hand it over in a request. */
export function modelClass(contract: Contract, message: DescMessage, isInput: boolean): string {
  const isEvent = message.typeName === 'ramz.v1.WebhookEvent';
  const fields = message.fields.map((field) => {
    const plain = phpField(contract, field);
    return isEvent && isStruct(field) ? eventData(contract, plain) : plain;
  });
  const uses = [
    ...(isEvent ? ['Ramz\\Internal\\EventData'] : []),
    ...(isInput ? ['Ramz\\Internal\\Input'] : []),
    'Ramz\\Internal\\Json',
    ...(message.fields.some(isTime) ? ['Ramz\\Internal\\Timestamp'] : []),
  ];
  return file('Ramz\\Model', uses, [
    ...block([comment(message)]),
    `final class ${message.name} implements \\JsonSerializable${isInput ? ', Input' : ''}`,
    '{',
    ...block(
      fields.map(({ docType, name, description }) => `@param ${docType} $${name} ${description}`),
      '    ',
    ),
    '    public function __construct(',
    ...fields.map(({ type, name, fallback }) => `        public readonly ${type} $${name} = ${fallback},`),
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
      ? ['', ...written('toRequest', 'As a request: what is empty is left out.', fields, (each) => each.writeInput)]
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

/** What `data` is, the type of the event decides; of an unknown type it stays as it came. */
function eventData(contract: Contract, field: PhpField): PhpField {
  const classes = [...new Set(contract.eventTypes.map(({ data }) => contract.message(data).name))].sort();
  return {
    ...field,
    type: `${classes.join('|')}|array`,
    docType: `${classes.join('|')}|array<mixed>`,
    read: `EventData::read(Json::text($data, 'type'), Json::map($data, '${field.key}'))`,
    write: `\\is_array($this->${field.name}) ? $this->${field.name} : $this->${field.name}->toArray()`,
  };
}
