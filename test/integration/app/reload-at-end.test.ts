// A process that is asked to end while it takes over a new configuration: nothing is opened behind the parts that have ended.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const service = await testService();

// Of these moments each is in another part of the reload.
test.each([0, 5, 20, 60])('no bind is left where the end comes %i ms after the reload', async (afterMs) => {
  const { app } = await service.startHere();
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error('the configuration of the tests is none');
  // One operator less, and every bind of the others anew.
  const operators = loaded.config.operators.slice(1).map((each) => ({ ...each, window: each.window + 1 }));
  const reloaded = app.reload({ ...loaded.config, operators });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await Promise.all([reloaded, app.close()]);
  const { rows } = await sql`select operator, n from bind_slot where owner is not null`.execute(service.database.db);
  expect(rows).toEqual([]);
  const binds = () => Object.values(service.sandbox.smscs).map(({ counts }) => counts.binds);
  await until(() => binds().every((count) => count === 0), { what: 'every bind to be gone' });
});
