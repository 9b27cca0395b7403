// A DELETE that a process has read is not sent to the other one, which would no longer find what the first one may have deleted. The processes
// are stubs, which read a call and close its connection.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { type Backend, overTls, type Program, startBalancer } from './balancer.ts';

interface Stub extends Backend {
  server: Server;
}

export async function deletedOnce(program: Program): Promise<void> {
  const seen: { call: string; headers: IncomingHttpHeaders; length: number }[] = [];
  /** Dies of what has `dies` in its path, once it has read it. */
  const start = async (): Promise<Stub> => {
    const server = createServer(async (request, response) => {
      let length = 0;
      for await (const part of request) length += part.length;
      const { method, url = '', headers } = request;
      if (url !== '/healthz') seen.push({ call: `${method} ${url}`, headers, length });
      if (url.includes('dies')) request.socket.destroy();
      else response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { server, http: `http://${address}`, grpc: address };
  };
  const stop = ({ server }: Stub) => {
    server.close();
    server.closeAllConnections();
  };
  const [a, b] = await Promise.all([start(), start()]);
  const { rest, stop: stopBalancer } = await startBalancer(program, a, b);
  const call = async (method: string, path: string, body: string | null = null) =>
    (await overTls(rest + path, { method, body, headers: { authorization: 'Bearer key' } })).status;
  const calls = () => seen.splice(0).map((one) => one.call);
  try {
    // By both of them, and as it came: a path with escapes, a body, headers.
    const paths = [1, 2, 3, 4].map((n) => `/v1/numbers/%2B21355174999${n}?dies=%20`);
    for (const path of paths) expect(await call('DELETE', path, 'body'), path).toBe(502);
    expect(seen.map(({ length }) => length)).toEqual([4, 4, 4, 4]);
    expect(seen[0]?.headers).toMatchObject({
      host: new URL(rest).host.replace(/:\d+$/, ''),
      authorization: 'Bearer key',
      'x-forwarded-for': '127.0.0.1',
    });
    expect(calls()).toEqual(paths.map((path) => `DELETE ${path}`));
    // As any call that is no GET; a GET is asked of the other one, too.
    for (const method of ['POST', 'PATCH']) expect(await call(method, '/v1/dies', '{}')).toBe(502);
    expect(calls()).toEqual(['POST /v1/dies', 'PATCH /v1/dies']);
    expect(await call('GET', '/v1/dies')).toBe(502);
    expect(calls()).toEqual(['GET /v1/dies', 'GET /v1/dies']);
    // What holds of other calls holds of these.
    expect(await call('DELETE', '/readyz')).toBe(404);
    expect(await call('DELETE', '/v1/waba', 'a'.repeat(4 * 1024 * 1024))).toBe(413);
    expect(calls()).toEqual([]);

    // A process that has gone refuses. Others are passed on; a DELETE comes through when the caller repeats it.
    stop(b);
    for (let n = 0; n < 4; n += 1) expect(await call('POST', '/v1/verify/send', '{}')).toBe(200);
    calls();
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await call('DELETE', '/v1/waba'));
    expect(statuses.toSorted()).toEqual([200, 200, 502, 502]);
    expect(calls()).toEqual(['DELETE /v1/waba', 'DELETE /v1/waba']);
  } finally {
    await stopBalancer();
    stop(a);
    stop(b);
  }
}
