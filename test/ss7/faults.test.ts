// Faults between Ramz and the phone: a gateway that dies, associations that break, a network that is gone. Whatever happens no phone gets a
// message twice, and no session waits for what can not come.
import { expect } from 'vitest';
import { until } from '../support/wait.ts';
import { ss7Test as test } from './support/programs.ts';
import { byApp, cascade, isOver, ramzBefore, words } from './support/ramz.ts';
import { ss7World } from './support/world.ts';

const world = await ss7World({ associations: 2, map: { routing_timeout_seconds: 3, forward_timeout_seconds: 20 } });
const ramz = world && (await ramzBefore(world));

const number = (ending: string) => `+2135600123${ending}`;
const delivered = ['receipt_received sms DELIVRD 000: the handset has acknowledged it', 'delivery_delivered'];

const send = (to: string, smsSeconds: number) => ramz!.server.live.send(to, { cascade: cascade(smsSeconds) });
const end = (id: string) => ramz!.server.live.sessionWhen(id, 'the end', isOver);
/** The operator works: a message gets through. */
async function works(to: string): Promise<void> {
  await ramz!.bound();
  const { id } = await send(to, 20);
  expect(words(await end(id))).toEqual(['leg_started sms', ...delivered]);
  expect(world!.events('shown', to)).toHaveLength(1);
}

test('a gateway that is killed in mid-dialogue: nobody knows, the next leg follows, and nothing is sent twice', async () => {
  const silent = number('10');
  const { id } = await send(silent, 4);
  await until(() => world!.events('shown', silent).length === 1, { what: 'the message on the phone' });
  await world!.gateway().process.end('SIGKILL');
  const session = await end(id);
  expect(words(session)).toEqual(['leg_started sms', 'leg_timed_out sms', ...byApp]);
  expect(session.messages[0]).toMatchObject({ operator: 'ss7', status: 'submitted', receipts: [] });
  await world!.restart();
  await works(number('20'));
  expect(world!.events('forward', silent)).toHaveLength(1);
  expect(world!.events('routing', silent)).toHaveLength(1);
});

test('a gateway that is killed before it answers: the message is in doubt, and goes out by the next leg alone', async () => {
  const to = number('21');
  const gateway = world!.gateway().process;
  gateway.signal('SIGSTOP');
  const { id } = await send(to, 60);
  await ramz!.says(/^ramz_smpp_window_in_use\{operator="ss7",bind="\d"\} 1$/m);
  await gateway.end('SIGKILL');
  const session = await end(id);
  expect(words(session)).toEqual([
    'leg_started sms',
    'message_unknown sms connection_lost',
    'leg_timed_out sms in_doubt',
    ...byApp,
  ]);
  await world!.restart();
  await works(number('22'));
  expect(world!.events('forward', to)).toEqual([]);
  const after = await ramz!.server.live.session(id);
  expect(after.messages.map(({ channel }) => channel)).toEqual(['sms', 'whatsapp']);
});

test('an association is lost: messages go on over the other one, and no phone gets one twice', async () => {
  const [first] = world!.wires;
  const phones = Array.from({ length: 40 }, (_, n) => `+2135611${String(n).padStart(2, '0')}030`);
  const half = phones.length / 2;
  const before = phones.slice(0, half).map((to) => send(to, 12));
  await until(() => phones.some((to) => world!.events('shown', to).length > 0), { what: 'the first message' });
  first!.cut();
  const sent = await Promise.all([...before, ...phones.slice(half).map((to) => send(to, 12))]);
  const sessions = await Promise.all(sent.map(({ id }) => end(id)));
  for (const [at, to] of phones.entries()) {
    const shown = world!.events('shown', to).length;
    const [sms] = sessions[at]!.messages;
    // What was on the broken association may have been lost with it: then the next leg has brought the code.
    expect([to, shown]).toEqual([to, sms?.status === 'delivered' ? 1 : Math.min(shown, 1)]);
  }
  const active = (name: string) => world!.gateway().metric(`ss7_association_active{association="${name}"}`);
  expect([await active('a'), await active('b')]).toEqual([0, 1]);
  // Once it is known to be gone, nothing is lost any more.
  for (let n = 0; n < 5; n += 1) await works(number(`4${n}`));
  first!.mend();
  await until(async () => (await active('a')) === 1, { what: 'the association to be back' });
  await works(number('50'));
});

test('both associations are lost: the operator is down, and its leg is skipped at once; then they are back', async () => {
  for (const wire of world!.wires) wire.cut();
  await ramz!.says(/^ramz_operator_down\{operator="ss7"\} 1$/m);
  const to = number('60');
  const { id } = await send(to, 60);
  expect(words(await end(id))).toEqual(['leg_skipped sms operator_down ss7', ...byApp]);
  for (const wire of world!.wires) wire.mend();
  await works(number('61'));
  expect(world!.events('routing', to)).toEqual([]);
});
