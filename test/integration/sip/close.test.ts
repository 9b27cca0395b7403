// Closing an endpoint: phones stop ringing, answered calls get their BYE, and nothing stays open in the process.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Endpoint, type TransportName } from '../../../src/sip/index.ts';
import { selfSigned } from '../../support/certificate.ts';
import { until } from '../../support/wait.ts';
import { type Callee, placeCall, streamCallee, udpCallee } from './callee.ts';

const certificate = selfSigned();
const callees: Record<TransportName, Callee> = {
  udp: await udpCallee(),
  tcp: await streamCallee(),
  tls: await streamCallee(certificate),
};
const rows = Object.entries(callees) as [TransportName, Callee][];

const make = (transport: TransportName, port: number): Endpoint =>
  new Endpoint({ trunk: { host: '127.0.0.1', port }, transport, tls: { ca: certificate.cert } });

/** Sockets and timers that keep this process alive. */
const open = () => process.getActiveResourcesInfo().filter((kind) => /UDP|TCP|TLS|GetAddrInfo|Timeout/.test(kind));

test.each(rows)('over %s, answered and ringing calls end, and nothing is left', async (transport, callee) => {
  const answers = callee.behave;
  const before = open().toSorted();
  const endpoint = make(transport, callee.port);
  await endpoint.open();
  const answered = placeCall(endpoint);
  await answered.event('answered');
  let terminate = () => {};
  callee.behave = (request, reply) => {
    if (request.method === 'INVITE') {
      terminate = () => reply(487, 'Request Terminated');
      reply(180, 'Ringing');
    } else {
      reply(200, 'OK');
      if (request.method === 'CANCEL') terminate();
    }
  };
  const ringing = placeCall(endpoint);
  await ringing.event('provisional');

  const [closed, again] = [endpoint.close(20_000), endpoint.close(20_000)];
  expect(again).toBe(closed);
  await closed;
  expect(answered.events.at(-1)).toMatchObject({ kind: 'ended', how: 'completed' });
  expect(ringing.events.at(-1)).toMatchObject({ kind: 'ended', how: 'canceled' });
  const late = placeCall(endpoint);
  expect(await late.event('ended')).toMatchObject({ how: 'transport' });
  expect(await endpoint.ping(1_000)).toEqual({ kind: 'down', why: 'closed' });
  await until(() => (callee as { connections?: { size: number } }).connections?.size !== 1, {
    what: 'the last socket',
  });
  callee.behave = answers;
  // The transactions of npm `sip` wait for retransmissions; ended, they leave what there was before.
  await callee.stop();
  await callee.start();
  await until(() => open().length <= before.length, { what: `the rest to close; at first ${before}, now ${open()}` });
});

test.each(rows)(
  'over %s, a trunk that answers nothing is waited for as long as was said',
  async (transport, callee) => {
    const answers = callee.behave;
    const endpoint = make(transport, callee.port);
    await endpoint.open();
    const call = placeCall(endpoint);
    await call.event('answered');
    callee.behave = () => {};
    const ping = endpoint.ping(60_000);
    await callee.request('OPTIONS');
    const silent = placeCall(endpoint);
    await callee.request('INVITE', callee.requests.filter(({ method }) => method === 'INVITE').length + 1);
    await endpoint.close(50);
    expect(await ping).toEqual({ kind: 'down', why: 'closed' });
    expect(call.events.at(-1)).toMatchObject({ kind: 'ended', how: 'timer' });
    expect(silent.events).toMatchObject([{ kind: 'ended', how: 'no_answer_at_all' }]);
    await nextTurn();
    expect(callee.requests.filter(({ method }) => method === 'BYE').length).toBeGreaterThan(0);
    callee.behave = answers;
  },
);

test('a call that is over, and waits for repetitions, holds nothing open', async () => {
  const callee = callees.udp;
  // So many that the other timers of this process, which come and go, make no difference.
  const endpoints = Array.from({ length: 20 }, () => make('udp', callee.port));
  for (const endpoint of endpoints) {
    await endpoint.open();
    const { call, event } = placeCall(endpoint);
    await event('answered');
    call.hangUp();
    await event('ended');
  }
  const timers = () => open().filter((kind) => kind === 'Timeout').length;
  await callee.stop();
  await callee.start();
  const before = timers();
  await Promise.all(endpoints.map((endpoint) => endpoint.close(0)));
  expect(timers()).toBeLessThan(before - endpoints.length / 2);
});

test('a call that did not find its trunk yet is given up', async () => {
  const never = new Promise<never>(() => {});
  const resolver = { srv: () => never, addresses: async () => ['127.0.0.1'] };
  const endpoint = new Endpoint({ trunk: { host: 'trunk.example', port: null }, transport: 'udp', resolver });
  const { event } = placeCall(endpoint);
  await endpoint.close(0);
  expect(await event('ended')).toMatchObject({ how: 'not_called' });
});
