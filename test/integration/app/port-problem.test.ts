// Ports that can't be opened: the setting that is at fault, and what to do, in one line.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { portProblem } from '../../../src/config/doors.ts';

const hosts = { host: '0.0.0.0', peerHost: '127.0.0.1', metrics: { host: '127.0.0.1', port: 9464, token: null } };

/** What Node says of a port that can't be opened. */
async function refusal(host: string): Promise<unknown> {
  const server = createServer();
  server.listen(0, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    return error;
  }
  server.close();
  throw new Error(`${host} could be listened at`);
}

test.each([
  ['HOST', { ...hosts, host: '192.0.2.1' }],
  ['METRICS_HOST', { ...hosts, metrics: { ...hosts.metrics, host: '192.0.2.1' } }],
  ['HOST, PEER_HOST', { ...hosts, host: '192.0.2.1', peerHost: '192.0.2.1' }],
])('an address that is none of this machine: %s', async (names, given) => {
  expect(portProblem(await refusal('192.0.2.1'), given)).toBe(`${names}: 192.0.2.1 is no address of this machine`);
});

test('a name that nobody knows is no matter of the database', async () => {
  const error = await refusal('ramz.invalid');
  expect(portProblem(error, { ...hosts, host: 'ramz.invalid' })).toMatch(
    /^HOST: the name ramz\.invalid is not known here \(E[A-Z_]+\)$/,
  );
  expect(portProblem(error, hosts)).toBeNull();
});

test.each([
  ['EADDRINUSE', 8080, /^port 8080 is taken: set PORT, /],
  ['EACCES', 443, /^port 443 may not be opened by this user \(EACCES\): .*CAP_NET_BIND_SERVICE.* Set PORT, /],
])('%s', (code, port, said) => {
  const error = Object.assign(new Error(code), { code, port, syscall: 'listen', address: '0.0.0.0' });
  expect(portProblem(error, hosts)).toMatch(said);
});

test('what came from elsewhere is left alone', () => {
  const refused = Object.assign(new Error('connect'), { code: 'EACCES', syscall: 'connect', address: '127.0.0.1' });
  expect([portProblem(refused, hosts), portProblem(new Error('a bug'), hosts)]).toEqual([null, null]);
});
