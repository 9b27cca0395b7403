// The simulated channel of SMS: whoever waits for a place has one in its turn, as on the real one. A line that stands still
// would hide all that comes after it.
import { expect, test } from 'vitest';
import type { Place } from '../../../src/channels/channel.ts';
import { smsRouteOf } from '../../simulate/carrier.ts';
import { SimulatedSms, type Wire } from '../../simulate/sms-channel.ts';

const operator = 'atlas';
const smsRoute = smsRouteOf(operator);

/** With one bind, whose window has one place. */
async function boundChannel(): Promise<SimulatedSms> {
  const sms = new SimulatedSms({ operators: { down: new Set<string>() } } as Wire);
  await sms.setSlots(operator, [0]);
  return sms;
}

/** The line of those that wait: whose turn it was so far, and their places. */
function lineOf(sms: SimulatedSms) {
  const turns: { name: string; place: Place | null }[] = [];
  const join = (name: string, signal = new AbortController().signal) =>
    sms.reserve(smsRoute, signal).then((place) => turns.push({ name, place }));
  const names = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return turns.map(({ name, place }) => (place ? name : `${name}: none`));
  };
  return { join, names, leave: () => turns.at(-1)?.place?.release() };
}

test('a place goes to those that wait, one after another', async () => {
  const sms = await boundChannel();
  const { join, names, leave } = lineOf(sms);
  for (const name of ['first', 'second', 'third']) void join(name);
  expect(await names()).toEqual(['first']);
  leave();
  expect(await names()).toEqual(['first', 'second']);
  expect(sms.reserveNow(smsRoute)).toBeNull();
  leave();
  expect(await names()).toEqual(['first', 'second', 'third']);
  leave();
  expect(sms.reserveNow(smsRoute)).not.toBeNull();
});

test('nobody goes before those that wait, even where a place is free', async () => {
  const sms = await boundChannel();
  const { join, names } = lineOf(sms);
  const first = sms.reserveNow(smsRoute);
  void join('second');
  void join('third');
  expect(sms.reserveNow(smsRoute)).toBeNull();
  first?.release();
  expect(sms.reserveNow(smsRoute)).toBeNull();
  expect(await names()).toEqual(['second']);
});

test('who goes away is left out, and without a bind all do', async () => {
  const sms = await boundChannel();
  const { join, names } = lineOf(sms);
  const abort = new AbortController();
  void join('first');
  void join('second', abort.signal);
  void join('third');
  void join('fourth');
  abort.abort();
  expect(await names()).toEqual(['first', 'second: none']);
  await sms.setSlots(operator, []);
  expect(await names()).toEqual(['first', 'second: none', 'third: none', 'fourth: none']);
});
