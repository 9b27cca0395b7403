// What processes say to each other: a verb and a value each way; and the request to stop a call, which goes by the database where nobody hears.
import { EventEmitter, once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Conversation } from '../../../../src/engine/fleet/conversation.ts';
import { Peers, type StopNotice } from '../../../../src/engine/fleet/peers.ts';
import type { Asked } from '../../../../src/peers/asked.ts';

/** Asks the other one directly. */
const portTo = (other: Conversation) => ({
  reachable: ['p'],
  ask: async (_: string, body: string): Promise<Asked> =>
    other.work(body).then(
      (answer) => ({ kind: 'answered', body: answer }),
      () => ({ kind: 'direct', why: 'failed' }),
    ),
});

test('any plain value comes back as it was', async () => {
  const [one, two] = [new Conversation(), new Conversation()];
  two.serve('echo', async (value) => value);
  one.connect(portTo(two));
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(await one.ask('p', 'echo', plain)).toEqual({ kind: 'answered', value: plain });
    }),
  );
});

test('a verb that is not served, work that throws and noise are the caller’s to do', async () => {
  const observed: string[] = [];
  const one = new Conversation((verb, result) => void observed.push(`${verb} ${result}`));
  const two = new Conversation();
  two.serve('bad', async () => {
    throw new Error('no');
  });
  expect(await one.ask('p', 'bad', 1)).toEqual({ kind: 'direct', why: 'no_peer' });
  one.connect(portTo(two));
  expect(await one.ask('p', 'bad', 1)).toEqual({ kind: 'direct', why: 'failed' });
  expect(await one.ask('p', 'unknown', 1)).toEqual({ kind: 'direct', why: 'failed' });
  expect(observed).toEqual(['bad failed', 'unknown failed']);
  for (const noise of ['', 'null', '[]', '{}', '[1,2]', '"bad"']) await expect(two.work(noise)).rejects.toThrow();
});

test('an answer that is no JSON is no answer', async () => {
  const one = new Conversation();
  one.connect({ reachable: ['p'], ask: async () => ({ kind: 'answered', body: '{"kind"' }) });
  expect(await one.ask('p', 'echo', 1)).toEqual({ kind: 'direct', why: 'failed' });
});

const notice: StopNotice = {
  kind: 'stop',
  mode: 'live',
  channel: 'voice',
  sessionId: 'vrf_1',
  messageId: 'msg_1',
  why: 'session_over',
};

function peersWith(conversation: Conversation) {
  const notified = new EventEmitter<{ statement: [name: string, values: readonly unknown[]] }>();
  const db = {
    query: async ({ name, values }: { name: string; values: readonly unknown[] }) => {
      notified.emit('statement', name, values);
      return { rows: [] };
    },
  };
  const log = { warn: () => {}, error: () => {} };
  const peers = new Peers({ db: db as never, url: '', processId: 'p', conversation, log });
  return { peers, notified };
}

test('a process that hears is asked to stop its call, and the database is left alone', async () => {
  const [here, there] = [new Conversation(), new Conversation()];
  const [maker, other] = [peersWith(there), peersWith(here)];
  here.connect(portTo(there));
  other.notified.on('statement', () => expect.unreachable());
  const stopped = once(maker.peers.events, 'stop');
  other.peers.tell('maker', notice);
  expect(await stopped).toEqual([notice]);
});

test('one that does not hear is told by the database', async () => {
  const { peers, notified } = peersWith(new Conversation());
  const sent = once(notified, 'statement');
  peers.tell('maker', notice);
  expect(await sent).toEqual(['notice', ['ramz_maker', JSON.stringify(notice)]]);
});

test('what is no notice is counted, and stops nothing', async () => {
  const there = new Conversation();
  const { peers } = peersWith(there);
  peers.events.on('stop', () => expect.unreachable());
  await there.work(JSON.stringify(['stop', { ...notice, why: 'because' }]));
  await there.work(JSON.stringify(['stop', null]));
  expect(peers.ignored).toBe(2);
});
