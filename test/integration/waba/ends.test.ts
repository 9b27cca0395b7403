// A process that ends while it exchanges the code of a signup: the platform gives the token once.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ownAccounts } from '../../../src/app/messaging.ts';
import { tester } from '../../support/actor.ts';
import { ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';
import { linkingProcesses, ringOf } from './support.ts';

const service = await linkingProcesses();
const { db, identity, ringJson, row, now } = service;

/** A platform that answers the exchange of a code when it is told to. */
const held: ServerResponse[] = [];
const platform = createServer((_, response) => void held.push(response));
await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => platform.close(resolve)));

const log = () => {};
const { appId, appSecret, phoneNumberId } = identity;
const config = {
  messaging: {
    ...{ phoneNumberId, appSecret, accessToken: 'EAA', graphVersion: 'v25.0', tariff: [], ratePerSecond: 80 },
    graphBaseUrl: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
    template: { name: identity.templateName, languages: { ar: 'ar', fr: 'fr', en: 'en' }, deliverWithinSeconds: 30 },
    signup: { appId },
  },
  verify: { ttlSeconds: { default: 600 }, cascade: [] },
};

test('it stores the token first', async () => {
  const base = { live: { config }, database: { db }, ring: ringOf(ringJson), ids, now };
  const logger = { debug: log, info: log, warn: log, error: log };
  const own = ownAccounts({ ...base, logger } as never, log);
  const accountId = await service.account();
  const made = await own.waba.createSignup(accountId, tester);
  if (made.kind !== 'created') throw new Error(made.kind);
  const by = { kind: 'code' as const, code: 'AQB', state: made.state, redirectUri: null };
  await own.waba.begin({ wabaId: '104200000000001', phoneNumberId: '109300000000002', by, pin: null, actor: tester });
  const answer = await until(() => held[0], { what: 'the exchange' });
  const closed = own.close();
  answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ access_token: 'EAAToken' }));
  await closed;
  expect(await row(accountId)).toMatchObject({ status: 'connecting', step: 'check_number', token: expect.any(String) });
  expect(held).toHaveLength(1);
});
