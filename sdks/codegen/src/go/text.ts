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
export const sentence = (name: string, text: string): string =>
  `${name} ${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** `A business.` of the type Account → `Account: A business.` Words keep their capitals: `LanguageAr: Arabic.` */
export const label = (name: string, text: string): string => `${name}: ${text}`;

/** Words that Go writes in capitals, and one that has a spelling of its own. */
const spelled: Readonly<Record<string, string>> = { Whatsapp: 'WhatsApp' };
const capitals = /(Api|Http|Id|Ip|Sip|Sms|Smpp|Tls|Ttl|Url|Waba|Whatsapp)(s?)(?![a-z])/g;

/** A name of the contract, in snake_case or PascalCase, as Go writes it: `api_key` → `APIKey`, `SenderId` → `SenderID`. */
export const goName = (name: string): string =>
  (/^[A-Z]/.test(name) ? name : pascal(name)).replace(
    capitals,
    (_, word: string, plural: string) => (spelled[word] ?? word.toUpperCase()) + plural,
  );

/** Name of a constant: `receipt_status`, `DELIVRD` → `ReceiptStatusDELIVRD`; `event_type`, `receipt.updated` → `EventTypeReceiptUpdated`. */
export const constantName = (set: string, value: string): string =>
  goName(
    pascal(set) +
      value
        .split(/[^A-Za-z0-9]+/)
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join(''),
  );

/** A parameter's or a variable's name: `event_id` → `eventID`, `api_key` → `apiKey`. */
export function parameterName(name: string): string {
  const [first = '', ...rest] = name.split('_');
  return first + rest.map(goName).join('');
}

/** The fields of a composite literal, one on a line and lined up. */
export function fields(entries: readonly (readonly [string, string])[], indent: string): string {
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  return entries.map(([name, value]) => `${indent}${`${name}:`.padEnd(width)}${value},`).join('\n');
}
