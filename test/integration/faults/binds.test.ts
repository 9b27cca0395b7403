// Binds that are cut, refused, or fed garbage, seen from the channel: which messages suffer, and that nothing is sent twice.
// How a bind itself lives through it is tested in test/unit/smpp and test/integration/smpp.
import { describe, expect, test } from 'vitest';
import { commandStatus, encodePdu } from '../../../src/smpp/index.ts';
import type { Passed } from '../../peers/support/proxy.ts';
import { until } from '../../support/wait.ts';
import { faulty } from './operator.ts';

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const submits = (passed: readonly Passed[]) =>
  passed.filter(({ from, frame }) => from === 'esme' && frame.readUInt32BE(4) === 4);

describe('cut in the middle of the window', () => {
  test('one bind of two: its messages are unknown, the others get their answers, nothing goes out again', async () => {
    const { smsc, proxy, send, bound, channel } = await faulty({ count: 2 });
    await bound();
    smsc.faults.answersPaused = true;
    const sent = many(10, () => send());
    await until(() => smsc.counts.submits === 10, { what: 'ten messages taken' });
    const through = submits(proxy.passed).filter((each) => each.connection === 0).length;
    expect(through).toBe(5); // the freest bind is taken, so they share

    smsc.faults.bindStatus = commandStatus.RSYSERR; // It does not come back before it was missed.
    channel.bindsMoved.clear();
    proxy.cut(0);
    await until(() => smsc.counts.binds === 1, { what: 'one bind to be gone' });
    await until(() => channel.bindsMoved.isSet, { what: 'the loss to be told' });
    smsc.faults.bindStatus = null;
    smsc.resumeAnswers();
    const outcomes = await Promise.all(sent);
    const lost = outcomes.filter((outcome) => outcome?.kind === 'unknown');
    expect(lost).toEqual(many(5, () => ({ kind: 'unknown', reason: 'connection_lost' })));
    expect(outcomes.filter((outcome) => outcome?.kind === 'accepted')).toHaveLength(5);

    await bound();
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(smsc.counts.submits).toBe(11);
  });

  test('messages that wait for a place when the last bind is cut were not sent, and say so', async () => {
    const { smsc, proxy, send, bound, channel } = await faulty({
      operator: { window: 2 },
    });
    await bound();
    smsc.faults.answersPaused = true;
    const sent = many(5, () => send());
    await until(() => smsc.counts.submits === 2, { what: 'a full window' });
    proxy.cut(0);
    const outcomes = await Promise.all(sent);
    expect(outcomes.filter((outcome) => outcome?.kind === 'unknown')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === null)).toHaveLength(3); // no place: the engine keeps them queued
    expect([channel.canSend('sms/atlas'), smsc.counts.submits]).toEqual([false, 2]);
  });

  test('a message that is asked again (throttled) when the bind is cut was not taken, and says so', async () => {
    const { smsc, proxy, send, bound } = await faulty();
    await bound();
    smsc.faults.refuseSubmits(1_000_000);
    const sent = send();
    await until(() => smsc.counts.refused === 1, { what: 'a refusal' });
    proxy.cut(0);
    expect(await sent).toMatchObject({ kind: 'not_sent' });
  });

  test('half a receipt: it comes whole on the next connection, once', async () => {
    const { smsc, proxy, send, bound, receipts, errors } = await faulty();
    await bound();
    smsc.holdReceipts();
    await send();
    await until(() => smsc.counts.receipts_pending === 1, { what: 'a held receipt' });
    const half = encodePdu({ command: 'deliver_sm', sequence: 9, esm_class: 4, short_message: Buffer.from('id:1') });
    smsc.sendRaw(half.subarray(0, half.length - 1));
    proxy.cut(0);
    smsc.releaseReceipts();
    await until(() => receipts.length === 1, { what: 'the receipt' });
    await until(() => smsc.counts.receipts_pending === 0, { what: 'its acknowledgement' });
    expect([proxy.connections, receipts.length, errors]).toEqual([2, 1, []]);
  });
});

describe('garbage', () => {
  test.each([
    { what: 'a length of zero', octets: Buffer.alloc(16) },
    { what: 'a length beyond belief', octets: Buffer.from('7fffffff00000005', 'hex') },
    { what: 'HTTP', octets: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n') },
    { what: 'all ones', octets: Buffer.alloc(64, 0xff) },
  ])('$what: what is on its way is unknown, and a new bind goes on', async ({ octets }) => {
    const { smsc, send, bound, unreadable } = await faulty();
    await bound();
    smsc.faults.answersPaused = true;
    const sent = send();
    await until(() => smsc.counts.submits === 1, { what: 'the message' });
    smsc.sendRaw(octets);
    expect(await sent).toEqual({ kind: 'unknown', reason: 'connection_lost' });
    smsc.faults.reset();
    await bound();
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect([smsc.counts.submits, unreadable]).toEqual([2, []]);
  });

  test('in a deliver_sm of the right length: kept as unreadable, acknowledged, and the bind lives', async () => {
    const { smsc, send, bound, unreadable, proxy } = await faulty();
    await bound();
    const frame = Buffer.alloc(60, 0xff);
    for (const [at, value] of [60, 5, 0, 77].entries()) frame.writeUInt32BE(value, at * 4);
    smsc.sendRaw(frame);
    await until(() => unreadable.length === 1, { what: 'the report' });
    expect(await send()).toMatchObject({ kind: 'accepted' });
    const answers = proxy.passed.filter(
      ({ from, frame: pdu }) => from === 'esme' && pdu.readUInt32BE(4) === 0x80000005,
    );
    expect(answers[0]?.frame.subarray(8, 16).toString('hex')).toBe('000000000000004d');
    expect(proxy.connections).toBe(1);
  });
});

describe('refused', () => {
  test('already bound: the other bind does the work, and the refused one does not hammer', async () => {
    const operator = { reconnect: { already_bound_seconds: 60 } };
    const { smsc, send, states, proxy, channel } = await faulty({ count: 2, smsc: { maxBinds: 1 }, operator });
    await until(() => states.includes('bound') && states.includes('backing_off'), { what: 'one bind, one refusal' });
    const outcomes = await Promise.all(many(20, () => send()));
    expect(outcomes.every((outcome) => outcome?.kind === 'accepted')).toBe(true);
    expect([channel.operatorStates()[0]?.binds_bound, smsc.counts.peak_binds, proxy.connections]).toEqual([1, 1, 2]);
  });

  test('a wrong password: the alarm, no place for anybody, and no second try', async () => {
    const { send, states, proxy, channel } = await faulty({ password: 'guessed' });
    await until(() => states.at(-1) === 'alarm', { what: 'the alarm' });
    expect(await send()).toBeNull();
    expect([channel.canSend('sms/atlas'), channel.routes(), proxy.connections]).toEqual([false, [], 1]);
  });
});
