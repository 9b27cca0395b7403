// A call by curl, for a POSIX shell.

import { type Call, objectOf } from './call.ts';

export function curl({ operation: { kind }, http, path, given, isAdmin }: Call): string {
  const verb = http.verb.toUpperCase();
  const values = new Map(path.map(({ field, value }) => [field.name, value]));
  const address = http.path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name);
  const hasBody = http.body !== '' && given.length > 0;
  // A list is its name several times.
  const query = (hasBody ? [] : given).flatMap(({ field, value }) =>
    [value].flat().map((each) => `${field.name}=${encodeURIComponent(String(each))}`),
  );
  const isImplied = verb === 'GET' || (verb === 'POST' && hasBody);
  return [
    `curl ${kind === 'watch' ? '-N ' : ''}${isImplied ? '' : `-X ${verb} `}"$RAMZ_BASE_URL${address}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
    `-H "Authorization: Bearer $${isAdmin ? 'RAMZ_ADMIN_TOKEN' : 'RAMZ_API_KEY'}"`,
    ...(hasBody ? ["-H 'Content-Type: application/json'", `-d ${shellText(JSON.stringify(objectOf(given)))}`] : []),
  ].join(' \\\n  ');
}

const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
