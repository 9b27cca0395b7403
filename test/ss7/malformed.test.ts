// 100 000 malformed messages of M3UA, SCCP, TCAP and MAP against a live SS7 gateway: it stays up in a small heap, every good message beside them is delivered,
// every message whose own answers are malformed ends, nothing of them is in the log, and afterwards everything is as before.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { randomOf } from '../fuzz/random.ts';
import { until } from '../support/wait.ts';
import { aspWorld } from './support/asp-world.ts';
import { broken, malformedData, malformedManagement, stray, tampered } from './support/malformed.ts';
import { ss7Test as test } from './support/programs.ts';
import { about, type Face } from './support/signalling-gateway.ts';
import { SmppClient } from './support/smpp-client.ts';

const count = Number(process.env.RAMZ_MALFORMED ?? 100_000);
const seed = Number(process.env.RAMZ_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Of all: that much is no DATA. */
const managementShare = 0.18;
const batch = 500;
/** So many messages of management go out before all is put right again. */
const managementBatch = 1_000;
const victims = 500;
const heapMib = 128;
/** Heap, code, stacks and buffers: a JVM with this heap has less, one that leaks outside of it more. */
const residentMib = 512;
const minutes = 60_000;

const world = await aspWorld({
  options: [`-Xmx${heapMib}m`, '-XX:+ExitOnOutOfMemoryError'],
  map: { routing_cache_seconds: 0, forward_timeout_seconds: 15 },
});
const gateway = world?.gateway as NonNullable<typeof world>['gateway'];
const [a, b] = [0, 1].map((at) => () => world!.relay.faces[at]!) as [() => Face, () => Face];
/** The last is bound. */
const clients: SmppClient[] = [];
let good: Buffer[] = [];
let most = 0;

beforeAll(async () => {
  if (world === null) return;
  clients.push(await SmppClient.to(gateway.smppPort));
  const endings = ['00', '01', '02', '03', '04', '05', '06', '07', '08', '11'];
  for (const ending of endings) expect(await submit(ending)).toBe(0);
  await clients[0]!.receipt(endings.length + 2);
  // Answers of the HLR and the switching centre, errors of MAP, an alert.
  good = world.relay.answers.map(stray);
});
afterEach(() => {
  if (world !== null) world.relay.tampers = (octets) => octets;
});
afterAll(() => {
  for (const client of clients) client.close();
});

const submit = (ending: string) => clients.at(-1)!.submit(`2135512345${ending}`);

/** Receipts of all binds for numbers that end so. */
const receiptsOf = (ending: string) =>
  clients.flatMap(({ receipts }) => receipts.filter((receipt) => receipt.startsWith(`${ending} `)));

/** So many messages of that ending have been accepted, and each is delivered. */
async function delivered(ending: string, accepted: number): Promise<void> {
  const what = `${accepted} receipts of ${ending}`;
  await until(() => receiptsOf(ending).length >= accepted, { what, timeoutMs: 90_000 });
  expect(receiptsOf(ending)).toEqual(Array(accepted).fill(`${ending} DELIVRD 000`));
}

/** It is there, and has not grown. */
function look(when: string): void {
  if (gateway.process.hasEnded()) throw new Error(`it ended ${when}: ${gateway.process.output()}`);
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8');
  most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  for (const face of world!.relay.faces) face.received.length = 0;
}

async function refused(metric: string): Promise<number> {
  const lines = (await gateway.metrics()).matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}

test(
  `malformed DATA beside good messages, each of which is delivered (RAMZ_TEST_SEED=${seed})`,
  async () => {
    console.log(`RAMZ_TEST_SEED=${seed}`);
    expect(good.length).toBeGreaterThan(20);
    let accepted = 0;
    const wanted = Math.round(count * (1 - managementShare));
    for (let sent = 0, turn = 0; sent < wanted; sent += batch, turn += 1) {
      const random = randomOf(seed + turn);
      const octets = Array.from({ length: Math.min(batch, wanted - sent) }, () => malformedData(random, good));
      const ended = a().sendAll(Buffer.concat(octets));
      expect([turn, await submit('20')]).toEqual([turn, 0]);
      accepted += 1;
      await ended;
      look(`in batch ${turn}`);
    }
    await delivered('20', accepted);
    const [m3ua, tcap] = [await refused('ss7_m3ua_refused_total'), await refused('ss7_tcap_refused_total')];
    console.log(
      `${wanted} sent, ${m3ua} refused as M3UA, ${tcap} as TCAP; ${accepted} good ones; ${most.toFixed(0)} MiB`,
    );
    expect(m3ua).toBeGreaterThan(wanted / 100);
    expect(tcap).toBeGreaterThan(wanted / 100);
    expect(gateway.process.output()).toMatch(/TCAPProviderImpl \d+ errors/);
  },
  10 * minutes,
);

test(
  'malformed answers to messages that wait for them: each of these ends',
  async () => {
    const random = randomOf(seed - 1);
    let changed = 0;
    world!.relay.tampers = (octets) => {
      changed += 1;
      return tampered(random, octets, good);
    };
    // The SMPP server has room for a hundred requests that it has not looked at.
    for (let sent = 0; sent < victims; sent += 50)
      expect(await Promise.all(Array.from({ length: 50 }, () => submit('30')))).toEqual(Array(50).fill(0));
    await until(async () => (await gateway.metric('ss7_messages_under_way')) === 0, {
      what: 'the last outcome',
      timeoutMs: 5 * minutes,
      everyMs: 100,
    });
    await until(() => receiptsOf('30').length >= victims, { what: 'the last receipt' });
    const kinds = Object.entries(Object.groupBy(receiptsOf('30'), (receipt) => receipt.slice(3)));
    console.log(`${changed} answers changed: ${kinds.map(([kind, of]) => `${of?.length} ${kind}`).join(', ')}`);
    expect(receiptsOf('30')).toHaveLength(victims);
    expect(changed).toBeGreaterThan(victims);
    look('at malformed answers');
  },
  8 * minutes,
);

/** Costs the connection; what point codes and associations were said to be is said again. */
async function putRight(octets: Buffer): Promise<void> {
  const before = a().connections;
  await a().sendAll(octets);
  await until(() => a().connections > before, { what: 'another connection', timeoutMs: minutes });
  await gateway.active(2);
  for (const face of [a(), b()]) for (const pointCode of [2, 3]) face.send(about('dava', pointCode));
  const series = [2, 3].map((pointCode) => `{point_code="${pointCode}"}`);
  const isRight = async () => {
    for (const each of series) {
      if ((await gateway.metric(`ss7_point_code_available${each}`)) !== 1) return false;
      if ((await gateway.metric(`ss7_point_code_congestion${each}`)) !== 0) return false;
    }
    return await gateway.isHealthy();
  };
  await until(isRight, { what: 'point codes in reach', timeoutMs: minutes, everyMs: 50 });
}

test(
  'malformed management takes nothing away that can not be given back',
  async () => {
    let accepted = 0;
    for (let sent = 0, turn = 0; sent < count * managementShare; sent += managementBatch, turn += 1) {
      const random = randomOf(seed - 2 - turn);
      await a().sendAll(
        Buffer.concat(Array.from({ length: managementBatch }, () => malformedManagement(random, good))),
      );
      await putRight(broken(random, good));
      look(`in batch ${turn} of management`);
      await until(
        async () => {
          // Without a point code in reach binds are ended.
          if (clients.at(-1)!.isUnbound) clients.push(await SmppClient.to(gateway.smppPort));
          return (await submit('40')) === 0;
        },
        { what: `a good message after batch ${turn}`, timeoutMs: minutes },
      );
      accepted += 1;
      await delivered('40', accepted);
    }
  },
  10 * minutes,
);

test(
  'afterwards nothing is left of them',
  async () => {
    const none = async () => (await gateway.metric('ss7_tcap_dialogues')) === 0;
    await until(none, { what: 'no dialogue', timeoutMs: 2 * minutes, everyMs: 200 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit('50')));
    expect(answers).toEqual(Array(50).fill(0));
    await delivered('50', 50);
    expect(most).toBeLessThan(residentMib);
    const log = gateway.process.output();
    expect(log.length).toBeLessThan(100_000);
    expect(log).not.toContain('123456');
    expect(log).not.toContain('2135512345');
  },
  5 * minutes,
);
