// An operator whose binds are made again, by a reload or by an order: messages must not notice, and the SMSC never sees one bind too many.
import { expect, onTestFinished, test } from 'vitest';
import { operatorConfig, testChannel } from '../../peers/support/channel.ts';
import { Smsc } from '../../support/npm-smsc.ts';
import { until } from '../../support/wait.ts';

const config = (port: number, change: Record<string, unknown> = {}) =>
  operatorConfig({ binds: [{ host: '127.0.0.1', port, system_id: 'ramz', password: 'secret08' }], ...change });

/** A channel with one bind, on which a message waits for its answer until `answer` is called. */
async function withMessageUnderWay(change: Record<string, unknown> = {}) {
  const smsc = await Smsc.listen();
  onTestFinished(() => smsc.close());
  const answers: (() => void)[] = [];
  smsc.onSubmit = (pdu, session) => void answers.push(() => smsc.accept(pdu, session));
  const { channel, send, bound } = testChannel(config(smsc.port, change));
  await bound();
  const sent = send();
  await smsc.got('submit_sm');
  const again = config(smsc.port, { ...change, window: 20 });
  return { smsc, channel, sent, again, answer: () => answers.shift()?.() };
}
type Started = Awaited<ReturnType<typeof withMessageUnderWay>>;

const request = {
  mode: 'live',
  channel: 'sms',
  to: '+213551234567',
  senderId: null,
  language: 'fr',
  account: { id: 'acct_1', defaultSenderId: null, inCountryOnly: false, approvedSenders: new Map() },
} as const;

test('a reload that makes the binds again skips no leg while the old ones wait for their last answers', async () => {
  const { smsc, channel, sent, answer } = await withMessageUnderWay();
  const replaced = channel.replace(config(smsc.port, { window: 20 }));
  expect(channel.plan(request)).toMatchObject({ kind: 'usable', operator: 'peer' });
  expect(channel.carriers()).toEqual([{ carrier: 'peer', reason: null }]);
  const held = channel.setSlots('peer', [0]);
  answer();
  await Promise.all([replaced, held]);
  expect(await sent).toMatchObject({ kind: 'accepted' });
  await until(() => channel.isBound('peer', 0), { what: 'the new bind' });
  const order = smsc.received.map(({ command }) => command);
  expect(order.indexOf('unbind')).toBeLessThan(order.lastIndexOf('bind_transceiver'));
  expect(smsc.sessions).toHaveLength(2);
});

test('a reload of two operators: one binds again while the other still waits for its last answers', async () => {
  const { smsc, channel, sent, answer } = await withMessageUnderWay();
  const other = await Smsc.listen();
  onTestFinished(() => other.close());
  const quick = { id: 'quick', prefixes: ['+21366'], rate_per_second: 100 };
  await channel.replace(config(other.port, quick));
  await channel.setSlots('quick', [0]);
  await until(() => channel.isBound('quick', 0), { what: 'the other operator' });

  const replaced = Promise.all([
    channel.replace(config(smsc.port, { window: 20 })),
    channel.replace(config(other.port, { ...quick, window: 20 })),
  ]);
  await until(() => other.sessions.length === 2 && channel.isBound('quick', 0), { what: 'its new bind' });
  expect([channel.ratePerSecond('sms/quick'), other.of('unbind').length]).toEqual([100, 1]);
  expect([smsc.sessions.length, smsc.of('unbind').length]).toEqual([1, 0]);
  answer();
  await replaced;
  expect(await sent).toMatchObject({ kind: 'accepted' });
  await until(() => channel.isBound('peer', 0), { what: 'the new bind of the first' });
  await Promise.all(['peer', 'quick'].map((id) => channel.setSlots(id, [0])));
  expect([smsc.sessions.length, other.sessions.length]).toEqual([2, 2]);
});

test('a reload with fewer binds opens none beyond them, and none of a slot that is given up meanwhile', async () => {
  const smsc = await Smsc.listen();
  onTestFinished(() => smsc.close());
  const binds = (count: number) => [
    { host: '127.0.0.1', port: smsc.port, system_id: 'ramz', password: 'secret08', count },
  ];
  const { channel, bound } = testChannel(config(smsc.port, { binds: binds(3) }));
  await bound();
  const replaced = channel.replace(config(smsc.port, { binds: binds(2), window: 20 }));
  const givenUp = channel.setSlots('peer', [1]);
  await Promise.all([replaced, givenUp]);
  await until(() => channel.isBound('peer', 1), { what: 'the one that is left' });
  expect([smsc.of('unbind').length, smsc.of('bind_transceiver').length]).toEqual([3, 4]);
});

test('a slot is given up only once its bind is closed, also where it was being made again', async () => {
  const { smsc, channel, answer } = await withMessageUnderWay();
  channel.rebind('peer', null);
  let isGivenUp = false;
  const givenUp = channel.setSlots('peer', []).then(() => {
    isGivenUp = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isGivenUp).toBe(false);
  answer();
  await givenUp;
  expect(smsc.of('unbind')).toHaveLength(1);
  expect(smsc.sessions).toHaveLength(1);
});

test.each([
  ['by an order', async ({ channel }: Started) => channel.rebind('peer', null)],
  ['by a reload', async ({ channel, again }: Started) => void channel.replace(again)],
])(
  'an operator whose only bind is made again %s is not down while the old one waits for its last answers',
  async (_, remake) => {
    const started = await withMessageUnderWay({ down_after_seconds: 0.05 });
    const { channel, smsc, answer } = started;
    await remake(started);
    const closingSince = Date.now();
    await until(() => Date.now() - closingSince > 100, { what: 'twice that time' });
    expect([channel.outages(), channel.plan(request).kind]).toEqual([[], 'usable']);
    smsc.deafTo.add('bind_transceiver');
    answer();
    await channel.setSlots('peer', [0]);
    // Once it is closed the time runs.
    await until(() => channel.outages().length === 1, { what: 'the operator to be down' });
  },
);
