// Calls over TCP and TLS: one connection for everything, cut anywhere, lost and opened again; and whom TLS trusts.
import { expect, onTestFinished, test } from 'vitest';
import { Endpoint, type EndpointOptions } from '../../../src/sip/index.ts';
import { selfSigned } from '../../support/certificate.ts';
import { until } from '../../support/wait.ts';
import { placeCall, streamCallee } from './callee.ts';

const certificate = selfSigned();
const callee = await streamCallee();
const secure = await streamCallee(certificate);
const [answers, write] = [callee.behave, callee.write];

async function open(options: Partial<EndpointOptions> = {}): Promise<Endpoint> {
  callee.requests.length = 0;
  callee.accepted = 0;
  callee.behave = answers;
  callee.write = write;
  secure.requests.length = 0;
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: callee.port }, transport: 'tcp', ...options });
  expect(await endpoint.open()).toEqual({ kind: 'open' });
  onTestFinished(() => endpoint.close(0));
  return endpoint;
}

test('calls share one connection, and either side hangs up', async () => {
  const endpoint = await open();
  const ours = placeCall(endpoint);
  const theirs = placeCall(endpoint);
  await ours.event('answered');
  await theirs.event('answered');
  const invite = await callee.request('INVITE', 2);
  const port = [...callee.connections][0]?.remotePort;
  expect(invite.headers.via[0]).toMatchObject({ protocol: 'TCP', host: '127.0.0.1', port });
  expect(invite.headers.contact).toMatchObject([{ uri: `sip:021000000@127.0.0.1:${port};transport=tcp` }]);
  ours.call.hangUp();
  expect(await ours.event('ended')).toMatchObject({ how: 'completed' });
  callee.ask('BYE', invite);
  expect(await theirs.event('ended')).toMatchObject({ how: 'hung_up' });
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
  expect(callee.accepted).toBe(1);
  expect(endpoint.dropped).toBe(0);
});

test('messages are put together again, whichever octets came alone', async () => {
  const endpoint = await open();
  callee.write = (socket, bytes) => {
    socket.setNoDelay(true);
    for (const octet of bytes) socket.write(Buffer.of(octet));
  };
  const { call, event } = placeCall(endpoint);
  await event('answered');
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'completed' });
});

test('keep-alives between messages are passed over', async () => {
  const endpoint = await open();
  callee.write = (socket, bytes) =>
    socket.write(Buffer.concat([Buffer.from('\r\n\r\n'), bytes, Buffer.from('\r\n\r\n')]));
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
  expect(callee.accepted).toBe(1);
  expect(endpoint.dropped).toBe(0);
});

test('a stream that is no SIP is left, and the next call gets a new one', async () => {
  const endpoint = await open();
  callee.behave = () => {
    for (const socket of callee.connections) socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
  };
  // The INVITE went out: nobody knows what became of it.
  expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'no_answer_at_all' });
  expect(endpoint.dropped).toBe(1);
  callee.behave = answers;
  await placeCall(endpoint).event('answered');
  expect(callee.accepted).toBe(2);
});

test('a trunk that restarts gets a new connection, and an answered call survives it', async () => {
  const endpoint = await open();
  const { call, event } = placeCall(endpoint);
  await event('answered');
  await callee.stop();
  await callee.start();
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'completed' });
  await placeCall(endpoint).event('answered');
  expect(callee.accepted).toBe(2);
});

test('a BYE goes out again by a new connection when the old one breaks before its answer', async () => {
  const endpoint = await open();
  const { call, event } = placeCall(endpoint);
  await event('answered');
  let byes = 0;
  callee.behave = (request, reply) => {
    byes += 1;
    if (byes === 1) for (const socket of callee.connections) socket.destroy();
    else reply(request.method === 'BYE' ? 200 : 500, 'Whatever');
  };
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'completed' });
  expect(byes).toBe(2);
});

test('a phone stops ringing when the connection breaks by which its answer would come', async () => {
  const endpoint = await open();
  callee.behave = (request, reply) => {
    if (request.method === 'INVITE') reply(180, 'Ringing');
    else reply(200, 'OK');
  };
  const { event } = placeCall(endpoint);
  await event('provisional');
  for (const socket of callee.connections) socket.destroy();
  await callee.request('CANCEL');
  expect(await event('ended')).toMatchObject({ how: 'canceled' });
  expect(callee.accepted).toBe(2);
});

test('an INVITE that is sent anew for credentials may have arrived when the connection breaks', async () => {
  // Its own timer would come to the same after ten minutes.
  const endpoint = await open({ t1Ms: 10_000 });
  callee.behave = (request, reply) => {
    const asks = { headers: { 'www-authenticate': [{ scheme: 'Digest', realm: '"trunk"', nonce: '"1"' }] } };
    if (request.method === 'INVITE' && !request.headers.authorization) reply(401, 'Unauthorized', asks);
    else if (request.method === 'INVITE') for (const socket of callee.connections) socket.destroy();
  };
  const credentials = { username: 'ramz', password: 'secret', hashes: 'any' as const };
  const { event } = placeCall(endpoint, { credentials });
  expect(await event('ended')).toMatchObject({ how: 'no_answer_at_all' });
});

test('a port where nobody listens: nothing rang', async () => {
  const endpoint = await open();
  await callee.stop();
  const { call, event } = placeCall(endpoint);
  expect(await event('ended')).toMatchObject({ how: 'transport' });
  expect(call.failure).toContain('ECONNREFUSED');
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'down', why: expect.stringContaining('ECONNREFUSED') });
  await callee.start();
});

test('a connection that is silent is given up after a ping', async () => {
  const endpoint = await open({ t1Ms: 10 });
  callee.behave = () => {};
  expect(await endpoint.ping(50)).toEqual({ kind: 'down', why: 'no answer' });
  await until(() => callee.connections.size === 0, { what: 'the connection to be closed' });
  callee.behave = answers;
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'up' });
});

test('the trunk is answered by its own connection outside of calls', async () => {
  const endpoint = await open();
  await endpoint.ping(5_000);
  const heard: string[] = [];
  for (const socket of callee.connections) {
    socket.on('data', (chunk) => heard.push(chunk.toString('latin1')));
    socket.write(
      'OPTIONS sip:ramz@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=1\r\n' +
        'To: <sip:c@d>\r\nCall-ID: outside\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n',
    );
  }
  await until(() => heard.join('').startsWith('SIP/2.0 200 OK'), { what: 'the answer' });
  expect(heard.join('')).toContain('Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bKx;received=127.0.0.1');
});

const overTls = (tls: EndpointOptions['tls'] = {}): Partial<EndpointOptions> => ({
  trunk: { host: '127.0.0.1', port: secure.port },
  transport: 'tls',
  tls,
});

test('over TLS, a trunk with the right certificate is called', async () => {
  const endpoint = await open(overTls({ ca: certificate.cert }));
  const { call, event } = placeCall(endpoint);
  await event('answered');
  expect((await secure.request('INVITE')).headers.via[0]).toMatchObject({ protocol: 'TLS' });
  call.hangUp();
  expect(await event('ended')).toMatchObject({ how: 'completed' });
});

test('over TLS, the name on the certificate is that of the trunk, or the one given', async () => {
  const trunk = { host: 'localhost', port: secure.port };
  const named = await open({ ...overTls({ ca: certificate.cert }), trunk, local: { host: '127.0.0.1', port: 0 } });
  expect(await named.ping(5_000)).toMatchObject({ kind: 'up' });
  const other = await open(overTls({ ca: certificate.cert, servername: 'other.example' }));
  expect(await other.ping(5_000)).toMatchObject({ kind: 'down', why: expect.stringContaining('other.example') });
});

test('over TLS, a certificate of an unknown authority is refused before anything is sent', async () => {
  const endpoint = await open(overTls());
  const { call, event } = placeCall(endpoint);
  expect(await event('ended')).toMatchObject({ how: 'transport' });
  expect(call.failure).toContain('self-signed certificate');
  expect(secure.requests).toEqual([]);
  const careless = await open(overTls({ rejectUnauthorized: false }));
  expect(await careless.ping(5_000)).toMatchObject({ kind: 'up' });
});

test('over TLS, a certificate of ours that cannot be read is a reason to be down', async () => {
  const endpoint = await open(overTls({ cert: 'no PEM', key: 'no PEM' }));
  expect(await endpoint.ping(5_000)).toMatchObject({ kind: 'down', why: expect.stringContaining('PEM') });
  expect(await placeCall(endpoint).event('ended')).toMatchObject({ how: 'transport' });
});
