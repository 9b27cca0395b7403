// What a process has in memory beside its configuration follows when that is read again.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { testService } from '../../support/service.ts';

const service = await testService();

test('a test key’s sender name is approved at an operator of the new configuration, at once', async () => {
  const operators = service.sandbox.operators as { prefixes: string[] }[];
  service.configure({ operators: operators.slice(0, -1) });
  const { app, test: client } = await service.startHere();
  expect(await client.call('POST', '/v1/sender_ids', { name: 'MyShop' })).toMatchObject({ status: 200 });
  const send = (at: number) => {
    const to = `${operators.at(at)?.prefixes[0]}1234567`.slice(0, '+213550000000'.length);
    return client.call('POST', '/v1/verify/send', { to, sender_id: 'MyShop' });
  };
  expect(await send(0)).toMatchObject({ status: 200 });
  service.configure({ operators });
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  await app.reload(loaded.config);
  expect(await send(-1)).toMatchObject({ status: 200 });
});
