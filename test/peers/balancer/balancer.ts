// A balancer with its file of deploy/, changed as its reader has to, before two processes of the service.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../support/certificate.ts';
import { fetchOver } from '../../support/few-connections.ts';
import { testFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { appSecret, graphServer } from '../../support/graph.ts';
import type { TestProcess } from '../../support/process.ts';
import { type ServerProcess, testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const messaging = {
  graph_base_url: (await graphServer()).url,
  phone_number_id: '106540352242922',
  access_token: 'token',
  app_secret: appSecret,
  verify_token: 'verify',
  template: { name: 'login_code' },
  tariff: [{ version: '1', valid_from: '2026-01-01T00:00:00Z', currency: 'DZD', amount: '1.20', charged: 'delivery' }],
};
export const service = await testService({
  config: { trusted_proxies: ['127.0.0.1'], messaging },
  errorsExpected: true,
});
const { cert, key } = selfSigned();
/** The certificate of the balancer, which is its own CA. */
export const ca = cert;
export const overTls = fetchOver({ connect: { ca } });

/** A program that balances. */
export interface Program {
  /** In deploy/. */
  file: string;
  /** Where the file looks for `ramz.pem` and `ramz.key`. */
  secrets: string;
  /** Where the file has its logs, if it has any. */
  logs?: string;
  /** What its reader changes beside addresses and that folder, and to what, where the REST ports of the processes are these. */
  changes?(restPorts: { a: string; b: string }): [string, string][];
  /** Starts it with the changed file. */
  start(config: string, folder: string): TestProcess;
  /** Whether it asks each process if it is ready, and so knows of a stop before it is refused. */
  asksReadiness: boolean;
}

export interface Balancer {
  /** `https://localhost:…` */
  rest: string;
  grpc: string;
  /** All that it has written so far. */
  logs(): string;
  stop(): Promise<unknown>;
}

/** Where a process listens, as far as a balancer knows it. */
export type Backend = Pick<ServerProcess, 'http' | 'grpc'>;

const portOf = (address: string): string => address.split(':')[1] ?? '';
const addressesOf = ({ http, grpc }: Backend) => ({ rest: http.replace('http://', ''), grpc });

export async function startBalancer(program: Program, a: Backend, b: Backend): Promise<Balancer> {
  const folder = testFolder('balancer');
  writeFileSync(join(folder, 'ramz.pem'), cert + key, { mode: 0o600 });
  writeFileSync(join(folder, 'ramz.key'), key, { mode: 0o600 });
  const [rest, grpc] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  let text = readFileSync(new URL(`../../../deploy/${program.file}`, import.meta.url), 'utf8');
  const [one, other] = [addressesOf(a), addressesOf(b)];
  const changes: [string, string][] = [
    ...(program.changes?.({ a: portOf(one.rest), b: portOf(other.rest) }) ?? []),
    ['0.0.0.0:443', rest],
    ['0.0.0.0:50051', grpc],
    ['192.0.2.11:8080', one.rest],
    ['192.0.2.12:8080', other.rest],
    ['192.0.2.11:50051', one.grpc],
    ['192.0.2.12:50051', other.grpc],
    [program.secrets, folder],
    ...(program.logs === undefined ? [] : [[program.logs, folder] satisfies [string, string]]),
  ];
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`deploy/${program.file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  const config = join(folder, program.file);
  writeFileSync(config, text);
  const balancer = program.start(config, folder);
  const url = (address: string) => `https://localhost:${portOf(address)}`;
  const serves = async () => {
    if (balancer.hasEnded()) throw new Error(balancer.output());
    return (await overTls(`${url(rest)}/healthz`)).ok;
  };
  await until(serves, { what: `${program.file} to serve` });
  const logs = () => {
    const files = globSync('*.log', { cwd: folder }).map((name) => readFileSync(join(folder, name), 'utf8'));
    return [balancer.output(), ...files].join('\n');
  };
  return { rest: url(rest), grpc: url(grpc), logs, stop: () => balancer.end() };
}
