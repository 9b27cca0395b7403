// Two ends of a connection over a pair of streams in memory: who asks is always answered, by the peer or with why not.
import { duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CloseReason, Connection, type ConnectionOptions } from '../../../src/peers/connection.ts';
import { encodeFrames, type Frame, Framer, maxBodyOctets } from '../../../src/peers/frame.ts';
import { machineClock } from '../../support/machine-clock.ts';
import { until } from '../../support/wait.ts';

const defaults = {
  greeting: 'hello',
  judge: (text: string) => text === 'hello',
  takenMs: 40,
  now: () => performance.now(),
};

function end(stream: ReturnType<typeof duplexPair>[0], options: Partial<ConnectionOptions> = {}) {
  const closed: CloseReason[] = [];
  const work = async (body: string) => `${body}!`;
  const connection = new Connection(stream, { ...defaults, work, onClosed: (why) => closed.push(why), ...options });
  return { connection, closed, stream };
}

async function pair(one: Partial<ConnectionOptions> = {}, two: Partial<ConnectionOptions> = {}) {
  const [left, right] = duplexPair();
  const ends = [end(left, one), end(right, two)] as const;
  await until(() => ends.every(({ connection }) => connection.isHeard), { what: 'both to have greeted' });
  return ends;
}

/** One end is ours by hand: it reads frames and says what the test wants. */
async function byHand(options: Partial<ConnectionOptions> = {}) {
  const [left, stream] = duplexPair();
  const { connection, closed } = end(left, options);
  const read: Frame[] = [];
  const framer = new Framer();
  framer.mostOctets = maxBodyOctets;
  stream.on('data', (chunk: Buffer) => framer.push(chunk, (frame) => read.push(frame)));
  const say = (kind: Frame['kind'], number: number, body = '', at = Math.floor(performance.now())) =>
    stream.write(encodeFrames([{ kind, number, at, body }]));
  say('greeting', 0, 'hello');
  await until(() => connection.isHeard, { what: 'the greeting' });
  const of = (kind: Frame['kind']) => read.filter((frame) => frame.kind === kind);
  return { connection, closed, stream, say, of };
}

test('any questions at once, both ways, each have their own answer', async () => {
  const [one, two] = await pair();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.string({ unit: 'grapheme' })), { maxLength: 50 }),
      async (asked) => {
        const answers = await Promise.all(asked.map(([left, body]) => (left ? one : two).connection.ask(body)));
        expect(answers).toEqual(asked.map(([, body]) => ({ kind: 'answered', body: `${body}!` })));
      },
    ),
    { numRuns: 30 },
  );
});

test('questions of one turn leave in one piece, and are taken by one frame', async () => {
  const { connection, of, stream, say } = await byHand();
  let pieces = 0;
  stream.on('data', () => {
    pieces += 1;
  });
  const asked = Promise.all(['a', 'b', 'c'].map((body) => connection.ask(body)));
  await until(() => of('ask').length === 3, { what: 'three questions' });
  expect(pieces).toBe(1);
  say('taken', of('ask')[2]?.number ?? -1);
  for (const { number, body } of of('ask').toReversed()) say('answer', number, body);
  expect(await asked).toEqual(['a', 'b', 'c'].map((body) => ({ kind: 'answered', body })));
});

test('a question that is answered soon is taken by the piece that brings the answer', async () => {
  const work = async () => {
    for (let turns = 0; turns < 5; turns += 1) await turn();
    return 'done';
  };
  const { say, of, stream } = await byHand({ takenMs: 60_000, work });
  let pieces = 0;
  stream.on('data', () => {
    pieces += 1;
  });
  say('ask', 5, 'quick');
  await until(() => of('answer').length === 1, { what: 'the answer' });
  expect([of('taken').map(({ number }) => number), pieces]).toEqual([[5], 1]);
});

test('a question is taken long before the limit, however long its work lasts', async () => {
  const work = Promise.withResolvers<string>();
  const { say, of } = await byHand({ takenMs: 1_000, work: () => work.promise });
  const clock = machineClock(async () => {});
  const startedAt = Date.now();
  say('ask', 5, 'slow');
  await until(() => of('taken').length === 1, { what: 'taken' });
  expect(clock.between(startedAt, Date.now())).toBeLessThan(800);
  await clock.stop();
  expect([of('taken')[0]?.number, of('answer')]).toEqual([5, []]);
  work.resolve('done');
  await until(() => of('answer').length === 1, { what: 'the answer' });
  expect(of('answer')[0]).toMatchObject({ number: 5, body: 'done' });
});

test('what is taken is waited for: many times the limit, as long as the peer is heard', async () => {
  const { connection, say, of } = await byHand();
  const asked = connection.ask('long');
  await until(() => of('ask').length === 1, { what: 'the question' });
  say('taken', of('ask')[0]?.number ?? -1);
  let pings = 0;
  await until(
    () => {
      for (const { number } of of('ping').slice(pings)) say('taken', number);
      pings = of('ping').length;
      return pings >= 5;
    },
    { what: 'five pings', everyMs: 5 },
  );
  say('answer', of('ask')[0]?.number ?? -1, 'at last');
  expect(await asked).toEqual({ kind: 'answered', body: 'at last' });
});

test('not taken in time: the question is released, later ones are not sent, until the peer is heard again', async () => {
  const { connection, say, of } = await byHand();
  expect(await Promise.all([connection.ask('a'), connection.ask('b')])).toEqual(
    Array(2).fill({ kind: 'direct', why: 'not_taken' }),
  );
  expect(await connection.ask('c')).toEqual({ kind: 'direct', why: 'silent' });
  await turn();
  expect(of('ask')).toHaveLength(2);
  // A late answer to what was given up is heard, and answers nothing.
  say('answer', of('ask')[0]?.number ?? -1, 'too late');
  await until(() => connection.isHeard, { what: 'the peer to be heard' });
  const asked = connection.ask('d');
  await until(() => of('ask').length === 3, { what: 'the next question' });
  say('answer', of('ask')[2]?.number ?? -1, 'in time');
  expect(await asked).toEqual({ kind: 'answered', body: 'in time' });
});

test('a patient question is waited for through silence, until the connection is over', async () => {
  const { connection, say, of } = await byHand();
  const patient = connection.ask('once', { isPatient: true });
  expect(await connection.ask('a')).toEqual({ kind: 'direct', why: 'not_taken' });
  expect(connection.isHeard).toBe(false);
  const other = connection.ask('twice', { isPatient: true });
  expect(await other).toEqual({ kind: 'direct', why: 'silent' });
  say('answer', of('ask')[0]?.number ?? -1, 'late, and good');
  expect(await patient).toEqual({ kind: 'answered', body: 'late, and good' });
  const last = connection.ask('again', { isPatient: true });
  connection.close();
  expect(await last).toEqual({ kind: 'direct', why: 'lost' });
});

test('a patient question waits no longer for a peer that is silent and has no lease, and one that is heard keeps it', async () => {
  const { connection, closed, say, of } = await byHand();
  const heard = connection.ask('a', { isPatient: true });
  connection.giveUp();
  await until(() => of('ask').length === 1, { what: 'the question' });
  say('answer', of('ask')[0]?.number ?? -1, 'kept');
  expect(await heard).toEqual({ kind: 'answered', body: 'kept' });
  const silent = connection.ask('b', { isPatient: true });
  await until(() => !connection.isHeard, { what: 'the silence' });
  connection.giveUp();
  expect(await silent).toEqual({ kind: 'direct', why: 'lost' });
  // What the peer has asked is still answered to it, should it wake up.
  expect(closed).toEqual([]);
});

test('a process that never runs when it should waits four times as long for its peer, and no longer', async () => {
  let lostMs = 0;
  const { connection } = await byHand({
    now: () => {
      lostMs += 1_000;
      return performance.now() + lostMs;
    },
  });
  const startedAt = performance.now();
  expect(await connection.ask('a')).toEqual({ kind: 'direct', why: 'not_taken' });
  expect(performance.now() - startedAt).toBeGreaterThan(3 * defaults.takenMs);
});

test('a peer that falls silent after it took a question is found out', async () => {
  const { connection, say, of } = await byHand();
  const asked = connection.ask('a');
  await until(() => of('ask').length === 1, { what: 'the question' });
  say('taken', of('ask')[0]?.number ?? -1);
  expect(await asked).toEqual({ kind: 'direct', why: 'fell_silent' });
});

test('a question that was under way for too long is not worked on: whoever asked has done it', async () => {
  const worked: string[] = [];
  const { say, of } = await byHand({
    work: async (body) => {
      worked.push(body);
      return '';
    },
  });
  say('ask', 1, 'in time');
  await until(() => of('answer').length === 1, { what: 'an answer' });
  say('ask', 2, 'late', Math.floor(performance.now()) - 5_000);
  await until(() => of('late').length === 1, { what: 'the refusal' });
  expect([of('late')[0]?.number, worked]).toEqual([2, ['in time']]);
});

test('work that throws and answers that are too large fail the question, not the connection', async () => {
  const work = async (body: string) => {
    if (body === 'throw') throw new Error('no');
    return 'é'.repeat(maxBodyOctets);
  };
  const [one] = await pair({}, { work });
  expect(await one.connection.ask('throw')).toEqual({ kind: 'direct', why: 'failed' });
  expect(await one.connection.ask('large')).toEqual({ kind: 'direct', why: 'failed' });
  expect(await one.connection.ask('x'.repeat(maxBodyOctets + 1))).toEqual({ kind: 'direct', why: 'too_large' });
  expect(one.connection.isHeard).toBe(true);
});

test('a connection that breaks in the middle of a frame releases every question', async () => {
  const { connection, closed, stream, of } = await byHand({ takenMs: 60_000 });
  const asked = Promise.all([connection.ask('a'), connection.ask('b')]);
  await until(() => of('ask').length === 2, { what: 'two questions' });
  stream.write(encodeFrames([{ kind: 'answer', number: 0, at: 0, body: 'half of it' }]).subarray(0, 15));
  stream.end();
  expect(await asked).toEqual(Array(2).fill({ kind: 'direct', why: 'lost' }));
  expect(closed).toEqual(['ended']);
  expect(await connection.ask('c')).toEqual({ kind: 'direct', why: 'no_peer' });
});

test.each<[CloseReason, (stream: ReturnType<typeof duplexPair>[0]) => void]>([
  ['too_large', (stream) => stream.write('GET / HTTP/1.1\r\nHost: peer\r\n\r\n')],
  ['greeting', (stream) => stream.write(encodeFrames([{ kind: 'greeting', number: 0, at: 0, body: 'another' }]))],
  ['greeting', (stream) => stream.write(encodeFrames([{ kind: 'ask', number: 0, at: 0, body: 'hello' }]))],
  [
    'too_large',
    (stream) => stream.write(encodeFrames([{ kind: 'greeting', number: 0, at: 0, body: 'x'.repeat(2_000) }])),
  ],
])('a stranger is refused: %s', async (why, speak) => {
  const [left, stream] = duplexPair();
  const worked: string[] = [];
  const { connection, closed } = end(left, {
    work: async (body) => {
      worked.push(body);
      return '';
    },
  });
  stream.resume();
  speak(stream);
  await until(() => closed.length > 0, { what: 'the refusal' });
  expect([closed, worked, connection.isHeard]).toEqual([[why], [], false]);
});

test('any garbage behind the greeting closes the connection or is passed over; every question is released', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 13, maxLength: 300 }), async (garbage) => {
      const { connection, stream } = await byHand({ takenMs: 15 });
      const asked = connection.ask('a');
      stream.write(Buffer.from(garbage));
      expect(await asked).toMatchObject({ kind: 'direct' });
      connection.close();
    }),
    { numRuns: 40 },
  );
});

test('a quiet connection is pinged, and one that is not heard at all is given up', async () => {
  let at = 0;
  const { connection, closed, of, say } = await byHand({ now: () => at });
  connection.tick();
  await turn();
  at = 1_000;
  connection.tick();
  await until(() => of('ping').length === 1, { what: 'a ping' });
  say('taken', of('ping')[0]?.number ?? -1);
  await until(() => connection.isHeard, { what: 'its answer' });
  at = 6_500;
  connection.tick();
  await until(() => closed.length > 0, { what: 'the end' });
  expect(closed).toEqual(['silent']);
});
