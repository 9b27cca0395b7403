// words.ts of the Node SDK: value sets as constants and as types that let unknown words through, and what is known of errors.

import { camel } from '../client.ts';
import type { ValueSet } from '../contract.ts';
import type { Model } from '../model.ts';
import { doc, file, key, quote } from './print.ts';

export function renderWords({ contract, wordsName }: Model): string {
  return file(
    ...doc('A word of the contract, or one that this version of the SDK does not know yet.'),
    'export type Open<Known extends string> = Known | (string & {});',
    '',
    ...contract.valueSets.flatMap((set) => renderSet(wordsName(set.name), set)),
    ...doc('HTTP status of every error code, and whether the same call may succeed after a short wait.'),
    'export const errorCodes: Readonly<Record<string, { status: number; retry: boolean }>> = {',
    ...contract.errorCodes.map(
      ({ name, httpStatus, retry }) => `  ${key(name)}: { status: ${httpStatus}, retry: ${retry} },`,
    ),
    '};',
  );
}

function renderSet(type: string, { description, values }: ValueSet): string[] {
  return [
    ...doc(description),
    `export const ${type} = {`,
    ...values.flatMap((value) => [
      ...doc(value.description, '  '),
      `  ${key(camel(value.name.replaceAll('.', '_')))}: ${quote(value.name)},`,
    ]),
    '} as const;',
    ...doc(description),
    `export type ${type} = Open<(typeof ${type})[keyof typeof ${type}]>;`,
    '',
  ];
}
