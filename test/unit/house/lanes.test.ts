// The lanes' pool has a few connections, for what sends and checks need. Nothing that answers an API read takes it: held by the types, so
// that a wrong line in app/app.ts does not compile, and here by name.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createDatabase } from '../../../src/db/client.ts';
import type { Reads } from '../../../src/db/queryable.ts';
import type { EngineOptions } from '../../../src/engine/engine.ts';
import type { WebhooksOptions } from '../../../src/engine/webhooks/context.ts';
import { sourceFiles } from './imports.ts';

test('the types refuse it to everything that reads', async () => {
  const { lanes, close } = createDatabase('postgres://nowhere.invalid/none'); // opens nothing
  // @ts-expect-error: of another purpose
  const reads: Reads = lanes;
  // @ts-expect-error
  const lists: Pick<EngineOptions, 'lists'> = { lists: lanes };
  // @ts-expect-error
  const deliveries: Pick<WebhooksOptions, 'lists'> = { lists: lanes };
  // @ts-expect-error
  const endpoints: Pick<WebhooksOptions, 'db'> = { db: lanes };
  // @ts-expect-error
  const watches: Pick<EngineOptions, 'reads'> = { reads: lanes };
  expect([reads, lists.lists, deliveries.lists, endpoints.db, watches.reads]).toEqual(Array(5).fill(lanes));
  await close();
});

test('handlers never see it', () => {
  const api = sourceFiles().filter((path) => path.startsWith('api/'));
  expect(api.length).toBeGreaterThan(30);
  const source = (path: string) => readFileSync(new URL(`../../../src/${path}`, import.meta.url), 'utf8');
  expect(api.filter((path) => /\.lanes\b|LanesPool/.test(source(path)))).toEqual([]);
});
