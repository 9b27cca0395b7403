// The whole service while one of its three operators fails: what happens to that operator's messages, and that the others
// do not notice.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { testService } from '../../support/service.ts';
import type { ErrorBody, Session } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox, configure } = service;
const { atlas, djurdjura } = sandbox.smscs;
// The test of an operator that is down may take longer than the five seconds after which legs are skipped.
configure({ operators: withOperator('atlas', { down_after_seconds: 60 }) });
const server = await service.startHere();
const { live } = server;

let number = 1_000_000;
const prefixes = { atlas: '+21355', sahara: '+21366', djurdjura: '+21377' };
const to = (operator: keyof typeof prefixes) => {
  number += 1;
  return `${prefixes[operator]}${number}`;
};
const byText = (timeoutSeconds: number) => ({ cascade: [{ channel: 'sms', timeout_seconds: timeoutSeconds }] });
const send = (operator: keyof typeof prefixes, timeoutSeconds = 15) => live.send(to(operator), byText(timeoutSeconds));
const sendMany = (count: number, operator: keyof typeof prefixes, timeoutSeconds = 15) =>
  Promise.all(Array.from({ length: count }, () => send(operator, timeoutSeconds)));

const delivered = (id: string) => live.sessionWhen(id, 'delivered', ({ delivery }) => delivery === 'delivered');
const exhausted = (id: string) => live.sessionWhen(id, 'exhausted', ({ delivery }) => delivery === 'exhausted');
const kinds = ({ timeline }: Session) => timeline.map(({ kind }) => kind);

interface Ready {
  operators: { operator: string; binds_bound: number; states: string[] }[];
}
async function ready() {
  const response = await fetch(`${server.metrics}/readyz`);
  const { operators } = (await response.json()) as Ready;
  return { status: response.status, of: (id: string) => operators.find(({ operator }) => operator === id) };
}
const allBound = (id: string) =>
  until(async () => (await ready()).of(id)?.binds_bound === 2, { what: `${id} to be bound` });

/** submit_sm without an answer, over the operator's binds, as the metrics tell it. */
async function unanswered(operator: string): Promise<number> {
  const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
  const lines = metrics.matchAll(new RegExp(`^ramz_smpp_window_in_use\\{operator="${operator}".*\\} (\\d+)$`, 'gm'));
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Takes over the configuration file as it is now. */
async function reload(): Promise<void> {
  const loaded = loadConfig({ env: service.env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  expect(await server.app.reload(loaded.config)).toEqual([]);
}

/** The sandbox's operators with one of them changed. */
function withOperator(id: string, change: object, bindChange: object = {}) {
  return sandbox.operators.map((operator) => {
    if (operator.id !== id) return operator;
    const binds = (operator.binds as object[]).map((bind) => ({ ...bind, ...bindChange }));
    return { ...operator, binds, ...change };
  });
}

afterEach(() => Promise.all(Object.values(sandbox.smscs).map((smsc) => smsc.reset())));
afterAll(() => {
  const errors = server.log().match(/^.*"level":"error".*$/gm) ?? [];
  expect(errors.filter((line) => !line.includes('ESME_RINVPASWD'))).toEqual([]);
});

/** Three messages to each of the other two: delivered while the first is away. */
async function othersDeliver() {
  const sent = [...(await sendMany(3, 'sahara')), ...(await sendMany(3, 'djurdjura'))];
  const sessions = await Promise.all(sent.map(({ id }) => delivered(id)));
  for (const session of sessions)
    expect(kinds(session).slice(0, 3)).toEqual(['session_opened', 'leg_started', 'message_submitted']);
  expect((await ready()).status).toBe(200);
}

test('binds cut in mid-window: every message is in doubt, and goes out once more, no oftener; a receipt still counts later', async () => {
  const before = atlas.counts.submits;
  atlas.faults.answersPaused = true;
  atlas.holdReceipts();
  const sent = await sendMany(20, 'atlas', 5);
  await until(() => atlas.counts.submits === before + 20, { what: 'twenty messages taken' });
  atlas.dropConnections();
  atlas.faults.reset();
  const unknown = await Promise.all(
    sent.map(({ id }) => live.sessionWhen(id, 'unknown', ({ messages }) => messages[0]?.status === 'unknown')),
  );
  expect(unknown.map(({ messages }) => messages[0]?.reason)).toEqual(sent.map(() => 'connection_lost'));
  await othersDeliver();
  for (const session of await Promise.all(sent.map(({ id }) => exhausted(id)))) {
    expect(kinds(session)).toEqual([
      'session_opened',
      'leg_started',
      'message_unknown',
      'leg_timed_out',
      'in_doubt_resend',
      'message_submitted',
      'leg_timed_out',
      'delivery_exhausted',
    ]);
    expect(session.messages).toMatchObject([
      { attempt: 1, position: 0, status: 'unknown' },
      { attempt: 2, position: 0, status: 'submitted' },
    ]);
  }
  expect(atlas.counts.submits).toBe(before + 40);
  atlas.releaseReceipts();
  for (const { id } of sent) await delivered(id);
  expect(atlas.counts.submits).toBe(before + 40);
});

test('down: its messages wait and are withdrawn with their leg, the others do not notice; up again it serves', async () => {
  const before = atlas.counts.submits;
  await atlas.goDown();
  await until(async () => (await ready()).of('atlas')?.binds_bound === 0, { what: 'atlas to be lost' });
  const short = await sendMany(3, 'atlas', 1);
  const long = await sendMany(3, 'atlas', 60);
  await othersDeliver();
  for (const session of await Promise.all(short.map(({ id }) => exhausted(id)))) {
    expect(session.messages.map(({ status }) => status)).toEqual(['withdrawn']);
    expect(kinds(session)).not.toContain('message_unknown');
  }
  const codes = sandbox.inbox.list({ channel: 'sms' }).length;
  expect(atlas.counts.submits).toBe(before);
  await atlas.comeUp();
  await Promise.all(long.map(({ id }) => live.sessionWhen(id, 'delivered', (s) => s.delivery === 'delivered')));
  expect(sandbox.inbox.list({ channel: 'sms' }).length - codes).toBe(3);
  expect(atlas.counts.submits).toBe(before + 3); // those withdrawn were never written
});

test('hung, bound and reading and never answering: its window fills, the others do not notice', async () => {
  const before = atlas.counts.submits;
  atlas.faults.answersPaused = true;
  atlas.holdReceipts();
  const sent = await sendMany(30, 'atlas', 5);
  await othersDeliver();
  expect([await unanswered('atlas'), await unanswered('sahara'), await unanswered('djurdjura')]).toEqual([30, 0, 0]);
  for (const session of await Promise.all(sent.map(({ id }) => exhausted(id)))) {
    expect(session.messages).toMatchObject([{ status: 'submitting' }]);
  }
  atlas.faults.reset();
  atlas.resumeAnswers();
  await Promise.all(
    sent.map(({ id }) => live.sessionWhen(id, 'submitted', ({ messages }) => messages[0]?.status === 'submitted')),
  );
  atlas.releaseReceipts();
  await Promise.all(sent.map(({ id }) => delivered(id)));
  expect(atlas.counts.submits).toBe(before + 30);
});

test('throttling for seconds: slower, nothing lost, nothing twice, the others do not notice', async () => {
  const { submits, accepted } = atlas.counts;
  atlas.faults.refuseSubmits(1_000_000);
  const short = await sendMany(2, 'atlas', 1);
  const long = await sendMany(10, 'atlas', 60);
  await othersDeliver();
  // Between two tries its place is given back a moment after its leg has ended.
  for (const { id } of await Promise.all(short.map(({ id }) => exhausted(id)))) {
    await live.sessionWhen(id, 'withdrawn', ({ messages }) => messages[0]?.status === 'withdrawn');
  }
  await until(() => atlas.counts.submits - submits > 20, { what: 'it to be asked again and again' });
  atlas.faults.refuseSubmits(0);
  await Promise.all(long.map(({ id }) => delivered(id)));
  expect(atlas.counts.accepted - accepted).toBe(10);
});

test('answers lost: unknown after the response timeout; the receipt finds its message all the same', async () => {
  const before = djurdjura.counts.submits;
  configure({ operators: withOperator('djurdjura', { response_timeout_ms: 1000 }), verify: { in_doubt_seconds: 30 } });
  await reload();
  await allBound('djurdjura');
  djurdjura.faults.loseAnswers(3);
  djurdjura.holdReceipts();
  const sent = await sendMany(3, 'djurdjura', 30);
  await Promise.all(
    sent.map(({ id }) => live.sessionWhen(id, 'unknown', ({ messages }) => messages[0]?.status === 'unknown')),
  );
  djurdjura.releaseReceipts();
  for (const session of await Promise.all(sent.map(({ id }) => delivered(id)))) {
    expect(session.messages).toMatchObject([{ status: 'delivered', operator: 'djurdjura' }]);
  }
  expect(djurdjura.counts.submits).toBe(before + 3);
  configure({});
  await reload();
});

test('a wrong password: an alarm in the log and on /readyz, nobody waits, the others go on; the right one is taken at once', async () => {
  configure({ operators: withOperator('atlas', {}, { password: 'guessed' }) });
  await reload();
  await until(async () => (await ready()).of('atlas')?.states.join() === 'alarm,alarm', { what: 'the alarm' });
  expect(server.log()).toMatch(/"level":"error".*"operator":"atlas".*ESME_RINVPASWD/);
  const refused = await live.call<ErrorBody>('POST', '/v1/verify/send', { to: to('atlas'), ...byText(60) });
  expect([refused.status, refused.body.error]).toMatchObject([400, { code: 'no_route', reasons: 'operator_down' }]);
  await othersDeliver();
  configure({});
  await reload();
  await allBound('atlas');
  await delivered((await send('atlas', 60)).id);
});

test('an operator that refused its binds for five minutes lets them in again: a reload of the same file tries at once', async () => {
  await allBound('atlas');
  atlas.faults.bindStatus = 0x0e;
  atlas.dropConnections();
  await until(async () => (await ready()).of('atlas')?.states.join() === 'alarm,alarm', { what: 'the alarm' });
  atlas.faults.bindStatus = null;
  await reload();
  await allBound('atlas');
});
