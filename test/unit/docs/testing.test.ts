// docs/testing.md names what programs and shells find in the file of a running sandbox.
import { expect, test } from 'vitest';
import { type Running, sandboxJson } from '../../../src/launch/sandbox.ts';
import { read } from './pages.ts';

test('the fields of sandbox.json are those that are written', () => {
  const [, after = ''] = read('docs/testing.md').split('The fields of `sandbox.json`:\n\n');
  const rows = (after.split('\n\n')[0] ?? '').split('\n').slice(2);
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const written = sandboxJson({ ready: {}, account: {} } as Running);
  expect(named.sort()).toEqual(Object.keys(written).sort());
});
