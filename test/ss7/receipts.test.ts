// Receipts of the SS7 gateway and what clients do with them: each is acknowledged once, refused for now or for good, or under way when the bind ends.
import { afterAll, beforeAll, expect } from 'vitest';
import { until } from '../support/wait.ts';
import { aspWorld } from './support/asp-world.ts';
import { ss7Test as test } from './support/programs.ts';
import { about } from './support/signalling-gateway.ts';
import { SmppClient } from './support/smpp-client.ts';

/** ESME Receiver Temporary and Permanent App Error Code, SMPP v3.4 5.1.3. */
const notNow = 0x64;
const never = 0x65;
/** Sooner than the ten seconds after which the gateway waits for an answer no more. */
const atOnce = 8_000;

const world = await aspWorld({});
const gateway = world?.gateway as NonNullable<typeof world>['gateway'];
let client: SmppClient;

const bind = () => SmppClient.to(gateway.smppPort);
beforeAll(async () => {
  if (world !== null) client = await bind();
});
afterAll(() => client?.close());

const submit = async (count: number) => {
  for (let n = 0; n < count; n += 1) expect(await client.submit('213551234500')).toBe(0);
};
const becomes = (series: string, value: number) =>
  until(async () => (await gateway.metric(series)) === value, { what: `${series} ${value}` });
const delivered = (count: number) => Array(count).fill('00 DELIVRD 000');

// The client leaves out the body of a refusal, as many do: SMPP v3.4 4.6.2.
test('receipts that are refused for now come again, and hold up neither themselves nor others', async () => {
  client.refuses = { count: 8, status: notNow };
  await submit(10);
  expect(await client.receipt(10, atOnce)).toEqual(delivered(10));
  await becomes('ss7_receipts_waiting', 0);
  expect(client.receipts).toEqual([]);
});

test('one that is refused for good is dropped, and counted', async () => {
  client.refuses = { count: 1, status: never };
  await submit(1);
  await becomes('ss7_receipts_dropped_total{reason="refused"}', 1);
  await becomes('ss7_receipts_waiting', 0);
  expect(client.receipts).toEqual([]);
});

test('a bind ends behind the answers to its receipts, so that none comes twice', async () => {
  client.holds = true;
  await submit(2);
  expect(await client.receipt(2)).toEqual(delivered(2));
  for (const [at, face] of world!.relay.faces.entries()) face.send(about('duna', 2 + at));
  // From then on the gateway wants to be rid of its clients.
  await until(async () => (await bind().catch(({ message }) => message)) === 'bind refused: 8', {
    what: 'the refusal',
  });
  expect(client.isUnbound).toBe(false);
  client.answerHeld();
  await until(() => client.isUnbound, { what: 'the unbind' });
  for (const [at, face] of world!.relay.faces.entries()) face.send(about('dava', 2 + at));
  client = await until(() => bind().catch(() => undefined), { what: 'the bind' });
  await submit(1);
  await client.receipt();
  await becomes('ss7_receipts_waiting', 0);
  expect(client.receipts).toEqual([]);
});
