// The document of a deployment: its own bounds and defaults wherever the contract leaves them to a setting, and nothing else changed.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentOf, settingsOf } from '../../../../src/api/docs/deployment.ts';
import type { OpenApi } from '../../../../src/api/docs/schema.ts';

const text = readFileSync(new URL('../../../../src/gen/openapi.json', import.meta.url), 'utf8');
const generated = JSON.parse(text) as OpenApi;

interface Bounded {
  'x-setting'?: string;
  'x-default'?: unknown;
  minimum?: number;
  maximum?: number;
}

/** Every schema that a setting bounds, with its path. */
function boundedIn(node: unknown, path = ''): [string, Bounded][] {
  if (node === null || typeof node !== 'object') return [];
  const own: [string, Bounded][] = 'x-setting' in node ? [[path, node as Bounded]] : [];
  return [...own, ...Object.entries(node).flatMap(([name, value]) => boundedIn(value, `${path}/${name}`))];
}

const at = (document: unknown, path: string): Bounded =>
  path
    .split('/')
    .slice(1)
    .reduce((node, name) => (node as Record<string, unknown>)[name], document) as Bounded;

const range = (least: number, most: number) =>
  fc
    .tuple(
      ...([0, 1, 2].map(() => fc.integer({ min: least, max: most })) as [
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
      ]),
    )
    .map((values) => values.sort((a, b) => a - b))
    .map(([min, usual, max]) => ({ min: min ?? 0, default: usual ?? 0, max: max ?? 0 }));

const verify = fc.record({
  codeLength: range(4, 10),
  ttlSeconds: range(30, 3600),
  timeoutSeconds: range(1, 900),
});

const bounded = boundedIn(generated);

test('settings bound fields of the contract', () => {
  expect([...new Set(bounded.map(([, schema]) => schema['x-setting']))].sort()).toEqual([
    'verify.code_length',
    'verify.timeout_seconds',
    'verify.ttl_seconds',
  ]);
});

test('each has the bounds and the default of the setting', () => {
  fc.assert(
    fc.property(verify, (settings) => {
      const served = documentOf(generated, { url: 'https://verify.example', settings: settingsOf(settings) });
      expect(boundedIn(served)).toEqual([]);
      const found = Object.fromEntries(
        bounded.map(([path, schema]) => {
          const { minimum, maximum, 'x-default': usual } = at(served, path);
          // The contract's own bounds are the widest.
          expect(minimum).toBeGreaterThanOrEqual(schema.minimum ?? Number.POSITIVE_INFINITY);
          expect(maximum).toBeLessThanOrEqual(schema.maximum ?? Number.NEGATIVE_INFINITY);
          return [schema['x-setting'], { min: minimum, max: maximum, default: usual }];
        }),
      );
      const { min, max } = settings.timeoutSeconds;
      const within = (seconds: number) => Math.min(Math.max(seconds, min), max);
      expect(found).toEqual({
        'verify.code_length': settings.codeLength,
        'verify.ttl_seconds': settings.ttlSeconds,
        'verify.timeout_seconds': { min, max, default: { sms: within(15), whatsapp: within(15), voice: within(45) } },
      });
    }),
    { numRuns: 30 },
  );
});

test('nothing else is changed, and the generated document stays as it is', () => {
  const settings = settingsOf({
    codeLength: { min: 6, max: 8, default: 6 },
    ttlSeconds: { min: 60, max: 300, default: 120 },
    timeoutSeconds: { min: 5, max: 60 },
  });
  const served = documentOf(generated, { url: 'https://verify.example', settings });
  expect(JSON.stringify(generated)).toBe(JSON.stringify(JSON.parse(text)));
  for (const [path, schema] of bounded) {
    const here = at(served, path);
    for (const name of Object.keys(here)) if (!(name in schema)) delete here[name as keyof Bounded];
    Object.assign(here, schema);
  }
  expect({ ...served, servers: generated.servers }).toEqual(generated);
});

test('the first server is where the document is from, the second its full address', () => {
  const { servers } = documentOf(generated, { url: 'https://verify.example', settings: {} });
  expect(servers.map(({ url }) => url)).toEqual(['/', 'https://verify.example']);
});

test('a setting that is not known leaves the bounds of the contract', () => {
  const served = documentOf(generated, { url: 'https://verify.example', settings: {} });
  for (const [path, { minimum, maximum }] of bounded) expect(at(served, path)).toMatchObject({ minimum, maximum });
});
