// How Go is written: names, doc comments, file headers. Everything comes out as gofmt would leave it.

import { pascal } from '../client.ts';
import { generatedBy } from '../header.ts';
import { modulePath } from './module.ts';

const lineLength = 110;

/** A generated file. */
export function goFile(packageName: string, imports: readonly string[], declarations: readonly string[]): string {
  const groups = [imports.filter((path) => !path.includes('.')), imports.filter((path) => path.includes('.'))];
  const lines = groups
    .filter((group) => group.length > 0)
    .map((group) => group.sort().map((path) => `\t${path === modulePath ? 'ramz ' : ''}${JSON.stringify(path)}`));
  return `${[
    `// ${generatedBy('go.ts')}`,
    `package ${packageName}`,
    ...(lines.length > 0 ? [`import (\n${lines.map((group) => group.join('\n')).join('\n\n')}\n)`] : []),
    ...declarations,
  ].join('\n\n')}\n`;
}

/** A doc comment: paragraphs, wrapped. `indent` is of the declaration. */
export function doc(text: string, indent = ''): string {
  return text
    .split('\n\n')
    .map((paragraph) => wrap(paragraph, lineLength - indent.length * 4).map((line) => `${indent}// ${line}`))
    .map((lines) => lines.join('\n'))
    .join(`\n${indent}//\n`);
}

function wrap(text: string, length: number): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > length) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** `Sends a code.` of the method Send → `Send sends a code.` */
export const sentence = (name: string, text: string): string => `${name} ${lowerFirst(text)}`;

/** `A business.` of the message Account → `Account: a business.` */
export const label = (name: string, text: string): string => `${name}: ${lowerFirst(text)}`;

/** Words written in capitals, and names in backticks, stay as they are. */
const lowerFirst = (text: string): string =>
  /^[A-Z](?![A-Z0-9])/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** A field as protoc-gen-go names it: `event_id` → `EventId`. */
export const fieldName = (name: string): string => pascal(name);

/** Name of a constant: `receipt_status`, `DELIVRD` → `ReceiptStatusDELIVRD`; `event_type`, `receipt.updated` → `EventTypeReceiptUpdated`. */
export const constantName = (set: string, value: string): string =>
  pascal(set) +
  value
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** A parameter's name: Go writes ID in capitals. `event_id` → `eventID`, `id` → `id`. */
export function parameterName(name: string): string {
  const text = pascal(name).replace(/Id$/, 'ID');
  return text === 'ID' ? 'id' : text.charAt(0).toLowerCase() + text.slice(1);
}

/** The fields of a composite literal, one on a line and lined up. */
export function fields(entries: readonly (readonly [string, string])[], indent: string): string {
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  return entries.map(([name, value]) => `${indent}${`${name}:`.padEnd(width)}${value},`).join('\n');
}
