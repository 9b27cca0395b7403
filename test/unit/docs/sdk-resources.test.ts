// The page of all SDKs, and the page of each, name every resource that their clients have.
import { expect, test } from 'vitest';
import { read } from './pages.ts';

const [, client = ''] = read('sdks/python/src/ramz/_generated/resources.py').split(/^class \w*Resources\b/m);
const resources = [...client.matchAll(/^ +self\.(\w+) = \w+Resource\(/gm)].map(([, name = '']) => name);

test('every resource of a client is under "Operations"', () => {
  expect(resources).toContain('verify');
  const [, operations = ''] = read('sdks/README.md').split(/^## /m);
  const named = [...operations.matchAll(/`(\w+)(?:\.\w+)?`/g)].map(([, name]) => name);
  expect(resources.filter((name) => !named.includes(name))).toEqual([]);
});

/** A name as each language spells it: `api_keys`, `apiKeys`, `APIKeys`, `Ramz::apiKeys()`. */
const bare = (name: string): string => name.replace(/_/g, '').toLowerCase();

test.each(['python', 'node', 'go', 'php', 'laravel'])('every resource of a client is on the page of %s', (sdk) => {
  const prose = read(`sdks/${sdk}/README.md`).replace(/^```[\s\S]*?^```/gm, '');
  const named = [...prose.matchAll(/`(?:client\.|Ramz::)?(\w+)(?:\(\))?`/g)].map(([, name = '']) => bare(name));
  expect(resources.filter((name) => !named.includes(bare(name)))).toEqual([]);
});
