// Requests that no client of the contract can write: bodies, queries and verbs that fit no message of it.
import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { http as httpOption } from '../../../../src/gen/google/api/annotations_pb.ts';
import { validInput } from './violations.ts';

type Ask = () => Promise<string>;

interface ErrorBody {
  error?: { code: string; field?: string };
  code?: string;
}

/** By name; empty for what has no route. */
export function rawCases(method: DescMethod, http: string, key: string): Record<string, Ask> {
  const json = { 'content-type': 'application/json' };
  const connect = `${http}/${method.parent.typeName}/${method.name}`;
  const ask = async (url: string, init: RequestInit): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(url, { ...init, headers });
    const text = await response.text();
    const body = (text === '' ? { code: 'no body' } : JSON.parse(text)) as ErrorBody;
    const code = body.error
      ? `${body.error.code}${body.error.field ? ` at ${body.error.field}` : ''}`
      : (body.code ?? 'ok');
    return `${code} · ${response.status}`;
  };
  const unary = method.methodKind === 'unary';
  const viaConnect: Record<string, Ask> = unary
    ? {
        'Connect, no JSON': () => ask(connect, { method: 'POST', headers: json, body: '{' }),
        'Connect, another verb': () => ask(connect, { method: 'PUT', headers: json, body: '{}' }),
      }
    : {};
  if (!hasOption(method, httpOption)) return viaConnect;

  const { pattern, body } = getOption(method, httpOption);
  const verb = String(pattern.case).toUpperCase();
  const example = validInput(method.input);
  const url =
    http + String(pattern.value).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example[name])));
  const common: Record<string, Ask> = {
    ...viaConnect,
    'REST, another verb': () => ask(url, { method: 'PUT', headers: json, body: '{}' }),
    'REST, another path': () => ask(`${url}/x/y`, { method: verb, headers: json }),
  };
  if (!body) {
    return {
      ...common,
      'REST, a query nobody knows': () => ask(`${url}?nothing=1`, { method: verb }),
      'REST, a query given twice': () => ask(`${url}?page_size=1&page_size=2`, { method: verb }),
      'REST, a query of another type': () => ask(`${url}?page_size=x`, { method: verb }),
    };
  }
  const bodyOf =
    (text: string, headers: Record<string, string> = json) =>
    () =>
      ask(url, { method: verb, headers, body: text });
  const inBody = Object.fromEntries(
    Object.entries(example).filter(([name]) => !String(pattern.value).includes(`{${name}}`)),
  );
  const field = method.input.fields.find(({ name }) => !url.includes(name))?.name ?? 'id';
  return {
    ...common,
    'REST, no JSON': bodyOf('{'),
    'REST, no object': bodyOf('[]'),
    'REST, another media type': bodyOf('{}', { 'content-type': 'text/plain' }),
    'REST, compressed': bodyOf('{}', { ...json, 'content-encoding': 'gzip' }),
    'REST, too large': bodyOf(JSON.stringify({ [field]: 'x'.repeat(70_000) })),
    ...Object.fromEntries(
      method.input.oneofs.map(({ fields }) => {
        const both = { ...inBody, ...Object.fromEntries(fields.map(({ name }) => [name, 'x'])) };
        return [`REST, all of ${fields.map(({ name }) => name).join(', ')}`, bodyOf(JSON.stringify(both))];
      }),
    ),
    'REST, a field nobody knows': bodyOf('{"nothing":1}'),
    'REST, a field given twice': bodyOf(`{"${field}":"a","${field}":"b"}`),
    'REST, a field of another type': bodyOf(`{"${field}":{"a":1}}`),
  };
}
