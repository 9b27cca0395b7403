// The page of a signup as the service puts it together: an address that asks too often waits, and another does not pay for it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { clientAddresses } from '../../../src/api/clients/address.ts';
import { signupPages } from '../../../src/app/api.ts';
import { callLimiter } from '../../../src/app/call-limiter.ts';
import type { Config } from '../../../src/config.ts';
import type { Waba } from '../../../src/engine/waba/waba.ts';

let asked = 0;
const waba = {
  offersSignup: true,
  signupState: async () => {
    asked += 1;
    return { kind: 'unknown' };
  },
} as unknown as Waba;
const signup = {
  appId: '70010',
  configId: '70011',
  sdkUrl: 'https://sdk.example/',
  allowedOrigins: ['https://x.example'],
};
const config = { messaging: { signup, graphVersion: 'v25.0' }, service: { brand: 'Ramz' } } as unknown as Config;
const log = () => {};
let now = 0;
const limiter = callLimiter(
  () => 3,
  () => now,
);
const mount = signupPages({
  waba,
  live: { config },
  limiter,
  publicUrl: () => 'https://verify.example',
  addresses: clientAddresses(() => ['127.0.0.1']),
  logger: { debug: log, info: log, warn: log, error: log } as never,
});
const server = createServer((request, response) => void mount(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/connect/messaging?state=${'x'.repeat(43)}`;

test('a second’s worth of calls, then 429 until it has passed', async () => {
  const statuses: number[] = [];
  for (let calls = 0; calls < 5; calls += 1) statuses.push((await fetch(url)).status);
  expect(statuses).toEqual([410, 410, 410, 429, 429]);
  expect(asked).toBe(3);
  expect(limiter.take({ principal: { kind: 'none' }, peer: '192.0.2.7' })).toMatchObject({ kind: 'ok' });
  now += 1_000;
  expect((await fetch(url)).status).toBe(410);
});

test('behind a trusted proxy each address has calls of its own', async () => {
  const from = async (address: string) => (await fetch(url, { headers: { 'x-forwarded-for': address } })).status;
  now += 10_000;
  const statuses: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'])
    statuses.push(await from(address));
  expect(statuses).toEqual([410, 410, 410, 429, 410]);
});
