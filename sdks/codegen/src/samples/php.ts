// A call by the PHP SDK, and by the Laravel package that stands on it.

import { camel, type Operation, type Resource } from '../client.ts';
import { quoted } from '../php/text.ts';
import type { Json } from '../schema.ts';
import { broken, type Call } from './call.ts';

export function php(call: Call): string {
  const client = call.isAdmin
    ? "$client = new Ramz\\Client(apiKey: getenv('RAMZ_ADMIN_TOKEN'));"
    : '$client = new Ramz\\Client(); // RAMZ_BASE_URL and RAMZ_API_KEY';
  const { resource, operation } = call;
  const called = `$client->${camel(resource.name)}->${camel(operation.name)}(`;
  return ['<?php', "require 'vendor/autoload.php';", '', client, ...statements(call, called)].join('\n');
}

export function laravel(call: Call): string {
  const { resource, operation, isAdmin } = call;
  if (isAdmin) {
    const client = "$client = new Client(apiKey: env('RAMZ_ADMIN_TOKEN'), baseUrl: config('ramz.base_url'));";
    const called = `$client->${camel(resource.name)}->${camel(operation.name)}(`;
    return ['use Ramz\\Client;', '', client, ...statements(call, called)].join('\n');
  }
  return ['use Ramz\\Laravel\\Facades\\Ramz;', '', ...statements(call, facadeCall(resource, operation))].join('\n');
}

/** The facade has the two main operations by themselves. */
function facadeCall(resource: Resource, operation: Operation): string {
  const isMain = resource.name === 'verify' && ['send', 'check'].includes(operation.name);
  return isMain ? `Ramz::${operation.name}(` : `Ramz::${camel(resource.name)}()->${camel(operation.name)}(`;
}

function statements({ isLoop, path, given, result }: Call, called: string): string[] {
  const entries = [
    ...path.map(({ field, value }) => (path.length > 1 ? `${camel(field.name)}: ` : '') + quoted(value)),
    ...given.map(({ field, value }) => `${camel(field.name)}: ${literal(value)}`),
  ];
  const variable = `$${camel(result ?? '')}`;
  const print = `echo json_encode(${variable}), "\\n";`;
  if (isLoop) return [broken([`foreach (${called}`, `) as ${variable}) {`], entries, ''), `    ${print}`, '}'];
  if (result === undefined) return [broken([called, ');'], entries, '')];
  return [broken([`${variable} = ${called}`, ');'], entries, ''), print];
}

function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `[${Object.entries(value)
    .map(([name, each]) => `${quoted(name)} => ${literal(each)}`)
    .join(', ')}]`;
}
