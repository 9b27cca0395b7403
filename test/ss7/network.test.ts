// The network side of the SS7 gateway, as an application server process with two associations to two point codes: what it does when the network
// says that something is gone, congested or back, and when a peer or an association is lost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { gatewayFolder } from '../../scripts/ss7/gateway.ts';
import { until } from '../support/wait.ts';
import { aspWorld } from './support/asp-world.ts';
import { calledSubsystem, data, is, subsystemStatus, tags, tcapTag, uint32 } from './support/m3ua.ts';
import { ss7Test as test } from './support/programs.ts';
import { about, destinations, type Face } from './support/signalling-gateway.ts';
import { SmppClient } from './support/smpp-client.ts';

const throttled = 0x58;
const systemError = 0x08;
const tcContinue = 0x65;
/** ESME Receiver Temporary App Error Code, SMPP v3.4 5.1.3. */
const notNow = 0x64;

const world = await aspWorld({ map: { max_dialogues: 10, routing_cache_seconds: 0 } });
const gateway = world?.gateway as NonNullable<typeof world>['gateway'];
let client: SmppClient;

const bind = () => SmppClient.to(gateway.smppPort);
beforeAll(async () => {
  if (world !== null) client = await bind();
});
afterAll(() => client?.close());

const [a, b] = [0, 1].map((at) => () => world!.relay.faces[at]!) as [() => Face, () => Face];

let marks: readonly [number, number] = [0, 0];
const mark = () => {
  marks = [a().received.length, b().received.length];
};
beforeEach(() => {
  if (world !== null) mark();
});

/** Sends one message to a phone that takes it; resolves with the point codes that the two requests went to. */
async function way(number = '213551234500'): Promise<number[]> {
  mark();
  expect(await client.submit(number)).toBe(0);
  expect(await client.receipt()).toEqual([`${number.slice(-2)} DELIVRD 000`]);
  return [...destinations(a(), marks[0]), ...destinations(b(), marks[1])];
}

const isAvailable = (pointCode: number) => gateway.metric(`ss7_point_code_available{point_code="${pointCode}"}`);
const becomes = (series: string, value: number) =>
  until(async () => (await gateway.metric(series)) === value, { what: `${series} ${value}`, timeoutMs: 30_000 });

test('becomes active at both, and sends to the point code of the route', async () => {
  expect(await way()).toEqual([2, 2]);
  const [active] = a().received.filter((one) => is(one, 'aspActive'));
  expect(active?.parameters.get(tags.routingContext)).toEqual(uint32(101));
  expect(active?.parameters.get(tags.trafficMode)).toEqual(uint32(2));
});

test('asks the HLR at its subsystem, and hands a message to the switching centre, or to the SGSN that the HLR names', async () => {
  const subsystems = async (number: string) => {
    await way(number);
    return [...a().received.slice(marks[0]), ...b().received.slice(marks[1])].flatMap(
      (one) => calledSubsystem(one) ?? [],
    );
  };
  expect(await subsystems('213551234500')).toEqual([6, 8]);
  expect(await subsystems('213551234514')).toEqual([6, 149]);
});

test('a lost association leaves the other, and is made again', async () => {
  await a().cut();
  await becomes('ss7_association_active{association="a"}', 0);
  await becomes('ss7_point_code_available{point_code="2"}', 0);
  expect(await gateway.isHealthy()).toBe(true);
  expect(await way()).toEqual([3, 3]);
  await a().open();
  await gateway.active(2);
  await becomes('ss7_point_code_available{point_code="2"}', 1);
  expect(await way()).toEqual([2, 2]);
});

test('DUNA takes the backup, DAVA takes it back', async () => {
  a().send(about('duna', 2));
  await becomes('ss7_point_code_available{point_code="2"}', 0);
  expect(await way()).toEqual([3, 3]);
  a().send(about('dava', 2));
  await becomes('ss7_point_code_available{point_code="2"}', 1);
  expect(await way()).toEqual([2, 2]);
});

test('without any point code in reach clients are unbound, and binds are refused until one is back', async () => {
  a().send(about('duna', 2));
  b().send(about('duna', 3));
  await until(() => client.isUnbound, { what: 'the unbind' });
  expect(await gateway.isHealthy()).toBe(false);
  await expect(bind()).rejects.toThrow(`bind refused: ${systemError}`);
  a().send(about('dava', 2));
  b().send(about('dava', 3));
  await until(() => gateway.isHealthy(), { what: 'the health' });
  client = await until(() => bind(), { what: 'the bind' });
  expect(await way()).toEqual([2, 2]);
});

test('a user part that is not there counts as out of reach, until its SCCP says that it is back', async () => {
  a().send(about('dupu', 2, { userCause: Buffer.from([0, 2, 0, 3]) }));
  await becomes('ss7_point_code_available{point_code="2"}', 0);
  expect(await way()).toEqual([3, 3]);
  a().send(data(101, [2, 1], subsystemStatus('allowed', 2, 1)));
  await becomes('ss7_point_code_available{point_code="2"}', 1);
  expect(await way()).toEqual([2, 2]);
});

test('a prohibited subsystem is avoided where messages end at subsystems', async () => {
  expect(await way('213991234500')).toEqual([2, 2]);
  a().send(data(101, [2, 1], subsystemStatus('prohibited', 2, 6)));
  await becomes('ss7_subsystem_available{point_code="2",ssn="6"}', 0);
  // The HLR is asked by the backup; the switching centre has a title of another route, and another subsystem.
  expect((await way('213991234500')).toSorted()).toEqual([2, 3]);
  expect(await way()).toEqual([2, 2]);
  a().send(data(101, [2, 1], subsystemStatus('allowed', 2, 6)));
  await becomes('ss7_subsystem_available{point_code="2",ssn="6"}', 1);
  expect(await way('213991234500')).toEqual([2, 2]);
});

test('congestion of all point codes throttles clients, and passes', async () => {
  a().send(about('scon', 2, { congestion: uint32(2) }));
  await becomes('ss7_point_code_congestion{point_code="2"}', 2);
  expect(await client.submit('213551234500')).toBe(0);
  // Once more, since it is over after five seconds.
  a().send(about('scon', 2, { congestion: uint32(2) }));
  b().send(about('scon', 3));
  await becomes('ss7_point_code_congestion{point_code="3"}', 1);
  expect(await client.submit('213551234500')).toBe(throttled);
  await until(async () => (await client.submit('213551234500')) === 0, { what: 'its end', everyMs: 200 });
  expect(await client.receipt(2)).toEqual(['00 DELIVRD 000', '00 DELIVRD 000']);
});

test('more messages than allowed are throttled, and those under way end', async () => {
  const answers = await Promise.all(Array.from({ length: 14 }, () => client.submit('213551234510')));
  expect(answers.filter((status) => status === 0)).toHaveLength(10);
  expect(answers.filter((status) => status === throttled)).toHaveLength(4);
  expect(await client.receipt(10)).toEqual(Array(10).fill('10 UNKNOWN 900'));
  await becomes('ss7_messages_under_way', 0);
});

test('a message for a phone that is back waits for room among them', async () => {
  expect(await client.submit('213551234511')).toBe(0);
  expect(await client.receipt()).toEqual(['11 UNDELIV 060']);
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.submit('213551234510')));
  expect(answers).toEqual(Array(10).fill(0));
  // The phone is back after two seconds, and the others are under way for four.
  const receipts = await client.receipt(12);
  expect(receipts[0]).toBe('11 ENROUTE 910');
  expect(receipts.at(-1)).toBe('11 DELIVRD 000');
});

test('a request whose dialogue is not confirmed was never sent: it goes out again, and arrives once', async () => {
  let lost = 0;
  world!.relay.tampers = (octets) => {
    // Too long for the first message of its dialogue, the request follows the confirmation, a TC-CONTINUE.
    if (lost > 0 || tcapTag(octets) !== tcContinue) return octets;
    lost += 1;
    return Buffer.alloc(0);
  };
  const to = '213551234560';
  const longest = { source_addr: 'ElevenChars', short_message: 'x'.repeat(160) };
  expect(await client.submit(to, longest)).toBe(0);
  expect(await client.receipt()).toEqual(['60 DELIVRD 000']);
  world!.relay.tampers = (octets) => octets;
  expect(lost).toBe(1);
  expect(['routing', 'forward', 'shown'].map((kind) => world!.events(kind as 'shown', to).length)).toEqual([2, 1, 1]);
});

test('every metric is on the page', async () => {
  const page = readFileSync(join(gatewayFolder, 'README.md'), 'utf8');
  const names = [...(await gateway.metrics()).matchAll(/^# TYPE (ss7_\w+) /gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

test('what can not be read is answered with an Error, and the association goes on', async () => {
  a().send(Buffer.from('0100070900000008', 'hex'));
  const error = await until(
    () =>
      a()
        .received.slice(marks[0])
        .find((one) => is(one, 'error')),
    { what: 'the Error' },
  );
  expect(error.parameters.get(tags.errorCode)).toEqual(uint32(3));
  expect(await gateway.metric('ss7_m3ua_refused_total{association="a",fault="unsupported_class"}')).toBe(1);
  const before = a().connections;
  expect(await way()).toEqual([2, 2]);
  // A length of two gigabytes: where the next message begins is lost, so the association is made again.
  a().send(Buffer.from('010003047fffffff', 'hex'));
  await until(() => a().connections > before, { what: 'another connection' });
  await gateway.active(2);
  await becomes('ss7_point_code_available{point_code="2"}', 1);
  expect(await way()).toEqual([2, 2]);
});

test('an association that is connected and not active is made again', async () => {
  a().activates = false;
  a().drop();
  const before = a().connections;
  await until(() => a().connections >= before + 2, { what: 'two connections' });
  expect(await isAvailable(2)).toBe(0);
  a().activates = true;
  await gateway.active(2);
  await becomes('ss7_point_code_available{point_code="2"}', 1);
  expect(await way()).toEqual([2, 2]);
});

test('SIGTERM takes nothing more, waits for what is under way, and signs off', async () => {
  client.refuses = { count: 1, status: notNow };
  expect(await client.submit('213551234510')).toBe(0);
  gateway.process.signal('SIGTERM');
  await until(async () => (await client.submit('213551234500')) === 0x45, { what: 'the refusal' });
  await until(() => client.receipts.includes('10 UNKNOWN 900'), { what: 'the receipt' });
  await gateway.process.exit();
  for (const face of [a(), b()]) expect(face.received.at(-1)).toSatisfy((one) => is(one, 'aspDown'));
});
