// The client's resources in Go: one file each, with a method per operation, and the client that holds them.

import type { Client, Operation, Resource } from '../client.ts';
import { constantName, doc, fields, goFile, goName, parameterName, sentence } from './text.ts';

/** The struct that has one field per resource. */
export function clientFile({ resources }: Client): string {
  const members = resources.map(
    ({ name, description, service }) => `${doc(description, '\t')}\n\t${goName(name)} *${goName(service.name)}`,
  );
  const made = resources.map(
    ({ name, service }) => [goName(name), `&${goName(service.name)}{core: core}`] as [string, string],
  );
  return goFile(
    'ramz',
    [],
    [
      `${doc('Client talks to one Ramz service, in the name of one API key. Make one with [NewClient] and share it: it is safe for use by several goroutines at once.')}
type Client struct {
${members.join('\n')}
}`,
      `func newClient(core *core) *Client {\n\treturn &Client{\n${fields(made, '\t\t')}\n\t}\n}`,
    ],
  );
}

/** One resource. */
export function resourceFile(resource: Resource): string {
  const { name, description, operations } = resource;
  const isIterated = operations.some(({ kind }) => kind !== 'unary');
  return goFile(
    'ramz',
    ['context', ...(isIterated ? ['iter'] : [])],
    [
      `${doc(`${serviceName(resource)} has the operations of Client.${goName(name)}. ${description}`)}
type ${serviceName(resource)} struct {
	core *core
}`,
      ...operations.flatMap((operation) => [method(resource, operation), declaration(resource, operation)]),
    ],
  );
}

const serviceName = ({ service }: Resource): string => goName(service.name);

const variable = (resource: Resource, operation: Operation): string =>
  parameterName(`${resource.name}_${operation.name}`);

function method(resource: Resource, operation: Operation): string {
  const { kind, pathFields, method: rpc, answer, items } = operation;
  const takesRequest = operation.otherFields.length > 0;
  const parameters = [
    'ctx context.Context',
    ...pathFields.map(({ name }) => `${parameterName(name)} string`),
    ...(takesRequest ? [`request *${goName(rpc.input.name)}`] : []),
    'options ...CallOption',
  ];
  const path = pathFields.map(({ name }) => parameterName(name));
  const common = `ctx, s.core, ${variable(resource, operation)}, ${path.length > 0 ? `[]string{${path.join(', ')}}` : 'nil'}`;
  const request = takesRequest ? 'request' : 'nil';
  const signature = (result: string, body: string) =>
    `${comment(operation)}
func (s *${serviceName(resource)}) ${goName(operation.name)}(${parameters.join(', ')}) ${result} {
	return ${body}
}`;
  if (kind === 'list') {
    if (!items?.message) throw new Error(`${rpc.name}: a page has no messages`);
    const [page, item] = [goName(rpc.output.name), goName(items.message.name)];
    const reader = `func(page *${page}) ([]${item}, string) {
		return page.${goName(items.name)}, page.NextPageToken
	}`;
    return signature(`iter.Seq2[*${item}, error]`, `list(${common}, request, ${reader}, options)`);
  }
  if (kind === 'watch') return signature(`iter.Seq2[*${goName(rpc.output.name)}, error]`, `watch(${common}, options)`);
  if (answer.fields.length === 0) return signature('error', `run(${common}, ${request}, options)`);
  const type = goName(answer.name);
  return signature(`(*${type}, error)`, `call[${type}](${common}, ${request}, options)`);
}

function comment(operation: Operation): string {
  const { errors, access, kind } = operation;
  const notes = [
    access === 'key' ? '' : 'It needs the token of an administrator in place of an API key, see [WithAPIKey].',
    kind === 'list' ? 'The iterator asks for further pages as it goes. After an error it ends.' : '',
    kind === 'watch'
      ? 'A lost connection is opened again, and nothing comes twice. After an error the iterator ends; end it yourself by leaving the loop or by ctx.'
      : '',
    errors.length > 0
      ? `Errors of its own: ${errors.map((code) => `[${constantName('error_code', code)}]`).join(', ')}.`
      : '',
  ].filter((note) => note !== '');
  return doc([sentence(goName(operation.name), operation.description), ...notes].join('\n\n'));
}

/** What the hand-written transport needs to know of the operation. */
function declaration(resource: Resource, operation: Operation): string {
  const { http, method: rpc, pathFields, ids, idempotencyKey, repeatable } = operation;
  if (http && http.body !== '' && http.body !== '*')
    throw new Error(`${rpc.name}: a body of one field is not supported`);
  const text = (value: string) => JSON.stringify(value);
  const entries: [string, string][] = [['name', text(`${resource.name}.${operation.name}`)]];
  if (http) {
    entries.push(['method', text(http.verb.toUpperCase())], ['path', text(http.path.replace(/\{\w+\}/g, '{}'))]);
    if (http.body === '*') entries.push(['hasBody', 'true']);
  } else {
    entries.push(['path', text(`/${resource.service.typeName}/${rpc.name}`)]);
  }
  if (pathFields.length > 0)
    entries.push(['pathFields', `[]string{${pathFields.map(({ name }) => text(name)).join(', ')}}`]);
  if (ids.length > 0) entries.push(['ids', `[]string{${ids.map(text).join(', ')}}`]);
  if (idempotencyKey) entries.push(['idempotencyKey', 'true']);
  if (repeatable) entries.push(['repeatable', 'true']);
  return `var ${variable(resource, operation)} = &operation{\n${fields(entries, '\t')}\n}`;
}
