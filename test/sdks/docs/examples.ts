// Every example of the document passes the schema it stands beside. Run by `node --test`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Content, check, checkClosed, document, type JsonObject, routes } from './document.ts';

const webhooks = Object.entries(document.webhooks);

/** The states of a stream's example. */
const stateOf = /^data: (\{"session".*)$/gm;

function examplesOf(content: Content | undefined): [string, unknown][] {
  const stream = content?.content?.['text/event-stream'];
  if (stream) return [...stream.example.matchAll(stateOf)].map(([, data = '']) => ['event', JSON.parse(data)]);
  const json = content?.content?.['application/json'];
  if (!json) return [];
  const named = Object.entries(json.examples ?? {}).map(([name, { value }]): [string, unknown] => [name, value]);
  return [...(json.example === undefined ? [] : [['example', json.example] as [string, unknown]]), ...named];
}

function passes(where: string, schema: JsonObject, value: unknown, validate = check): void {
  assert.equal(validate(schema, value), undefined, `${where}: ${JSON.stringify(value)}`);
}

const schemaOf = ({ content }: Content): JsonObject =>
  content?.['text/event-stream']?.['x-event-data'] ?? content?.['application/json'].schema ?? {};

for (const { operation } of routes) {
  test(`${operation.operationId}: request, answer, errors`, () => {
    const { requestBody, responses } = operation;
    if (requestBody) {
      assert.ok(examplesOf(requestBody).length > 0, 'no example of the request');
      for (const [name, value] of examplesOf(requestBody)) passes(name, schemaOf(requestBody), value);
    }
    for (const [status, answer] of Object.entries(responses)) {
      if (status === '204') continue;
      const examples = examplesOf(answer);
      assert.ok(examples.length > 0, `no example of ${status}`);
      for (const [name, value] of examples) passes(`${status} ${name}`, schemaOf(answer), value, checkClosed);
      const codes = answer['x-error-codes'];
      if (codes) assert.deepEqual(examples.map(([name]) => name).sort(), [...codes].sort());
    }
  });
}

for (const [type, { post }] of webhooks) {
  test(`webhook ${type}`, () => {
    const body = post.requestBody ?? {};
    const [[, value] = []] = examplesOf(body);
    passes(type, schemaOf(body), value, checkClosed);
    assert.equal((value as { type?: string }).type, type);
    // The type decides what `data` is: the schema must refuse the same body under another type.
    assert.notEqual(check(schemaOf(body), { ...(value as object), type: 'other' }), undefined);
    assert.deepEqual(post.security, [], 'a callback has no API key');
  });
}

test('parameters and headers', () => {
  const parameters = [...routes.map(({ operation }) => operation), ...webhooks.map(([, { post }]) => post)]
    .flatMap((operation) => operation.parameters ?? [])
    .filter((parameter) => parameter.$ref === undefined);
  for (const parameter of [...parameters, ...Object.values(document.components.parameters)])
    if (parameter.example !== undefined) passes(parameter.name, parameter.schema, parameter.example);
  for (const [name, header] of Object.entries(document.components.headers)) passes(name, header.schema, header.example);
});

test('fields of every object', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const [field, one] of Object.entries((schema.properties ?? {}) as Record<string, JsonObject>)) {
      if (!Array.isArray(one.examples)) continue;
      for (const example of one.examples) passes(`${name}.${field}`, one, example);
    }
  }
});

test('a wrong example is seen', () => {
  const send = { $ref: '#/components/schemas/SendRequest' };
  assert.match(String(check(send, { to: 7 })), /to must be string/);
  assert.match(String(check(send, { to: '+213550000001', colour: 'red' })), /additional properties/);
  const answer = { $ref: '#/components/schemas/CheckResult' };
  const good = { valid: true, id: 'x', status: 'verified', reason: '', attempts_remaining: 4, test: false };
  assert.equal(checkClosed(answer, good), undefined);
  assert.equal(check(answer, { ...good, status: 'new_word', more: 1 }), undefined, 'clients accept what is new');
  assert.match(String(checkClosed(answer, { ...good, status: 'new_word' })), /allowed values/);
  assert.match(String(checkClosed(answer, { ...good, more: 1 })), /additional properties/);
});
