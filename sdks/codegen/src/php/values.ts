// A value set as a class of constants. Not an enum: a word that is new must pass.

import { pascal } from '../client.ts';
import type { Contract, ValueSet } from '../contract.ts';
import { block, file, quoted } from './text.ts';

export function valueClass(contract: Contract, { name, description, values }: ValueSet): string {
  const constants = values.flatMap((value) => [
    ...block([value.description], '    '),
    `    public const ${constant(value.name)} = ${quoted(value.name)};`,
    '',
  ]);
  const words = values.map((value) => value.name);
  return file(
    'Ramz\\Value',
    [],
    [
      ...block([description, '', 'Answers may hold words that are newer than this list.']),
      `final class ${pascal(name)}`,
      '{',
      ...constants,
      ...list('KNOWN', 'Every word that this version knows.', words),
      ...(name === 'error_code' ? errorLists(contract) : []),
      '}',
    ],
  );
}

function errorLists({ errorCodes }: Contract): string[] {
  const about = 'The same call may succeed after a short wait: the client repeats it by itself.';
  const retried = errorCodes.filter(({ retry }) => retry).map(({ name }) => name);
  return [
    '',
    ...list('RETRIED', about, retried),
    '',
    ...block(['HTTP status of each.'], '    '),
    '    public const STATUSES = [',
    ...errorCodes.map(({ name, httpStatus }) => `        self::${constant(name)} => ${httpStatus},`),
    '    ];',
  ];
}

function list(name: string, about: string, words: readonly string[]): string[] {
  return [
    ...block([about], '    '),
    `    public const ${name} = [`,
    ...words.map((word) => `        self::${constant(word)},`),
    '    ];',
  ];
}

/** `receipt.updated` → `RECEIPT_UPDATED`. PHP allows no digit in front, and no constant named `class`. */
const constant = (word: string): string =>
  word
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/^(?=\d)/, '_')
    .replace(/^class$/i, '$&_')
    .toUpperCase();
