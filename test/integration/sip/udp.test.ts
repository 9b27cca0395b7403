// Calls over UDP to the transactions of npm `sip`: both ways to end one, refusals, NAT's addresses, pings, and what ICMP says.
import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { Endpoint, type EndpointOptions } from '../../../src/sip/index.ts';
import { until } from '../../support/wait.ts';
import { answerSdp, placeCall, udpCallee } from './callee.ts';
import { facing, rawPeer, request } from './raw-peer.ts';

const callee = await udpCallee();
const answers = callee.behave;

async function open(options: Partial<EndpointOptions> = {}): Promise<Endpoint> {
  callee.requests.length = 0;
  callee.behave = answers;
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: callee.port }, transport: 'udp', ...options });
  expect(await endpoint.open()).toEqual({ kind: 'open' });
  onTestFinished(() => endpoint.close(0));
  return endpoint;
}

test('a call is answered, and we hang up', async () => {
  const endpoint = await open();
  const { call, event, events } = placeCall(endpoint, {
    from: { user: '021', display: 'Ramz "test"' },
    identity: '+21321',
  });
  await event('answered');
  const invite = await callee.request('INVITE');
  expect(invite.uri).toBe(`sip:+213555000001@127.0.0.1:${callee.port}`);
  expect(invite.headers.to).toMatchObject({ uri: 'sip:+213555000001@127.0.0.1' });
  expect(invite.headers.from).toMatchObject({ uri: 'sip:021@127.0.0.1' });
  expect(invite.headers.from.name).toContain('Ramz');
  expect(invite.headers['p-asserted-identity']).toBe('<sip:+21321@127.0.0.1>');
  expect(invite.content).toContain('c=IN IP4 127.0.0.1');
  await callee.request('ACK');
  call.hangUp();
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'completed' });
  expect(callee.requests.map(({ method }) => method)).toEqual(['INVITE', 'ACK', 'BYE']);
  expect(events.map(({ kind }) => kind)).toEqual(['provisional', 'answered', 'ended']);
});

test('a call is answered, and the callee hangs up', async () => {
  const { event } = placeCall(await open());
  await event('answered');
  callee.ask('BYE', await callee.request('INVITE'));
  expect(await event('ended')).toMatchObject({ how: 'hung_up' });
});

test('ringing is stopped', async () => {
  const endpoint = await open();
  callee.behave = (request, reply) => {
    if (request.method === 'INVITE') reply(180, 'Ringing');
    if (request.method === 'CANCEL') {
      reply(200, 'OK');
      finish();
    }
  };
  let finish = () => {};
  const { call, event } = placeCall(endpoint);
  const behave = callee.behave;
  callee.behave = (request, reply) => {
    if (request.method === 'INVITE') finish = () => reply(487, 'Request Terminated');
    behave(request, reply);
  };
  await event('provisional');
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'canceled', status: 487 });
});

test('a refusal is reported', async () => {
  const endpoint = await open();
  callee.behave = (_, reply) => reply(486, 'Busy Here', { headers: { reason: 'Q.850;cause=17' } });
  const { event } = placeCall(endpoint);
  expect(await event('ended')).toMatchObject({ how: 'refused', status: 486, q850: 17 });
});

test('calls that hang up before the trunk is found send nothing', async () => {
  const { call, event } = placeCall(await open());
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'not_called' });
  expect(callee.requests).toEqual([]);
});

// More at once than fit into the system's buffers (about 90 messages) would lose answers that npm `sip` never repeats.
test('thirty calls go over one port at once', async () => {
  const endpoint = await open();
  const calls = Array.from({ length: 30 }, () => placeCall(endpoint));
  await Promise.all(calls.map(({ event }) => event('answered')));
  for (const { call } of calls) call.hangUp();
  const ends = await Promise.all(calls.map(({ event }) => event('ended')));
  expect(ends.every(({ how }) => how === 'completed')).toBe(true);
  const vias = callee.requests.map(({ headers }) => headers.via[0]?.port);
  expect(new Set(vias).size).toBe(1);
  expect(endpoint.dropped).toBe(0);
});

test.each(['127.0.0.1', 'localhost'])(
  'within the call, requests go where the Contact says, here to a port of %s',
  async (host) => {
    const endpoint = await open({ local: { host: '127.0.0.1', port: 0 } });
    const other = await udpCallee();
    callee.behave = (request, reply) => {
      const headers = { contact: [{ uri: `sip:callee@${host}:${other.port}`, params: {} }] };
      reply(200, 'OK', { headers, content: answerSdp });
      expect(request.method).toBe('INVITE');
    };
    const { call, event } = placeCall(endpoint);
    await event('answered');
    await other.request('ACK');
    call.hangUp();
    expect(await event('ended')).toMatchObject({ how: 'completed' });
    expect(callee.requests.map(({ method }) => method)).toEqual(['INVITE']);
    expect(other.requests.map(({ method }) => method)).toEqual(['ACK', 'BYE']);
  },
);

test('a call id is in use once at a time', async () => {
  const endpoint = await open();
  placeCall(endpoint, { callId: 'same' });
  expect(() => placeCall(endpoint, { callId: 'same' })).toThrow('a call of this id is going on');
});

test('behind NAT, the address given stands in Via, Contact and session description', async () => {
  const endpoint = await open({ advertise: { host: '192.0.2.9', port: 5070 }, domain: 'operator.example' });
  const { event } = placeCall(endpoint);
  await event('answered');
  const { headers, uri, content } = await callee.request('INVITE');
  expect(headers.via[0]).toMatchObject({ host: '192.0.2.9', port: 5070 });
  expect(headers.contact).toMatchObject([{ uri: 'sip:021000000@192.0.2.9:5070' }]);
  expect(content).toContain('c=IN IP4 192.0.2.9');
  expect(uri).toBe('sip:+213555000001@operator.example');
  // The answer came back to where the request came from, and it says so.
  expect(await endpoint.ping(5_000)).toMatchObject({
    kind: 'up',
    seenAs: expect.stringMatching(/^127.0.0.1 port \d+$/),
  });
});

test.each([
  ['200', 200, 'up'],
  ['404', 404, 'up'],
  ['401', 401, 'up'],
  ['503', 503, 'down'],
  ['408', 408, 'down'],
] as const)('a trunk that answers %s to OPTIONS', async (_, status, kind) => {
  const endpoint = await open();
  callee.behave = (_request, reply) => reply(status, 'Whatever');
  expect(await endpoint.ping(5_000)).toMatchObject({ kind });
});

test('a silent trunk is down after the time given, and OPTIONS is repeated until then', async () => {
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap').length;
  const silent = await rawPeer();
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: silent.port }, transport: 'udp', t1Ms: 10 });
  await endpoint.open();
  expect(await endpoint.ping(200)).toEqual({ kind: 'down', why: 'no answer' });
  expect(silent.heard.length).toBeGreaterThan(1);
  // The socket towards the host was made again, on the same port.
  void endpoint.ping(10_000);
  await until(() => silent.heard.at(-1)?.match(/^Call-ID: .*/m)?.[0] !== silent.heard[0]?.match(/^Call-ID: .*/m)?.[0], {
    what: 'another OPTIONS',
  });
  const ports = silent.heard.map((text) => /^Via: SIP\/2.0\/UDP 127.0.0.1:(\d+)/m.exec(text)?.[1]);
  expect(new Set(ports).size).toBe(1);
  // One for all senders, and one for the host.
  const open = sockets();
  await endpoint.close(0);
  await until(() => open - sockets() === 2, { what: 'two sockets to be gone' });
});

test('a port where nobody listens ends the call at once: nothing rang', async () => {
  const closed = await udpCallee();
  await closed.stop();
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: closed.port }, transport: 'udp' });
  await endpoint.open();
  const { call, event } = placeCall(endpoint);
  expect(await event('ended')).toMatchObject({ how: 'transport' });
  expect(call.failure).toBe(`127.0.0.1 port ${closed.port}: refused`);
  expect(await endpoint.ping(5_000)).toEqual({ kind: 'down', why: 'connection refused' });
  // The same sockets are of use when it listens again.
  await closed.start();
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
  await endpoint.close(0);
});

test('a host that may have heard the first INVITE, and refuses the second one, leaves the call in doubt', async () => {
  const peer = await rawPeer();
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: peer.port }, transport: 'udp', t1Ms: 20 });
  await endpoint.open();
  const { event } = placeCall(endpoint);
  await until(() => peer.heard.length > 0, { what: 'an INVITE' });
  await peer.close();
  expect(await event('ended')).toMatchObject({ how: 'no_answer_at_all' });
  await endpoint.close(0);
});

test.skipIf(process.platform !== 'linux')('networks of the trunk are heard, too', async () => {
  const endpoint = await open({ local: { host: '127.0.0.1', port: 0 }, alsoFrom: ['127.0.0.2', '127.1.0.0/16'] });
  await endpoint.ping(5_000);
  const port = (await callee.request('OPTIONS')).headers.via[0]?.port ?? 0;
  for (const address of ['127.0.0.2', '127.1.2.3']) {
    const peer = await rawPeer(address);
    peer.send(request('OPTIONS', peer.port), port);
    await until(() => peer.heard.some((text) => text.startsWith('SIP/2.0 200')), { what: `the answer to ${address}` });
  }
});

test('a port that is taken is reported, though sockets of ours share theirs', async () => {
  const { port } = await facing();
  const second = new Endpoint({
    trunk: { host: '127.0.0.1', port: 5_060 },
    transport: 'udp',
    local: { host: '127.0.0.1', port },
  });
  expect(await second.open()).toMatchObject({ kind: 'failed', why: expect.stringContaining('EADDRINUSE') });
  await second.close(0);
});

test.skipIf(
  !Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.address === '::1'),
)('a trunk with an IPv6 address is called', async () => {
  const six = await rawPeer('::1');
  const endpoint = new Endpoint({ trunk: { host: '::1', port: six.port }, transport: 'udp' });
  await endpoint.open();
  const { event } = placeCall(endpoint);
  const invite = await until(() => six.heard[0], { what: 'an INVITE' });
  expect(invite).toMatch(/^INVITE sip:\+213555000001@\[::1\]:\d+ SIP/);
  expect(invite).toMatch(/^Via: SIP\/2\.0\/UDP \[::1\]:\d+;rport/m);
  expect(invite).toContain('c=IN IP6 ::1');
  await endpoint.close(0);
  expect(await event('ended')).toMatchObject({ how: 'no_answer_at_all' });
});

test.each([{ advertise: { host: 'two words', port: null } }, { domain: 'two words' }, { alsoFrom: ['no address'] }])(
  '%j is refused at once',
  (options) => {
    const trunk = { host: '127.0.0.1', port: 5060 };
    expect(() => new Endpoint({ trunk, transport: 'udp', ...options })).toThrow();
  },
);

test('a call that can not be written ends, and no other one', async () => {
  const endpoint = await open();
  const offer = () => {
    throw new Error('no port left');
  };
  const { call, event } = placeCall(endpoint, { offer });
  expect(await event('ended')).toMatchObject({ how: 'transport' });
  expect(call.failure).toBe('no port left');
  await placeCall(endpoint).event('answered');
});
