// A call by the Python SDK.

import { pyName, quote } from '../python/text.ts';
import type { Json } from '../schema.ts';
import { broken, type Call } from './call.ts';

export function python({ resource, operation, isLoop, path, given, isAdmin, result }: Call): string {
  const called = `client.${resource.name}.${pyName(operation.name)}(`;
  const entries = [
    ...path.map(({ value }) => quote(value)),
    ...given.map(({ field, value }) => `${pyName(field.name)}=${literal(value)}`),
  ];
  const body = {
    loop: [broken([`for ${result} in ${called}`, '):'], entries, '    '), `        print(${result})`],
    other: result
      ? [broken([`${result} = ${called}`, ')'], entries, '    '), `    print(${result})`]
      : [broken([called, ')'], entries, '    ')],
  }[isLoop ? 'loop' : 'other'];
  const client = isAdmin
    ? 'with Ramz(api_key=os.environ["RAMZ_ADMIN_TOKEN"]) as client:'
    : 'with Ramz() as client:  # RAMZ_BASE_URL and RAMZ_API_KEY';
  return [...(isAdmin ? ['import os', ''] : []), 'from ramz import Ramz', '', client, ...body].join('\n');
}

function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${quote(name)}: ${literal(each)}`)
    .join(', ')}}`;
}
