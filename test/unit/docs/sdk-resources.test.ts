// The page of all SDKs names every resource that their clients have.
import { expect, test } from 'vitest';
import { read } from './pages.ts';

test('every resource of a client is under "Operations"', () => {
  const [, client = ''] = read('sdks/python/src/ramz/_generated/resources.py').split(/^class \w*Resources\b/m);
  const resources = [...client.matchAll(/^ +self\.(\w+) = \w+Resource\(/gm)].map(([, name = '']) => name);
  expect(resources).toContain('verify');
  const [, operations = ''] = read('sdks/README.md').split(/^## /m);
  const named = [...operations.matchAll(/`(\w+)(?:\.\w+)?`/g)].map(([, name]) => name);
  expect(resources.filter((name) => !named.includes(name))).toEqual([]);
});
