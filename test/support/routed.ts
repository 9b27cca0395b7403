// Several engines on one database whose calls and receipts go to the owners of their numbers, over peer ports or over a line that the test
// bends. Each has lanes of its own, as a process has.
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { KnownIntake } from '../../src/channels/channel.ts';
import { newKeyRing, parseKeyRing } from '../../src/core/secrets/key-ring.ts';
import type { Rules } from '../../src/core/verify/rules.ts';
import type { Engine, SendRequest } from '../../src/engine/engine.ts';
import { Conversation } from '../../src/engine/fleet/conversation.ts';
import { Routing } from '../../src/engine/routing.ts';
import type { Asked } from '../../src/peers/asked.ts';
import { PeerPort } from '../../src/peers/port.ts';
import type { TestDatabase } from './database.ts';
import { ids, ReadyChannel, type TestEngine, testEngine } from './engine.ts';
import { until } from './wait.ts';

export interface RoutedEngine extends TestEngine {
  processId: string;
  sms: ReadyChannel;
  /** The face by which any number's calls may be made here. */
  face: Engine;
  intake: KnownIntake;
  /** What its questions came to, e.g. `check answered`. */
  asked: string[];
  /** Rows that each lane was given. */
  lanes: Map<string, number>;
  /** Messages that were read again because the process, which is that of the test, stood still. */
  rereads(): number;
}

/** They own equal ranges, in their order, and are not connected yet. */
export async function routedEngines(database: TestDatabase<unknown>, count: number, rules: Partial<Rules> = {}) {
  const processIds = Array.from({ length: count }, () => ids('prc_'));
  const owners = { ownerOf: (shard: number) => processIds[Math.floor((shard * count) / 1024)] ?? null };
  return Promise.all(
    processIds.map(async (processId): Promise<RoutedEngine> => {
      const asked: string[] = [];
      const lanes = new Map<string, number>();
      const sms = new ReadyChannel();
      const lane = (name: string, { size }: { size: number }) => void lanes.set(name, (lanes.get(name) ?? 0) + size);
      const conversation = new Conversation((verb, result) => void asked.push(`${verb} ${result}`));
      let rereads = 0;
      const reread = () => {
        rereads += 1;
      };
      const options = { processId, sms, rules, observe: { lane, reread }, conversation };
      const connected = database.connect();
      const own = await testEngine(connected, options);
      const { engine } = own;
      // A server as Debian configures it has a hundred connections for the tests of a file.
      onTestFinished(async () => {
        await engine.drain(1_000);
        engine.deadlines.stop();
        await engine.budgets.close();
        await connected.close();
      });
      const { receipts, references, checker, stuckOwners, calls } = engine;
      const routing = new Routing({
        face: engine,
        receipts,
        references,
        checker,
        stuckOwners,
        calls,
        processId,
        conversation,
        owners,
        ids,
      });
      return {
        ...own,
        processId,
        sms,
        face: routing.face(),
        intake: routing.intake(),
        asked,
        lanes,
        rereads: () => rereads,
      };
    }),
  );
}

/** Over peer ports; resolves once all hear each other. Returns the ports. A machine that stands still makes no question direct. */
export async function connectByPorts(engines: readonly RoutedEngine[]): Promise<PeerPort[]> {
  const parsed = parseKeyRing(newKeyRing(randomBytes));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  const { ring } = parsed;
  const log = { info: () => {}, warn: () => {} };
  const opened = await Promise.all(
    engines.map(async ({ processId, conversation }) => {
      const work = (body: string) => conversation.work(body);
      const port = new PeerPort({
        host: '127.0.0.1',
        port: 0,
        processId,
        ring,
        dialect: 'test',
        work,
        takenMs: 10_000,
        log,
      });
      const number = await port.listen();
      onTestFinished(() => port.close());
      // A database that is starved makes no owner pass for stuck.
      conversation.serve('silence', async () => 0);
      conversation.connect(port);
      return { port, processId, address: `127.0.0.1:${number}` };
    }),
  );
  for (const { port } of opened) port.meet(opened);
  await until(() => opened.every(({ port }) => port.reachable.length === engines.length - 1), {
    what: 'all to hear all',
  });
  return opened.map(({ port }) => port);
}

/** Over a line that decides what becomes of each question; `answer` does its work. */
export function connectByLine(
  engines: readonly RoutedEngine[],
  line: (verb: string, answer: () => Promise<Asked>) => Promise<Asked>,
): void {
  const ask = (processId: string, body: string): Promise<Asked> => {
    const other = engines.find((each) => each.processId === processId);
    if (!other) throw new Error('no such process');
    const [verb] = JSON.parse(body);
    return line(verb, () =>
      other.conversation.work(body).then(
        (answer) => ({ kind: 'answered', body: answer }),
        () => ({ kind: 'direct', why: 'failed' }),
      ),
    );
  };
  for (const { conversation, processId } of engines) {
    const reachable = engines.map((each) => each.processId).filter((id) => id !== processId);
    conversation.connect({ ask, reachable });
  }
}

let number = 551_000_000;

/** A client's send by SMS alone, to a number of its own. */
export function askedSend(change: Partial<SendRequest> = {}): SendRequest {
  number += 1;
  return {
    accountId: ids('acct_'),
    mode: 'live',
    to: `+213${number}`,
    purpose: '',
    channel: null,
    cascade: [{ channel: 'sms', timeoutSeconds: 15 }],
    language: 'fr',
    codeLength: null,
    code: null,
    ttlSeconds: null,
    senderId: null,
    clientReference: '',
    metadata: null,
    autofill: {},
    idempotency: null,
    ...change,
  };
}
