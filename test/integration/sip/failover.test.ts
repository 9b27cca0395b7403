// A trunk of several hosts: which one is called, what makes the next one be tried, and what must not.
import { createSocket } from 'node:dgram';
import { expect, onTestFinished, test } from 'vitest';
import { Endpoint, type EndpointOptions, systemResolver } from '../../../src/sip/index.ts';
import { until } from '../../support/wait.ts';
import { answerSdp, placeCall, streamCallee, udpCallee } from './callee.ts';
import { startDnsServer } from './dns-server.ts';
import { rawPeer } from './raw-peer.ts';

const main = await udpCallee();
const backup = await udpCallee();
const [other, another] = [await udpCallee(), await udpCallee()];
const answers = [main.behave, backup.behave] as const;

const zone: { srv: Record<string, [number, number, number, string][]>; a: Record<string, string[]> } = {
  srv: {
    '_sip._udp.trunk.example': [
      [20, 0, backup.port, 'host.example'],
      [10, 0, main.port, 'host.example'],
    ],
  },
  a: { 'host.example': ['127.0.0.1'] },
};
const dns = await startDnsServer(zone);

async function open(options: Partial<EndpointOptions> = {}): Promise<Endpoint> {
  for (const [index, callee] of [main, backup].entries()) {
    await callee.start();
    callee.requests.length = 0;
    callee.behave = answers[index] ?? callee.behave;
  }
  const trunk = { host: 'trunk.example', port: null };
  const resolver = systemResolver([dns.address]);
  const endpoint = new Endpoint({ trunk, transport: 'udp', resolver, ...options });
  expect(await endpoint.open()).toEqual({ kind: 'open' });
  onTestFinished(() => endpoint.close(0));
  return endpoint;
}

test('the first host is called, and the request names the trunk', async () => {
  await placeCall(await open()).event('answered');
  expect((await main.request('INVITE')).uri).toBe('sip:+213555000001@trunk.example');
  expect(backup.requests).toEqual([]);
});

test('the next host is called when the first one refuses datagrams, and stays the first one for a time', async () => {
  const endpoint = await open();
  await main.stop();
  const { events, event } = placeCall(endpoint);
  await event('answered');
  expect(events.map(({ kind }) => kind)).toEqual(['provisional', 'answered']);
  await main.start();
  await placeCall(endpoint).event('answered');
  expect(main.requests).toEqual([]);
  // A ping shows that it is there again.
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
  const isCalled = () => {
    placeCall(endpoint);
    return main.requests.some(({ method }) => method === 'INVITE');
  };
  await until(isCalled, { what: 'the first host to be called again', everyMs: 50 });
});

test.each([
  ['the host that was called', () => [main.port, backup.port], () => main],
  ['one host', () => [other.port, another.port], () => (other.requests.length > 0 ? other : another)],
])('all requests within a call go to %s of those behind the name in Contact', async (_, ports, host) => {
  zone.srv['_sip._udp.cluster.example'] = ports().map((port) => [10, 10, port, 'host.example']);
  const endpoint = await open();
  for (let n = 0; n < 8; n += 1) {
    for (const callee of [main, other, another]) callee.requests.length = 0;
    main.behave = (request, reply) => {
      const headers = { contact: [{ uri: 'sip:callee@cluster.example', params: {} }] };
      if (request.method === 'INVITE') reply(200, 'OK', { headers, content: answerSdp });
      else reply(200, 'OK');
    };
    const { call, event } = placeCall(endpoint);
    await event('answered');
    call.hangUp();
    expect(await event('ended')).toMatchObject({ how: 'completed' });
    expect(
      host()
        .requests.map(({ method }) => method)
        .filter((method) => method !== 'INVITE'),
    ).toEqual(['ACK', 'BYE']);
  }
});

test('the next host is called when the first one answers 503 and nothing rang', async () => {
  const endpoint = await open();
  main.behave = (_, reply) => reply(503, 'Service Unavailable');
  const { call, event } = placeCall(endpoint);
  await event('answered');
  expect(main.requests.map(({ method }) => method)).toEqual(['INVITE']);
  const [first, second] = [await main.request('INVITE'), await backup.request('INVITE')];
  expect(second.headers['call-id']).toBe(first.headers['call-id']);
  expect(second.headers.via[0]?.params.branch).not.toBe(first.headers.via[0]?.params.branch);
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'completed' });
  expect(backup.requests.map(({ method }) => method)).toEqual(['INVITE', 'ACK', 'BYE']);
});

test('what comes late from the first host is answered there: a refusal that is repeated', async () => {
  const first = await rawPeer();
  zone.srv['_sip._udp.late.example'] = [
    [10, 0, first.port, 'host.example'],
    [20, 0, backup.port, 'host.example'],
  ];
  const endpoint = await open({ trunk: { host: 'late.example', port: null } });
  const { event } = placeCall(endpoint);
  const invite = await until(() => first.heard[0], { what: 'the INVITE' });
  const [, port = ''] = /^Via: .*:(\d+);/m.exec(invite) ?? [];
  const copied = (invite.match(/^(?:Via|From|To|Call-ID|CSeq): .*\r\n/gm) ?? []).join('');
  const answer = (status: string) => `SIP/2.0 ${status}\r\n${copied.replace(/^(To: .*)\r/m, '$1;tag=late\r')}\r\n`;
  first.send(answer('503 Service Unavailable'), Number(port));
  await event('answered');
  first.send(answer('503 Service Unavailable'), Number(port));
  const acks = () => first.heard.filter((text) => text.startsWith('ACK'));
  await until(() => acks().length === 2, { what: 'both ACKs' });
  expect(acks()[0]).toBe(acks()[1]);
  expect(backup.requests.map(({ method }) => method)).toEqual(['INVITE', 'ACK']);
});

test('503 after ringing is the end', async () => {
  const endpoint = await open();
  main.behave = (_, reply) => {
    reply(180, 'Ringing');
    reply(503, 'Service Unavailable');
  };
  expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'refused', status: 503 });
  expect(backup.requests).toEqual([]);
});

test('over TCP too, the first host is called again once it is back, and one that answered 503 is not for a time', async () => {
  const [first, second] = [await streamCallee(), await streamCallee()];
  zone.srv['_sip._tcp.trunk.example'] = [
    [10, 0, first.port, 'host.example'],
    [20, 0, second.port, 'host.example'],
  ];
  let passed = 0;
  const endpoint = await open({ transport: 'tcp', now: () => performance.now() + passed });
  const called = async () => {
    const before = first.requests.length + second.requests.length;
    await placeCall(endpoint).event('answered');
    const isCalled = ({ requests }: typeof first) => requests.some(({ method }) => method === 'INVITE');
    expect(first.requests.length + second.requests.length).toBeGreaterThan(before);
    const hosts = [first, second].map(isCalled);
    for (const { requests } of [first, second]) requests.length = 0;
    return hosts;
  };
  await first.stop();
  expect(await called()).toEqual([false, true]);
  await first.start();
  passed += 61_000;
  expect(await called()).toEqual([true, false]);
  const answer = first.behave;
  first.behave = (_, reply) => reply(503, 'Service Unavailable');
  expect(await called()).toEqual([true, true]);
  first.behave = answer;
  expect(await called()).toEqual([false, true]);
  passed += 61_000;
  expect(await called()).toEqual([true, false]);
});

test.each([17, 19])(
  '503 by the cause %i is the end: the phone was reached, and another host would ring it again',
  async (cause) => {
    const endpoint = await open();
    main.behave = (_, reply) => reply(503, 'Service Unavailable', { headers: { reason: `Q.850;cause=${cause}` } });
    expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'refused', status: 503, q850: cause });
    expect(backup.requests).toEqual([]);
  },
);

test.each([486, 404, 500])('%i is the end: the call was refused, not the host', async (status) => {
  const endpoint = await open();
  main.behave = (_, reply) => reply(status, 'No');
  expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'refused', status });
  expect(backup.requests).toEqual([]);
});

test('a host without a word leaves the call in doubt, and the next call goes elsewhere', async () => {
  const endpoint = await open({ t1Ms: 20 });
  main.behave = () => {};
  const silent = createSocket('udp4');
  await main.stop();
  await new Promise<void>((resolve) => silent.bind(main.port, '127.0.0.1', resolve));
  expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'no_answer_at_all' });
  expect(backup.requests).toEqual([]);
  await placeCall(endpoint).event('answered');
  await backup.request('INVITE');
  await new Promise<void>((resolve) => silent.close(() => resolve()));
});

test('a call that is given up while the first host refuses is not placed at the next one', async () => {
  const endpoint = await open();
  main.behave = (_, reply) => {
    call.hangUp();
    reply(503, 'Service Unavailable');
  };
  const { call, event } = placeCall(endpoint);
  expect(await event('ended')).toMatchObject({ how: 'refused', status: 503 });
  expect(backup.requests).toEqual([]);
});

test('when no host is there, the trunk is down, and calls end at once', async () => {
  const endpoint = await open();
  await main.stop();
  await backup.stop();
  expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'transport' });
  expect(await endpoint.ping(5_000)).toEqual({ kind: 'down', why: 'connection refused' });
});

test('a trunk that the DNS does not know is not called', async () => {
  const endpoint = await open({ trunk: { host: 'unknown.example', port: null } });
  const { call, event } = placeCall(endpoint);
  expect(await event('ended')).toMatchObject({ how: 'transport' });
  expect(call.failure).toContain('ENOTFOUND');
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'down', why: expect.stringContaining('ENOTFOUND') });
});
