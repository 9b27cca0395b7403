// What holds of two processes behind a balancer as deploy/ configures it: calls of both ports reach both of them, the caller's address is the
// caller's, no log names a phone, a watch comes as it happens, what a stranger sends takes none of them out, one that stops in order costs no call
// where the balancer asks for readiness, and one that is killed costs only the calls it had.
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { expect } from 'vitest';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { checkOf } from '../../support/checks.ts';
import { signatureOf } from '../../support/graph.ts';
import type { ServerProcess } from '../../support/service.ts';
import { type Client, serviceClient } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';
import { type Balancer, ca, overTls, type Program, service, startBalancer } from './balancer.ts';

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

export async function tellStory(program: Program): Promise<void> {
  const start = () => service.startProcess({ RAMZ_DRAIN_SECONDS: '5' });
  const [a, b] = await Promise.all([start(), start()]);
  const balancer = await startBalancer(program, a, b);
  const client = serviceClient(balancer.rest, service.liveKey, overTls);
  await bothDoorsReachBoth(balancer, client, [a, b]);
  await longHeaders(balancer);
  await cutCalls(balancer);
  await longCallback(balancer);
  await callersAddress(balancer, [a, b]);
  await watchAsItHappens(balancer, client);
  await logsNameNobody(balancer, program, ['DELETE /v1/numbers/\\* .* 200 ']);
  if (program.asksReadiness) await oneStops(client, a);
  else await oneEnds(client, a, 'SIGTERM');
  // Faults are logged, too: that of a call which was sent to the one that has gone before it was sent to the other, and of an erasure, which is
  // not sent to the other.
  await logsNameNobody(balancer, program, ['GET /v1/verify/sessions .* 502, 200 ', 'DELETE /v1/numbers/\\* .* 502 ']);
  await balancer.stop();
  // Another comes up in its place, and the one that is left is killed.
  const c = await service.startProcess();
  const second = await startBalancer(program, b, c);
  await oneEnds(serviceClient(second.rest, service.liveKey, overTls), b, 'SIGKILL');
  for (let n = 0; n < 4; n += 1) await sendOver(grpcOf(second));
  await second.stop();
}

const grpcOf = ({ grpc: baseUrl }: Balancer) =>
  createClient(VerifyService, createGrpcTransport({ baseUrl, nodeOptions: { ca } }));

async function sendOver(grpc: ReturnType<typeof grpcOf>) {
  const headers = { authorization: `Bearer ${service.liveKey}` };
  expect(await grpc.send({ to: nextNumber() }, { headers })).toMatchObject({ status: 'pending' });
}

/** A code that is sent by one is checked by the other. */
async function bothDoorsReachBoth(balancer: Balancer, client: Client, servers: ServerProcess[]) {
  const { rest } = balancer;
  const grpc = grpcOf(balancer);
  const headers = { authorization: `Bearer ${service.liveKey}` };
  for (let round = 0; round < 10; round += 1) {
    const to = nextNumber();
    const { id } = await client.send(to);
    expect(await client.check(id, await service.sandbox.codeTo(to))).toMatchObject({ valid: true });
    const other = nextNumber();
    const sent = await grpc.send({ to: other }, { headers });
    const code = await service.sandbox.codeTo(other);
    expect(await grpc.check(checkOf({ id: sent.id, code }), { headers })).toMatchObject({ valid: true });
  }
  for (const door of ['rest', 'grpc'])
    for (const server of servers) expect(await answered(server, door), door).toBeGreaterThan(0);
  // What operators look at is not for the world.
  for (const path of ['/metrics', '/readyz']) expect((await overTls(rest + path)).status).toBe(404);
}

/** A request that no process reads is refused, and takes none out: nginx sends it on connections that have carried calls. */
async function longHeaders({ rest }: Balancer) {
  const headers = Object.fromEntries(['x-a', 'x-b', 'x-c'].map((name) => [name, 'a'.repeat(7_000)]));
  const status = await overTls(`${rest}/healthz`, { headers }).then(
    (response) => response.status,
    () => 'cut', // HAProxy has no room for so many, and refuses them itself.
  );
  expect([400, 'cut']).toContain(status);
  expect((await overTls(`${rest}/healthz`)).status).toBe(200);
}

/** What a process cuts before any key is asked for takes none out, either: a connection whose body is still coming, and a call of HTTP/2. */
async function cutCalls(balancer: Balancer) {
  const { rest } = balancer;
  const body = 'a'.repeat(900_000);
  for (let n = 0; n < 4; n += 1) await overTls(`${rest}/healthz`, { method: 'FOO', body }).catch(() => {});
  expect((await overTls(`${rest}/healthz`)).status).toBe(200);
  const grpc = grpcOf(balancer);
  // More fields than Node takes (128): RST_STREAM.
  const many = Object.fromEntries(Array.from({ length: 140 }, (_, n) => [`x-${n}`, 'a']));
  for (let n = 0; n < 2; n += 1) await expect(grpc.send({ to: nextNumber() }, { headers: many })).rejects.toThrow();
  await sendOver(grpc);
}

/** As long as the messaging platform's may be, to the octet. The platform brings one that is refused again for a week. */
async function longCallback({ rest }: Balancer) {
  const post = async (length: number) => {
    const body = '{"object":"whatsapp_business_account","entry":[]}'.padEnd(length);
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(body) };
    return (await overTls(`${rest}/v1/callbacks/messaging`, { method: 'POST', headers, body })).status;
  };
  expect(await post(3 * 1024 * 1024)).toBe(200);
}

/** Paths and queries have numbers in them, an erasure's among others, and the way back to the signup page its secrets. */
async function logsNameNobody({ rest, logs }: Balancer, { logs: has }: Program, lines: string[]) {
  const digits = '551749999';
  const numbers = [`+213${digits}`, `%2B213${digits}`, `%2b213${digits}`, `0${digits}`, `%252B213${digits}`];
  const [state, code] = ['state-of-a-signup-12345', 'code-of-a-business-12345'];
  const calls = numbers.flatMap((number): [method: string, path: string][] => [
    ['DELETE', `/v1/numbers/${number}`],
    ['POST', `/v1/admin/numbers/${number}/erase`],
    ['GET', `/v1/verify/sessions?to=${number}`],
    // By mistake, where an id belongs.
    ['GET', `/v1/verify/sessions/${number}`],
    ['POST', `/v1/admin/accounts/${number}/unlock`],
  ]);
  calls.push(['DELETE', `/v1/numbers/tel:${[...digits].map((digit) => `%3${digit}`).join('')}`]);
  calls.push(['GET', `/connect/messaging?state=${state}&code=${code}`]);
  const headers = { authorization: `Bearer ${service.liveKey}`, referer: `${rest}/?state=${state}` };
  const call = async (method: string, path: string) => (await overTls(rest + path, { method, headers })).text();
  for (const [method, path] of calls) await call(method, path);
  if (has !== undefined) {
    const areLogged = async () => {
      await call('DELETE', `/v1/numbers/${numbers[0]}`);
      await call('GET', `/v1/verify/sessions?to=${numbers[1]}`);
      return lines.every((line) => new RegExp(line).test(logs()));
    };
    await until(areLogged, { what: `lines of calls: ${lines}` });
  }
  for (const secret of [digits, state, code]) expect(logs()).not.toContain(secret);
}

/** The address that is counted and logged is the caller's, whatever the caller says of itself. */
async function callersAddress(balancer: Balancer, servers: ServerProcess[]) {
  const forged = { authorization: 'Bearer ramz_live_wrong', 'x-forwarded-for': '198.51.100.7' };
  await overTls(`${balancer.rest}/v1/account`, { headers: forged });
  await grpcOf(balancer)
    .send({ to: nextNumber() }, { headers: forged })
    .catch(() => {});
  const logs = () => servers.map((server) => server.log()).join('');
  for (const door of ['rest', 'grpc'])
    await until(
      () =>
        logs()
          .split('\n')
          .some((line) => line.includes('"client":"127.0.0.1"') && line.includes(`"door":"${door}"`)),
      {
        what: `the refusal (${door})`,
      },
    );
  expect(logs()).not.toContain('198.51.100.7');
}

/** Each state comes when it is there, also to a client that would take it compressed. */
async function watchAsItHappens({ rest, grpc: baseUrl }: Balancer, client: Client) {
  const to = nextNumber();
  const { id } = await client.send(to);
  const authorization = `Bearer ${service.liveKey}`;
  const response = await overTls(`${rest}/v1/verify/sessions/${id}/events`, {
    headers: { authorization, 'accept-encoding': 'gzip' },
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let events = '';
  const next = async (wanted: string) => {
    while (!events.includes(wanted)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended without ${wanted}`);
      events += Buffer.from(value).toString();
    }
  };
  const nodeOptions = { ca };
  const web = { baseUrl: rest, httpVersion: '1.1', useBinaryFormat: true, nodeOptions } as const;
  const transports = [
    createGrpcTransport({ baseUrl, nodeOptions }),
    createConnectTransport(web),
    createGrpcWebTransport(web),
  ];
  const watches = transports.map((transport) =>
    createClient(VerifyService, transport).watchSession({ id }, { headers: { authorization } })[Symbol.asyncIterator](),
  );
  await next('"status":"pending"');
  for (const states of watches) expect((await states.next()).value?.session?.status).toBe('pending');
  expect(await client.check(id, await service.sandbox.codeTo(to))).toMatchObject({ valid: true });
  await next('"status":"verified"');
  await next('event: end');
  for (const states of watches) {
    let last = '';
    for (let state = await states.next(); !state.done; state = await states.next())
      last = state.value.session?.status ?? '';
    expect(last).toBe('verified');
  }
}

/** Under load: no call is refused or cut. */
async function oneStops(client: Client, stopped: ServerProcess) {
  let stopping = true;
  const failures: string[] = [];
  let made = 0;
  const caller = async () => {
    while (stopping) {
      const answer = await client
        .call<{ id: string }>('POST', '/v1/verify/send', { to: nextNumber() })
        .catch((error: Error) => ({ status: `${error.message}: ${error.cause}` }));
      made += 1;
      if (answer.status === 200) continue;
      failures.push(String(answer.status));
      return;
    }
  };
  const callers = Array.from({ length: 8 }, caller);
  stopped.process.signal('SIGTERM');
  expect(await stopped.process.exit()).toMatchObject({ code: 0 });
  stopping = false;
  await Promise.all(callers);
  expect(failures).toEqual([]);
  expect(made).toBeGreaterThan(20);
}

/** What it had under way is repeated by the client, with its key. */
async function oneEnds(client: Client, ended: ServerProcess, signal: 'SIGTERM' | 'SIGKILL') {
  const repeatedly = async (n: number) => {
    const to = nextNumber();
    const call = () =>
      client.call<{ id: string; to: string }>(
        'POST',
        '/v1/verify/send',
        { to },
        { 'idempotency-key': `${signal}-${n}` },
      );
    if (n === 20) ended.process.signal(signal);
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
  expect(await ended.process.exit()).toMatchObject(signal === 'SIGTERM' ? { code: 0 } : { signal });
}
