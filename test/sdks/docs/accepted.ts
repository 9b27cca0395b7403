// Every example of a request that the document shows, sent to the running sandbox as a reader would who pastes it: none is refused for
// its content. Nor is a number at the end of its bounds. Run by `node --test` with the environment of test/sdks/live.ts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answered, type Call, call, done, env, ownParameters } from './client.ts';
import { type JsonObject, resolved, routes } from './document.ts';
import { stopped } from './stop.ts';
import { lastGood } from './values.ts';

const admin = env('RAMZ_ADMIN_TOKEN');
const text = (value: unknown): string => String(value);

/** Examples that nobody can send, by operation and name. */
const excepted: Readonly<Record<string, string>> = {
  'check minimal': 'session_not_found', // The id of a session: ids are given by the service.
  'eraseNumberEverywhere full': 'account_not_found', // The id of an account, likewise.
  'connectWaba signup': 'invalid_signup_state', // The state of a signup is used up by one call.
};

const paused = { key: admin, path: { id: 'djurdjura' } };

/** What the id in a path names, made by the service. */
const things: readonly [RegExp, () => Promise<Answered>][] = [
  // A stream ends with its session.
  [/^\/v1\/verify\/sessions\/\{id\}\/events/, async () => canceled()],
  [/^\/v1\/accounts\/\{account_id\}/, asking],
  [/^\/v1\/admin\/accounts\/\{id\}\/autofill/, asking],
  [/^\/v1\/admin\/accounts\/\{id\}/, account],
  [/^\/v1\/admin\/api_keys\/\{id\}/, () => done('createApiKey', { body: { name: 'examples' } })],
  [/^\/v1\/verify\/sessions\/\{id\}/, () => done('send', { body: { to: '+213559990001' } })],
  [/^\/v1\/api_keys\/\{id\}/, () => done('createApiKey', { body: { name: 'examples' } })],
  [
    /^\/v1\/sender_ids\/\{id\}/,
    async () => done('createSenderId', { key: await stranger(), body: { name: 'Examples' } }),
  ],
  [
    /^\/v1\/webhook_endpoints\/\{id\}/,
    () => done('createWebhookEndpoint', { body: { url: `${env('RAMZ_WEBHOOK_SINK')}/examples` } }),
  ],
  [
    /^\/v1\/admin\/administrators\/\{id\}/,
    () => done('createAdministrator', { key: admin, body: { name: 'Examples' } }),
  ],
  [/^\/v1(\/admin)?\/limits\/stops\/\{id\}/, () => stopped()],
  // One of the sandbox's: the configuration names them.
  [/^\/v1\/operators\/\{id\}/, () => done('resumeOperator', paused)],
];

async function canceled(): Promise<Answered> {
  const { json } = await done('send', { body: { to: '+213559990002' } });
  return done('cancelSession', { path: { id: text(json.id) } });
}

/** The live key of an account that has nothing yet. */
async function stranger(): Promise<string> {
  const { json } = await done('createAccount', { key: admin, body: { name: 'Examples' } });
  return text((json.live_key as JsonObject).key);
}

/** An account, for administrators. */
async function account(): Promise<Answered> {
  const made = await done('createAccount', { key: admin, body: { name: 'Examples' } });
  return { ...made, json: made.json.account as JsonObject };
}

/** An account that asks for the brand, the text and the site of the examples. */
async function asking(): Promise<Answered> {
  const texts = [{ language: 'fr', text: '{code} est votre code {brand}.' }];
  const autofill = { web_origins: ['https://shop.example'] };
  return done('updateAccount', { key: await stranger(), body: { brand: 'My Shop', texts, autofill } });
}

/** The sandbox's account has the name of the example already, and asks for it once only. */
const needsStranger = new Set(['createSenderId']);

after(async () => {
  await done('updateAccount', {
    body: { name: 'Sandbox', language: 'fr', default_sender_id: '', cascade: [], in_country_only: false, brand: '' },
  });
  await done('disconnectWaba');
  await done('resumeOperator', paused);
});

// The order of the document: a number is sent a code before it is checked.
for (const { operation, path } of routes) {
  const { operationId: id, requestBody, security } = operation;
  const asWho = security?.[0]?.adminToken ? { key: admin } : {};
  for (const [name, { value }] of Object.entries(requestBody?.content?.['application/json'].examples ?? {})) {
    test(`${id} ${name}`, async () => {
      const answer = await sent(id, path, { body: value, ...asWho });
      const expected = excepted[`${id} ${name}`];
      if (expected) assert.equal(answer.code, expected);
      else assert.equal(answer.status, 200, `${JSON.stringify(value)}: ${JSON.stringify(answer.json)}`);
    });
  }
  const query = ownParameters(id).filter(({ in: where, example }) => where === 'query' && example !== undefined);
  if (query.length > 0 && !path.includes('{event_id}')) {
    test(`${id} with its parameters`, async () => {
      const examples = Object.fromEntries(
        query.map(({ name, example }) => [name, Array.isArray(example) ? example.map(text) : text(example)]),
      );
      const answer = await sent(id, path, { query: examples, ...asWho });
      assert.equal(answer.status, 200, JSON.stringify(answer.json));
    });
  }
}

let lastNumber = 0;

/** Fields that name something of the deployment: within the bounds there may be nothing of that name. */
const naming = new Set(['rebindOperator slot']);

for (const { operation, path } of routes) {
  const { operationId: id, requestBody, security } = operation;
  const content = requestBody?.content?.['application/json'];
  const asWho = security?.[0]?.adminToken ? { key: admin } : {};
  const inBody = Object.entries((resolved(content?.schema ?? {}).properties ?? {}) as Record<string, JsonObject>);
  const inQuery = ownParameters(id).filter((parameter) => parameter.in === 'query');
  for (const [name, schema] of [...inBody, ...inQuery.map((each) => [each.name, each.schema] as const)]) {
    if (lastGood(schema).length === 0 || naming.has(`${id} ${name}`)) continue;
    test(`${id}: ${name} up to its bounds`, async () => {
      for (const value of lastGood(schema)) {
        const body = { ...(content?.examples?.minimal?.value as JsonObject), [name]: value };
        // The number of the example has a session by now.
        if ('to' in body) body.to = `+21355888${String(lastNumber++).padStart(4, '0')}`;
        const given = content ? { body } : { query: { [name]: text(value) } };
        const { json } = await sent(id, path, { ...given, ...asWho });
        assert.notEqual((json.error as JsonObject | undefined)?.field, name, `${value}: ${JSON.stringify(json)}`);
      }
    });
  }
}

/** What the path names is made where that is the service's to give; otherwise it is the path's own example. */
async function sent(id: string, path: string, options: Call): Promise<Answered> {
  const [, make] = things.find(([pattern]) => pattern.test(path)) ?? [];
  const inPath = ownParameters(id).filter((parameter) => parameter.in === 'path');
  const shown = Object.fromEntries(inPath.map(({ name, example }) => [name, text(example)]));
  const [, first = 'id'] = /\{(\w+)\}/.exec(path) ?? [];
  return call(id, {
    ...options,
    path: make ? { ...shown, [first]: text((await make()).json.id) } : shown,
    ...(needsStranger.has(id) ? { key: await stranger() } : {}),
  });
}

test('every exception is an example of the document', () => {
  const names = routes.flatMap(({ operation: { operationId, requestBody } }) =>
    Object.keys(requestBody?.content?.['application/json'].examples ?? {}).map((name) => `${operationId} ${name}`),
  );
  assert.deepEqual(
    Object.keys(excepted).filter((name) => !names.includes(name)),
    [],
  );
});
