// A bind that answers enquire_link and no message: how many messages it costs beside a good one, and what it is good for alone.
import type { Session } from 'smpp';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/smpp/timers.ts';
import { operatorConfig, testChannel } from '../../peers/support/channel.ts';
import { Smsc } from '../../support/npm-smsc.ts';
import { until } from '../../support/wait.ts';

const smscs: Smsc[] = [];
afterEach(() => Promise.all(smscs.splice(0).map((smsc) => smsc.close())));

/** The channel with so many binds; those made while `silent` holds for them answer no message. */
async function bound(count: number, silent: (connection: Session, smsc: Smsc) => boolean) {
  const smsc = await Smsc.listen();
  smscs.push(smsc);
  smsc.onSubmit = (pdu, connection) => void (silent(connection, smsc) || smsc.accept(pdu, connection));
  const binds = [{ host: '127.0.0.1', port: smsc.port, system_id: 'ramz', password: 'secret08', count }];
  const reconnect = { min_seconds: 0.1 };
  const channel = testChannel(operatorConfig({ binds, response_timeout_ms: 5_000, reconnect }));
  await channel.bound();
  return { smsc, ...channel };
}

const lost = { kind: 'unknown', reason: 'timeout' };

test('one of two binds is silent: it costs three messages of a hundred, and is bound again', async () => {
  const { smsc, send, states } = await bound(2, (connection, { sessions }) => connection !== sessions[1]);
  const outcomes = [];
  for (let n = 0; n < 100; n += 1) outcomes.push(await send());
  expect(outcomes.filter((outcome) => outcome?.kind === 'unknown')).toEqual([lost, lost, lost]);
  expect(outcomes.filter((outcome) => outcome?.kind === 'accepted')).toHaveLength(97);
  await until(() => states.filter((state) => state === 'sick').length === 2, { what: 'the new bind to be sick' });
  expect([smsc.of('unbind').length, smsc.of('bind_transceiver').length]).toEqual([1, 3]);
});

test('the only bind is silent: one message at a time goes out, until one is answered', async () => {
  let isSilent = true;
  const { smsc, send, channel, states } = await bound(1, () => isSilent);
  await Promise.all([send(), send(), send()]);
  await until(() => states.at(-1) === 'sick' && smsc.of('bind_transceiver').length === 2, { what: 'the new bind' });
  expect([channel.isBound('peer', 0), channel.canSend('sms/peer')]).toEqual([false, true]);

  const [first, second] = [send(), send()];
  await smsc.got('submit_sm', 4);
  isSilent = false;
  expect(await first).toEqual(lost);
  expect(await second).toBeNull(); // it had no place, and the bind was made again
  await until(() => states.at(-1) === 'sick', { what: 'the next bind' });
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(states.at(-1)).toBe('bound');
});

test('the only bind here is silent, and another process has a good one: nothing goes out here but a trial a minute', async () => {
  const { now } = systemClock;
  let aheadMs = 0;
  const clock = vi.spyOn(systemClock, 'now').mockImplementation(() => now() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  let isSilent = true;
  const { smsc, send, channel, states } = await bound(1, () => isSilent);
  const isSickAgain = (nth: number) => () => states.at(-1) === 'sick' && smsc.of('bind_transceiver').length === nth;
  const route = 'sms/peer';
  const taken = () => [channel.canSend(route), channel.routes(), channel.ratePerSecond(route)];
  const nothing = [false, [], null];

  await Promise.all([send(), send(), send()]);
  await until(isSickAgain(2), { what: 'the new bind' });
  channel.seeElsewhere(['peer']);
  expect(taken()).toEqual(nothing);
  expect(await send()).toBeNull();
  // That bind is lost, too: between two sick binds each process uses its own.
  channel.seeElsewhere([]);
  expect(channel.canSend(route)).toBe(true);
  channel.seeElsewhere(['peer']);

  aheadMs = 60_000;
  expect(channel.canSend(route)).toBe(true);
  const trial = send();
  await smsc.got('submit_sm', 4);
  expect([taken(), await send()]).toEqual([nothing, null]);
  expect(await trial).toEqual(lost);
  await until(isSickAgain(3), { what: 'the bind after the trial' });
  expect(taken()).toEqual(nothing);

  aheadMs += 120_000;
  await until(() => channel.canSend(route), { what: 'the bind to be up' });
  isSilent = false;
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(taken()).toEqual([true, [route], 1000]);
});
