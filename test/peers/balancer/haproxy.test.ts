// HAProxy, as deploy/haproxy.cfg has it, before two processes: calls of both ports reach both of them, one that stops in order costs no call,
// one that is killed costs only the calls it had, and the caller's address is the caller's.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect } from 'vitest';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { selfSigned } from '../../support/certificate.ts';
import { checkOf } from '../../support/checks.ts';
import { fetchOver } from '../../support/few-connections.ts';
import { testFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { startProcess } from '../../support/process.ts';
import { type ServerProcess, testService } from '../../support/service.ts';
import { serviceClient } from '../../support/service-client.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

const test = requireTool('haproxy');

const service = await testService({ config: { trusted_proxies: ['127.0.0.1'] }, errorsExpected: true });
const { cert, key } = selfSigned();
const overTls = fetchOver({ connect: { ca: cert } });

interface Balancer {
  /** `https://localhost:…` */
  rest: string;
  grpc: string;
  stop(): Promise<unknown>;
}

/** With the addresses, the ports and the certificate changed that its reader is asked to change. */
async function startBalancer(a: ServerProcess, b: ServerProcess): Promise<Balancer> {
  const folder = testFolder('haproxy');
  const pem = join(folder, 'ramz.pem');
  writeFileSync(pem, cert + key, { mode: 0o600 });
  const ports = { rest: await freePort(), grpc: await freePort() };
  const host = (url: string) => url.replace('http://', '');
  const own: [string, string][] = [
    ['0.0.0.0:443', `127.0.0.1:${ports.rest}`],
    ['0.0.0.0:50051', `127.0.0.1:${ports.grpc}`],
    ['192.0.2.11:8080', host(a.http)],
    ['192.0.2.12:8080', host(b.http)],
    ['192.0.2.11:50051 proto h2 check port 8080', `${a.grpc} proto h2 check port ${new URL(a.http).port}`],
    ['192.0.2.12:50051 proto h2 check port 8080', `${b.grpc} proto h2 check port ${new URL(b.http).port}`],
  ];
  let text = readFileSync(new URL('../../../deploy/haproxy.cfg', import.meta.url), 'utf8');
  for (const [from, to] of own) {
    if (!text.includes(from)) throw new Error(`deploy/haproxy.cfg has no ${from}`);
    text = text.replace(from, to);
  }
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(config, text.replaceAll('/etc/haproxy/ramz.pem', pem));
  const haproxy = startProcess(toolPath('haproxy') ?? 'haproxy', { args: ['-db', '-f', config] });
  const rest = `https://localhost:${ports.rest}`;
  const serves = async () => {
    if (haproxy.hasEnded()) throw new Error(haproxy.output());
    return (await overTls(`${rest}/healthz`)).ok;
  };
  await until(serves, { what: 'haproxy to serve' });
  return { rest, grpc: `https://localhost:${ports.grpc}`, stop: () => haproxy.end() };
}

let number = 7_400_000;
const nextNumber = () => {
  number += 1;
  return `+21355${number}`;
};

/** Calls of the door that each process has answered. */
async function answered({ metrics }: ServerProcess, door: string): Promise<number> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('ramz_calls_total') && line.includes(`door="${door}"`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('two processes behind HAProxy', async () => {
  const servers = await Promise.all([1, 2].map(() => service.startProcess({ RAMZ_DRAIN_SECONDS: '5' })));
  const [a, b] = servers as [ServerProcess, ServerProcess];
  const balancer = await startBalancer(a, b);
  const client = serviceClient(balancer.rest, service.liveKey, overTls);
  const grpc = createClient(VerifyService, createGrpcTransport({ baseUrl: balancer.grpc, nodeOptions: { ca: cert } }));
  const headers = { authorization: `Bearer ${service.liveKey}` };

  // Both doors reach both processes, and a code sent by one is checked by the other.
  for (let round = 0; round < 10; round += 1) {
    const to = nextNumber();
    const { id } = await client.send(to);
    expect(await client.check(id, await service.sandbox.codeTo(to))).toMatchObject({ valid: true });
    const other = nextNumber();
    const sent = await grpc.send({ to: other }, { headers });
    const code = await service.sandbox.codeTo(other);
    expect(await grpc.check(checkOf({ id: sent.id, code }), { headers })).toMatchObject({
      valid: true,
    });
  }
  for (const server of servers) expect(await answered(server, 'rest')).toBeGreaterThan(0);

  // The address that is counted and logged is the caller's, whatever the caller says of itself.
  const forged = { authorization: 'Bearer ramz_live_wrong', 'x-forwarded-for': '198.51.100.7' };
  await overTls(`${balancer.rest}/v1/account`, { headers: forged });
  await until(() => servers.some((server) => /"client":"127\.0\.0\.1"/.test(server.log())), { what: 'the refusal' });
  expect(servers.map((server) => server.log()).join('')).not.toContain('198.51.100.7');

  // What operators look at is not for the world.
  for (const path of ['/metrics', '/readyz']) expect((await overTls(balancer.rest + path)).status).toBe(404);

  // One stops in order under load: no call is refused or cut.
  let stopping = true;
  const failures: string[] = [];
  let made = 0;
  const caller = async () => {
    while (stopping) {
      const answer = await client
        .call<{ id: string }>('POST', '/v1/verify/send', { to: nextNumber() })
        .catch((error: Error) => ({ status: `${error.message}: ${error.cause}` }));
      made += 1;
      if (answer.status !== 200) failures.push(String(answer.status));
    }
  };
  const callers = Array.from({ length: 8 }, caller);
  a.process.signal('SIGTERM');
  expect(await a.process.exit()).toMatchObject({ code: 0 });
  stopping = false;
  await Promise.all(callers);
  expect(failures).toEqual([]);
  expect(made).toBeGreaterThan(20);

  // Another comes up in its place, and the one that is left is killed: what it had under way is repeated by the client, with its key.
  await balancer.stop();
  const c = await service.startProcess();
  const second = await startBalancer(b, c);
  const next = serviceClient(second.rest, service.liveKey, overTls);
  const repeatedly = async (n: number) => {
    const to = nextNumber();
    const call = () =>
      next.call<{ id: string; to: string }>('POST', '/v1/verify/send', { to }, { 'idempotency-key': `k-${n}` });
    if (n === 20) b.process.signal('SIGKILL');
    return until(
      async () => {
        const answer = await call();
        if (answer.status !== 200) throw new Error(String(answer.status));
        expect(answer.body.to).toBe(to);
        return answer.body.id;
      },
      { what: `send ${n}` },
    );
  };
  const ids: string[] = [];
  for (let n = 0; n < 60; n += 4) ids.push(...(await Promise.all([0, 1, 2, 3].map((at) => repeatedly(n + at)))));
  expect(new Set(ids).size).toBe(60);
  await second.stop();
}, 180_000);
