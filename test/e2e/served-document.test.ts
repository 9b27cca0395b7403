// What /openapi.json says of a deployment is what its service does: a value at a bound is accepted, one beyond is refused, and without
// the field the default holds; after a reload of the settings, too.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { testService } from '../support/service.ts';

const first = {
  code_length: { min: 5, max: 8, default: 7 },
  allow_short_codes: true,
  ttl_seconds: { min: 45, max: 900, default: 120 },
  allow_long_ttl: true,
  timeout_seconds: { min: 2, max: 60 },
};
const second = {
  code_length: { min: 6, max: 6, default: 6 },
  allow_short_codes: false,
  ttl_seconds: { min: 90, max: 300, default: 90 },
  allow_long_ttl: false,
  timeout_seconds: { min: 10, max: 45 },
};

const service = await testService({ config: { verify: first } });
const server = await service.startHere();

interface Bounded {
  minimum: number;
  maximum: number;
  'x-default': unknown;
}
interface Served {
  servers: { url: string }[];
  components: { schemas: Record<string, { properties: Record<string, Bounded> }> };
}

async function served() {
  const response = await fetch(`${server.http}/openapi.json`);
  return { etag: response.headers.get('etag') ?? '', document: (await response.json()) as Served };
}

const field = ({ components }: Served, schema: string, name: string): Bounded =>
  components.schemas[schema]?.properties[name] as Bounded;

let numbers = 0;
/** A number that has no session yet. */
const to = (): string => `+2135580${String(numbers++).padStart(5, '0')}`;

interface Answer {
  id: string;
  created_at: string;
  expires_at: string;
  cascade: { channel: string; timeout_seconds: number }[];
  error?: { code: string; field: string };
}

async function send(fields: object): Promise<Answer & { status: number }> {
  const response = await fetch(`${server.http}/v1/verify/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: to(), ...fields }),
  });
  return { ...((await response.json()) as Answer), status: response.status };
}

/** Fields of a send that a setting bounds: schema, name, and a send with a value for it. */
const bounded: readonly [schema: string, name: string, path: string, fields: (value: number) => object][] = [
  ['SendRequest', 'code_length', 'code_length', (code_length) => ({ code_length })],
  ['SendRequest', 'ttl_seconds', 'ttl_seconds', (ttl_seconds) => ({ ttl_seconds })],
  [
    'CascadeLegInput',
    'timeout_seconds',
    'cascade[0].timeout_seconds',
    (timeout_seconds) => ({ cascade: [{ channel: 'sms', timeout_seconds }] }),
  ],
];

async function holds(document: Served): Promise<void> {
  for (const [schema, name, path, fields] of bounded) {
    const { minimum, maximum } = field(document, schema, name);
    for (const value of [minimum, maximum])
      expect(await send(fields(value)), `${name}: ${value}`).toMatchObject({ status: 200 });
    for (const value of [minimum - 1, maximum + 1])
      expect(await send(fields(value)), `${name}: ${value}`).toMatchObject({
        status: 400,
        error: { code: 'invalid_argument', field: path },
      });
  }
  const { id, created_at, expires_at } = await send({});
  const { body: session } = await server.test.call<{ code_length: number }>('GET', `/v1/verify/sessions/${id}`);
  expect(session.code_length).toBe(field(document, 'SendRequest', 'code_length')['x-default']);
  const seconds = (Date.parse(expires_at) - Date.parse(created_at)) / 1000;
  expect(seconds).toBe(field(document, 'SendRequest', 'ttl_seconds')['x-default']);
  const channels = ['sms', 'whatsapp', 'voice'];
  const { cascade } = await send({ cascade: channels.map((channel) => ({ channel })) });
  expect(Object.fromEntries(cascade.map(({ channel, timeout_seconds }) => [channel, timeout_seconds]))).toEqual(
    field(document, 'CascadeLegInput', 'timeout_seconds')['x-default'],
  );
}

test('the document has the bounds and defaults of the settings, and the service holds them', async () => {
  const { document } = await served();
  const { minimum, maximum, 'x-default': usual } = field(document, 'SendRequest', 'code_length');
  expect({ min: minimum, max: maximum, default: usual }).toEqual(first.code_length);
  expect(document.servers.map(({ url }) => url)).toEqual(['/', expect.stringMatching(/^http:\/\/localhost:\d+$/)]);
  await holds(document);
});

test('a reload changes both', async () => {
  const before = await served();
  service.configure({ verify: second, service: { public_base_url: 'https://verify.example/ramz/' } });
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  await server.app.reload(loaded.config);
  const { document, etag } = await served();
  expect(etag).not.toBe(before.etag);
  expect(document.servers.map(({ url }) => url)).toEqual(['/', 'https://verify.example/ramz']);
  const { minimum, maximum, 'x-default': usual } = field(document, 'SendRequest', 'ttl_seconds');
  expect({ min: minimum, max: maximum, default: usual }).toEqual(second.ttl_seconds);
  await holds(document);
});
