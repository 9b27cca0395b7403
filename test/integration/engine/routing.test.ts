// Calls and receipts that arrive anywhere, with four processes: the owner of the number does them from memory; whatever becomes of what the
// processes say to each other, each right code is valid once, tries are counted once, and one SMS goes out.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shardForNumber, shardOf } from '../../../src/core/ids.ts';
import { servedNumber } from '../../../src/core/phone.ts';
import { codeOf } from '../../../src/core/verify/code.ts';
import type { Session } from '../../../src/core/verify/session.ts';
import type { SendRequest } from '../../../src/engine/engine.ts';
import type { Asked } from '../../../src/peers/asked.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, codeRing, ids } from '../../support/engine.ts';
import { askedSend, connectByLine, connectByPorts, type RoutedEngine, routedEngines } from '../../support/routed.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

const at = (engines: readonly RoutedEngine[], n: number) => engines[n % engines.length] as RoutedEngine;
const sum = (engines: readonly RoutedEngine[], lane: string) =>
  engines.reduce((total, { lanes }) => total + (lanes.get(lane) ?? 0), 0);
const sentTo = (engines: readonly RoutedEngine[], to: string) =>
  engines.flatMap(({ sms }) => sms.sent).filter((message) => message.to === to);

const ownerOf = (engines: readonly RoutedEngine[], { id }: Session) =>
  engines[Math.floor((shardOf(id) * engines.length) / 1024)]?.processId;

async function send({ face }: RoutedEngine, request: SendRequest): Promise<Session> {
  const result = await face.send(request);
  if (result.kind !== 'sent') throw new Error(JSON.stringify(result));
  return result.session;
}

async function check({ face }: RoutedEngine, { accountId, mode, id }: Session, code: string) {
  const result = await face.check({ accountId, mode, idempotency: null, target: { id }, code });
  if (result.kind !== 'checked') throw new Error(JSON.stringify(result));
  return result.checked;
}

/** The SMS of a session, once its operator's answer is stored, as it is long before a receipt comes. */
async function submitted(engines: readonly RoutedEngine[], { id, to }: Session) {
  const isStored = () =>
    engines.some(({ engine }) => engine.sessions.seen(id)?.messages.some(({ status }) => status === 'submitted'));
  await until(isStored, { what: 'the answer of the operator' });
  const [message] = sentTo(engines, to);
  if (!message) throw new Error('no SMS');
  return message;
}

/** A verification of which every part arrives at another process: send, receipt, check by id or by number. */
async function verify(engines: readonly RoutedEngine[], n: number) {
  const request = askedSend();
  const session = await send(at(engines, n), request);
  await at(engines, n + 1).intake.take(carrierReceipt(await submitted(engines, session), 'DELIVRD'));
  const target = n % 2 ? { id: session.id } : { to: request.to, purpose: '' };
  const { accountId, mode } = request;
  const code = codeOf(session, codeRing);
  return at(engines, n + 2).face.check({ accountId, mode, idempotency: null, target, code });
}

test('400 verifications that arrive anywhere: all valid, one SMS each, at most 0.02 rows loaded a verification', async () => {
  const engines = await routedEngines(database, 4);
  await connectByPorts(engines);
  const results = await Promise.all(Array.from({ length: 400 }, (_, n) => verify(engines, n)));
  expect(results.filter((result) => result.kind === 'checked' && result.checked.valid)).toHaveLength(400);
  expect(engines.flatMap(({ sms }) => sms.sent)).toHaveLength(400);
  // A machine that stands still while messages are stored has each of them read again.
  const rereads = engines.reduce((total, each) => total + each.rereads(), 0);
  expect((sum(engines, 'load') - rereads) / 400).toBeLessThanOrEqual(0.02);
  // Nor was a receipt looked up, or parked.
  expect([sum(engines, 'references'), sum(engines, 'park')]).toEqual([0, 0]);
  expect(engines.flatMap(({ asked }) => asked.filter((each) => !each.endsWith(' answered')))).toEqual([]);
  // Each session is in the memory of one process.
  expect(engines.reduce((total, { engine }) => total + engine.sessions.held, 0)).toBe(400);
});

test('a session lies in the shard of its number, whoever takes the call', async () => {
  const engines = await routedEngines(database, 4);
  await connectByPorts(engines);
  for (let n = 0; n < 8; n += 1) {
    const request = askedSend();
    const session = await send(at(engines, n), request);
    expect(shardOf(session.id)).toBe(shardForNumber(request.to));
    const owner = engines[Math.floor((shardOf(session.id) * 4) / 1024)];
    expect(engines.filter(({ engine }) => engine.sessions.seen(session.id))).toEqual([owner]);
  }
});

test('a peer port that is cut: everything goes on directly', async () => {
  const engines = await routedEngines(database, 3);
  const ports = await connectByPorts(engines);
  const sessions = await Promise.all(Array.from({ length: 30 }, (_, n) => send(at(engines, n), askedSend())));
  await ports[0]?.close();
  const checks = await Promise.all(
    sessions.map((session, n) => check(at(engines, n + 1), session, codeOf(session, codeRing))),
  );
  expect(checks.filter(({ valid }) => valid)).toHaveLength(30);
  expect((await verify(engines, 0)).kind).toBe('checked');
});

test.each(['lost after the work', 'nonsense'] as const)(
  'a send that went out is not refused by what it has spent itself, where its owner was asked and its answer is %s',
  async (fate) => {
    const engines = await routedEngines(database, 3);
    connectByLine(engines, (_verb, answer) => bend(fate, answer, []));
    const restrictions = { addresses: [], prefixes: [], sendsPerDay: 1 };
    const request = { ...askedSend(), apiKeyId: ids('key_'), restrictions };
    const owner = Math.floor((shardForNumber(request.to) * engines.length) / 1024);
    const session = await send(at(engines, owner + 1), request);
    expect(session).toMatchObject({ to: request.to, sends: 1 });
    await submitted(engines, session);
    expect(sentTo(engines, request.to)).toHaveLength(1);
    const next = { ...request, to: askedSend().to };
    expect(await at(engines, owner + 1).face.send(next)).toMatchObject({ kind: 'guarded' });
  },
);

/** What may become of a question. The work of the last four may be done, and the process that asked does it as well. */
const fates = ['answered', 'never taken', 'lost after the work', 'worked on late', 'both at once', 'nonsense'] as const;
type Fate = (typeof fates)[number];

function bend(fate: Fate, answer: () => Promise<Asked>, late: Promise<unknown>[]): Promise<Asked> {
  const direct: Asked = { kind: 'direct', why: 'not_taken' };
  switch (fate) {
    case 'answered':
      return answer();
    case 'never taken':
      return Promise.resolve(direct);
    case 'lost after the work':
      return answer().then(() => ({ kind: 'direct', why: 'lost' }));
    case 'worked on late':
      late.push(new Promise((resolve) => setTimeout(() => resolve(answer()), 30)));
      return Promise.resolve(direct);
    case 'both at once':
      late.push(answer());
      return Promise.resolve(direct);
    case 'nonsense':
      return answer().then(() => ({ kind: 'answered', body: '{"kind":"sent","session":{}}' }));
  }
}

test('whatever becomes of each question: one SMS, tries counted once, each right code valid exactly once', async () => {
  const engines = await routedEngines(database, 3);
  let next: Fate[] = [];
  const late: Promise<unknown>[] = [];
  connectByLine(engines, (_verb, answer) => bend(next.shift() ?? 'answered', answer, late));
  const fate = fc.constantFrom(...fates);
  const plan = fc.record({
    fates: fc.array(fate, { minLength: 5, maxLength: 5 }),
    from: fc.array(fc.nat({ max: 2 }), { minLength: 5, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ fates: drawn, from }) => {
      next = [...drawn];
      const by = (n: number) => at(engines, from[n] ?? 0);
      const request = askedSend();
      const session = await send(by(0), request);
      const code = codeOf(session, codeRing);
      const wrong = code === '000000' ? '000001' : '000000';
      expect(await check(by(1), session, wrong)).toEqual({
        valid: false,
        reason: 'incorrect_code',
        attemptsRemaining: 4,
      });
      expect(await check(by(2), session, code)).toEqual({ valid: true, reason: null, attemptsRemaining: 3 });
      expect((await check(by(3), session, code)).reason).toBe('already_verified');
      await Promise.all(late.splice(0));
      expect((await check(by(4), session, code)).reason).toBe('already_verified');
      expect(sentTo(engines, request.to)).toHaveLength(1);
      const stored = await by(0).engine.find(session);
      expect(stored?.session).toMatchObject({ status: 'verified', attempts: 2, sends: 1 });
      next = [];
    }),
    { numRuns: 60 },
  );
  await Promise.all(late);
  expect(engines.flatMap(({ errors }) => errors)).toEqual([]);
});

test('a check by number that two processes do, with another session in between, counts in the one it was for', async () => {
  const engines = await routedEngines(database, 3);
  let between = async () => {};
  connectByLine(engines, async (verb, answer) => {
    const asked = await answer();
    if (verb !== 'check') return asked;
    await between();
    return { kind: 'direct', why: 'lost' };
  });
  const request = askedSend();
  const session = await send(at(engines, 0), request);
  const caller = engines.find(({ processId }) => processId !== ownerOf(engines, session));
  if (!caller) throw new Error('no other process');
  let next: Session | null = null;
  between = async () => {
    await caller.engine.cancel(session);
    next = await send(caller, request);
  };
  const result = await caller.face.check({
    accountId: session.accountId,
    mode: 'live',
    idempotency: null,
    target: { to: request.to, purpose: '' },
    code: codeOf(session, codeRing) === '000000' ? '000001' : '000000',
  });
  expect(result).toMatchObject({ kind: 'checked', checked: { reason: 'incorrect_code' }, session: { id: session.id } });
  expect((await caller.engine.find(session))?.session).toMatchObject({ attempts: 1 });
  if (!next) throw new Error('no session in between');
  expect((await caller.engine.find(next))?.session).toMatchObject({ status: 'pending', attempts: 0 });
});

test('a receipt that brings back what is no id of ours is looked up, and parked', async () => {
  const engines = await routedEngines(database, 3);
  await connectByPorts(engines);
  const session = await send(at(engines, 0), askedSend());
  const receipt = carrierReceipt(await submitted(engines, session), 'DELIVRD');
  // Another system on the same platform may put anything there.
  for (const id of ['msg_iiiiiiiiiiiiiiiiiiiiiiiiii', `msg_${'_'.repeat(26)}`, `msg_${'Z'.repeat(26)}`]) {
    await at(engines, 1).intake.take({ ...receipt, references: [`other ${id}`], number: null });
  }
  expect(sum(engines, 'park')).toBe(3);
});

test('one Idempotency-Key by any process is one session and one answer', async () => {
  const engines = await routedEngines(database, 3);
  await connectByPorts(engines);
  const request = askedSend({ idempotency: { route: '/v1/verify/send', key: 'k', request: 'same' } });
  const first = await send(at(engines, 0), request);
  const again = await Promise.all([1, 2, 0].map((n) => at(engines, n).face.send(request)));
  expect(again).toEqual(Array(3).fill({ kind: 'replayed', answer: { id: first.id } }));
  const other = askedSend({ ...request, idempotency: { route: '/v1/verify/send', key: 'k', request: 'other' } });
  expect(await at(engines, 1).face.send(other)).toEqual({ kind: 'idempotency_conflict' });
});

test('refusals are the same wherever they are made', async () => {
  const engines = await routedEngines(database, 3);
  await connectByPorts(engines);
  for (const change of [{ to: '0551' }, { to: '+33612345678' }, { codeLength: 99 }, { senderId: 'NOBODY' }]) {
    const request = askedSend(change);
    const [here, ...others] = await Promise.all(engines.map(({ face }) => face.send(request)));
    expect(here?.kind).toBe('refused');
    expect(others).toEqual([here, here]);
  }
  const unknown = { accountId: askedSend().accountId, mode: 'live' as const, id: 'vrf_nothing' };
  for (const { face } of engines) expect(await face.cancel(unknown)).toEqual({ kind: 'not_found' });
});

test('a cancel by any process ends the session, and again', async () => {
  const engines = await routedEngines(database, 3);
  await connectByPorts(engines);
  const session = await send(at(engines, 0), askedSend());
  for (const { face } of engines) expect((await face.cancel(session)).kind).toBe('ended');
});

test.each([
  ['without a phone', () => null],
  ['with the phone as it is dialled at home', (to: string) => servedNumber(to.replace('+213', '0'), ['+21355'])],
  ['with the phone in its whole form', (to: string) => to],
])('a receipt %s finds its message by any process', async (_, numberOf) => {
  const engines = await routedEngines(database, 3);
  await connectByPorts(engines);
  for (const { intake } of engines) {
    const session = await send(at(engines, 0), askedSend());
    const receipt = carrierReceipt(await submitted(engines, session), 'DELIVRD');
    await intake.take({ ...receipt, number: numberOf(session.to) });
    const stored = await at(engines, 1).engine.find(session);
    expect(stored?.session.messages[0]?.status).toBe('delivered');
  }
  expect(sum(engines, 'park')).toBe(0);
});
