// Answers to submit_sm that come late, twice, never or to nothing, and operators that ask for patience: at the channel, over
// real sockets. That a bind survives each of them is tested in test/integration/smpp.
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodePdu } from '../../../src/smpp/index.ts';
import { operatorConfig, testChannel } from '../../peers/support/channel.ts';
import { Smsc } from '../../support/npm-smsc.ts';
import { until } from '../../support/wait.ts';
import { faulty, soon } from './operator.ts';

const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

test('late: unknown first, then told for that very message, and its receipt fits', async () => {
  const { smsc, send, bound, late, receipts, oddities } = await faulty({ operator: soon });
  await bound();
  smsc.faults.answersPaused = true;
  smsc.holdReceipts();
  const outcome = await send({ id: 'msg_late' });
  expect(outcome).toEqual({ kind: 'unknown', reason: 'timeout' });
  smsc.resumeAnswers();
  const [told] = await until(() => late.length > 0 && late, { what: 'the late answer' });
  expect(told).toMatchObject({ messageId: 'msg_late', operator: 'atlas', outcome: { kind: 'accepted', parts: 1 } });
  smsc.releaseReceipts();
  const [receipt] = await until(() => receipts.length > 0 && receipts, { what: 'the receipt' });
  if (told?.outcome.kind !== 'accepted') throw new Error('not accepted');
  expect(receipt?.references).toContain(told.outcome.reference);
  expect([smsc.counts.submits, oddities]).toEqual([1, ['late_answer']]);
});

test('late and a refusal: told too, so that the cascade need not wait', async () => {
  const { smsc, send, bound, late, oddities } = await faulty({ operator: soon });
  await bound();
  smsc.faults.answersPaused = true;
  smsc.faults.refuseSubmits(1, 0x0b);
  expect(await send()).toMatchObject({ kind: 'unknown' });
  smsc.resumeAnswers();
  const [told] = await until(() => late.length > 0 && late, { what: 'the late answer' });
  expect(told?.outcome).toEqual({ kind: 'rejected', reason: 'submit_refused', errorCode: 'ESME_RINVDSTADR' });
  expect(oddities).toEqual(['late_answer']);
});

test('never: unknown, each message once, and the window is free again', async () => {
  const { smsc, send, bound } = await faulty({
    operator: { response_timeout_ms: 5_000, window: 2, submit_misses: 10 },
  });
  await bound();
  smsc.faults.loseAnswers(4);
  const outcomes = await Promise.all(many(6, () => send()));
  expect(outcomes.map((outcome) => outcome?.kind).toSorted()).toEqual([
    'accepted',
    'accepted',
    'unknown',
    'unknown',
    'unknown',
    'unknown',
  ]);
  expect(smsc.counts.submits).toBe(6);
});

test('twice, and receipts three times: one outcome each', async () => {
  const { smsc, send, bound, oddities, receipts, errors } = await faulty();
  await bound();
  smsc.faults.answerCopies = 2;
  smsc.faults.receiptCopies = 3;
  const outcomes = await Promise.all(many(5, () => send()));
  expect(outcomes.every((outcome) => outcome?.kind === 'accepted')).toBe(true);
  await until(() => oddities.length === 5 && receipts.length === 15, { what: 'all copies' });
  expect([new Set(oddities), errors]).toEqual([new Set(['duplicate_answer']), []]);
});

test('to nothing that was asked: counted, and no harm to what was', async () => {
  const { smsc, send, bound, oddities } = await faulty();
  await bound();
  smsc.faults.answersPaused = true;
  const sent = send();
  await until(() => smsc.counts.submits === 1, { what: 'the message' });
  for (const sequence of [0, 4711, 0x7fffffff, 0xffffffff]) {
    smsc.sendRaw(encodePdu({ command: 'submit_sm_resp', sequence, message_id: 'stranger' }));
  }
  // The right number under the wrong command answers nothing either.
  smsc.sendRaw(encodePdu({ command: 'cancel_sm_resp', sequence: 2 }));
  await until(() => oddities.length === 5, { what: 'five odd answers' });
  smsc.resumeAnswers();
  expect(await sent).toMatchObject({ kind: 'accepted' });
  expect(new Set(oddities)).toEqual(new Set(['unknown_answer']));
});

test('throttled for a while: slower, and in the end every message is taken once', async () => {
  const { smsc, send, bound, channel } = await faulty({ operator: { rate_per_second: 200 } });
  await bound();
  smsc.faults.refuseSubmits(30);
  // Refused for now is not sent: it is queued once more, as the engine does.
  const sendUntilTaken = async () => {
    for (let tries = 0; tries < 50; tries += 1) {
      const outcome = await send();
      if (outcome?.kind !== 'not_sent') return outcome;
      expect(outcome.reason).toBe('not_now');
    }
    return null;
  };
  const sent = many(10, sendUntilTaken);
  await until(() => smsc.counts.refused === 30, { what: 'all refusals' });
  expect(channel.ratePerSecond('sms/atlas')).toBeLessThan(200);
  const outcomes = await Promise.all(sent);
  expect(outcomes.every((outcome) => outcome?.kind === 'accepted')).toBe(true);
  expect(smsc.counts).toMatchObject({ submits: 40, accepted: 10 });
});

test('one destination that is put off again and again slows nobody else; all of them do', async () => {
  const smsc = await Smsc.listen();
  onTestFinished(() => smsc.close());
  const full = '213550000001';
  let isFull = (to: unknown): boolean => to === full;
  smsc.onSubmit = (pdu, session) => {
    if (isFull(pdu.destination_addr)) session.send(pdu.response({ command_status: 0x14 }));
    else smsc.accept(pdu, session);
  };
  const binds = [{ host: '127.0.0.1', port: smsc.port, system_id: 'ramz', password: 'secret08' }];
  const { now } = Date;
  let aheadMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  const { channel, send, bound } = testChannel(operatorConfig({ binds, rate_per_second: 50 }));
  await bound();
  // Refusals within a second are one pressure.
  const sendBothAfterASecond = () => {
    aheadMs += 1_000;
    return Promise.all([send({ to: `+${full}` }), send()]);
  };
  for (let n = 0; n < 10; n += 1) {
    const [put, taken] = await sendBothAfterASecond();
    expect([put, taken]).toMatchObject([{ kind: 'not_sent', busy: 'ESME_RMSGQFUL' }, { kind: 'accepted' }]);
    expect(channel.ratePerSecond('sms/peer')).toBeGreaterThanOrEqual(25);
  }
  isFull = () => true;
  for (let n = 0; n < 10; n += 1) await sendBothAfterASecond();
  expect(channel.ratePerSecond('sms/peer')).toBeLessThan(5);
});

test('throttled when the leg is over: not sent, and nothing more is asked', async () => {
  const { smsc, send, bound } = await faulty();
  await bound();
  smsc.faults.refuseSubmits(1_000_000, 0x14);
  const leg = new AbortController();
  const sent = send({}, leg.signal);
  await until(() => smsc.counts.refused >= 1, { what: 'a refusal' });
  leg.abort();
  expect(await sent).toMatchObject({ kind: 'not_sent' });
  const { submits } = smsc.counts;
  smsc.faults.refuseSubmits(0);
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(smsc.counts.submits).toBe(submits + 1);
});

test('a receipt that cannot be stored is asked for again until it can', async () => {
  let failures = 3;
  const take = async () => {
    failures -= 1;
    if (failures >= 0) throw new Error('the database is away');
  };
  const { smsc, send, bound, receipts, errors } = await faulty({ smsc: { receiptRetryMs: 10 } }, take);
  await bound();
  await send();
  await until(() => receipts.length === 1, { what: 'the receipt' });
  await until(() => smsc.counts.receipts_pending === 0, { what: 'its acknowledgement' });
  expect([errors.length, smsc.counts.receipts_resent]).toEqual([3, 3]);
});

test('while receipts cannot be stored nothing is sent; once they can, what waited goes out by itself', async () => {
  let open = () => {};
  const away = new Promise<void>((resolve) => {
    open = resolve;
  });
  let taking = 0;
  const take = () => {
    taking += 1;
    return away;
  };
  const { smsc, send, bound, receipts, order } = await faulty(
    { operator: { window: 1000 }, smsc: { receiptWindow: 500 } },
    take,
  );
  await bound();
  smsc.holdReceipts();
  await Promise.all(many(250, () => send()));
  await until(() => smsc.counts.receipts_pending === 250, { what: 'all receipts' });
  smsc.releaseReceipts();
  // 200 in hand is the most a bind takes; then it stops reading, and answers to what it writes would stay unread.
  await until(() => taking === 200, { what: 'the bind to have its hands full' });
  const sent = send();
  expect(await Promise.race([sent, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe('waits');
  expect([smsc.counts.submits, order.length]).toEqual([250, 250]);
  open();
  expect(await sent).toMatchObject({ kind: 'accepted' });
  await until(() => receipts.length === 251, { what: 'all receipts' });
});
