// Buf plugin: the value sets, event types and error codes of the contract as TypeScript constants and unions.

import type { Contract, ValueSet } from './contract.ts';
import { generatedBy } from './header.ts';
import { runPlugin } from './plugin.ts';

runPlugin('ramz-values', (contract) => ({ 'values.ts': render(contract) }));

function render(contract: Contract): string {
  return [
    `// ${generatedBy('values.ts')}`,
    '',
    ...contract.valueSets.flatMap(renderSet),
    '/** Every error code with its statuses. */',
    'export const errorCodes = {',
    ...contract.errorCodes.map(
      ({ name, httpStatus, grpcCode }) => `  ${name}: { httpStatus: ${httpStatus}, grpcCode: '${grpcCode}' },`,
    ),
    '} as const satisfies Record<ErrorCode, { httpStatus: number; grpcCode: string }>;',
    '',
    '/** Every value set by the name that field rules call it. */',
    'export const valueSets = {',
    ...contract.valueSets.map(({ name }) => `  ${name}: ${constant(name)},`),
    '} as const;',
    '',
  ].join('\n');
}

function renderSet({ name, description, values }: ValueSet): string[] {
  const type = pascal(name);
  const list = constant(name);
  return [
    `/** ${description} */`,
    `export const ${list} = [`,
    ...values.map((value) => `  /** ${value.description} */\n  '${value.name}',`),
    '] as const;',
    `/** ${description} */`,
    `export type ${type} = (typeof ${list})[number];`,
    '',
  ];
}

const pascal = (name: string): string => name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

/** `session_status` → `sessionStatusValues`. */
function constant(name: string): string {
  const type = pascal(name);
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}Values`;
}
