// A call by the Node SDK, as an ES module.

import { camel } from '../client.ts';
import { key, quote } from '../node/print.ts';
import type { Json } from '../schema.ts';
import { broken, type Call, camelKeys } from './call.ts';

export function node({ resource, operation, isLoop, path, given, isAdmin, result }: Call): string {
  const called = `client.${camel(resource.name)}.${camel(operation.name)}(`;
  const ids = path.map(({ value }) => quote(value));
  const entries = given.map(
    ({ field, value }) => `${camel(field.name)}: ${literal(field.fieldKind === 'map' ? value : camelKeys(value))}`,
  );
  const name = result === undefined ? undefined : camel(result);
  const call = (before: string, after: string): string => {
    if (entries.length === 0) return `${before}${called}${ids.join(', ')})${after}`;
    const open = `${before}${called}${ids.map((id) => `${id}, `).join('')}{ `;
    return broken([open, ` })${after}`], entries, '', '  ');
  };
  const body = isLoop
    ? [call(`for await (const ${name} of `, ') {'), `  console.log(${name});`, '}']
    : name === undefined
      ? [call('await ', ';')]
      : [call(`const ${name} = await `, ';'), `console.log(${name});`];
  const client = isAdmin
    ? 'const client = new Ramz({ apiKey: process.env.RAMZ_ADMIN_TOKEN });'
    : 'const client = new Ramz(); // RAMZ_BASE_URL and RAMZ_API_KEY';
  return ["import { Ramz } from '@ramz/sdk';", '', client, ...body].join('\n');
}

function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]) => `${key(name)}: ${literal(each)}`);
  return `{ ${entries.join(', ')} }`;
}
