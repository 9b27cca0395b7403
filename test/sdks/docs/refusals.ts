// Every operation with what it must refuse, made from its schema: each answer is one that the document declares.
// Run by `node --test` with the environment of test/sdks/live.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, env, ownParameters } from './client.ts';
import { type JsonObject, resolved, routes } from './document.ts';
import { badValues } from './values.ts';

const admin = { key: env('RAMZ_ADMIN_TOKEN') };
const text = (value: unknown): string => String(value);

for (const { operation } of routes) {
  const id = operation.operationId;
  const scheme = operation.security?.[0];

  test(`${id} refuses what it must`, async () => {
    const access = scheme?.adminToken ? admin : {};
    const path = Object.fromEntries(
      ownParameters(id).flatMap(({ in: where, name }) => (where === 'path' ? [[name, 'x']] : [])),
    );
    if (scheme?.apiKey) {
      assert.equal((await call(id, { path, key: null })).code, 'missing_api_key');
      assert.equal((await call(id, { path, key: 'ramz_live_wrong' })).code, 'invalid_api_key');
    }
    for (const { name, in: where, schema } of ownParameters(id)) {
      if (where !== 'query') continue;
      for (const value of badValues(schema)) {
        const { status } = await call(id, { path, query: { [name]: text(value) }, ...access });
        assert.equal(status, 400, `${name}=${JSON.stringify(value)}`);
      }
    }
    assert.equal((await call(id, { path, query: { no_such: '1' }, ...access })).code, 'unknown_field');
    const content = operation.requestBody?.content?.['application/json'];
    if (!content) return;
    assert.equal(
      (await call(id, { path, raw: { type: 'application/json', text: '{' }, ...access })).code,
      'malformed_request',
    );
    assert.equal(
      (await call(id, { path, raw: { type: 'text/plain', text: '{}' }, ...access })).code,
      'unsupported_media_type',
    );
    const long = { type: 'application/json', text: JSON.stringify({ x: 'x'.repeat(70_000) }) };
    assert.equal((await call(id, { path, raw: long, ...access })).code, 'request_too_large');
    const good = (content.examples?.full ?? content.examples?.minimal)?.value as JsonObject;
    assert.equal((await call(id, { path, body: { ...good, no_such: 1 }, ...access })).code, 'unknown_field');
    for (const [field, value] of badFields(content.schema)) {
      const { status } = await call(id, { path, body: { ...good, [field]: value }, ...access });
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`);
    }
  });
}

function badFields(schema: JsonObject): [string, unknown][] {
  const properties = resolved(schema).properties as Record<string, JsonObject>;
  return Object.entries(properties).flatMap(([field, one]) =>
    badValues(one).map((value): [string, unknown] => [field, value]),
  );
}
