// Kannel, an SMS gateway in C, as Debian has it: bearerbox with its queue on disk and its receipts in Postgres, and smsbox, which takes
// messages and reports receipts over HTTP.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../test/support/free-port.ts';
import { HttpClient } from '../load/http-client.ts';
import { cpuUs } from '../measure/cpu.ts';

export interface Kannel {
  /** Resolves when it has taken the message. @throws where it does not. */
  send(number: string, text: string): Promise<void>;
  /** CPU time of its two processes, µs. */
  cpuUs(): number;
  close(): Promise<void>;
}

export interface KannelOptions {
  /** Where its receipts are stored. */
  databaseUrl: string;
  smscPort: number;
  /** `?to=…` is appended, and it is called once the phone has the message. */
  reportUrl: string;
}

const programs = { bearerbox: '/usr/sbin/bearerbox', smsbox: '/usr/sbin/smsbox' };
const readyMs = 20_000;
/** dlr-mask: delivered to the phone. */
const delivered = '1';

/** Whether Debian's package `kannel` is installed (bench/apt.txt). */
export function hasKannel(): boolean {
  try {
    for (const program of Object.values(programs)) accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startKannel({ databaseUrl, smscPort, reportUrl }: KannelOptions): Promise<Kannel> {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-bench-kannel-'));
  mkdirSync(join(folder, 'spool'));
  await makeTable(databaseUrl);
  const ports = { admin: await freePort(), box: await freePort(), send: await freePort() };
  const file = join(folder, 'kannel.conf');
  writeFileSync(file, configuration({ spool: join(folder, 'spool'), databaseUrl, smscPort, ...ports }));
  const start = (program: string) => {
    // 4 = panics alone: its log would be most of its work.
    const child = spawn(program, ['-v', '4', file], { cwd: folder, stdio: 'ignore' });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  };
  const client = new HttpClient({ port: ports.send, headers: {} });
  const ask = (number: string, text: string) => {
    const query = new URLSearchParams({
      username: 'bench',
      password: 'bench',
      from: 'Ramz',
      to: number,
      text,
      'dlr-mask': delivered,
      'dlr-url': `${reportUrl}?to=%p`,
    });
    return client.get(`/cgi-bin/sendsms?${query}`);
  };
  const bearerbox = start(programs.bearerbox);
  await sleep(1_000); // smsbox gives up where bearerbox does not listen yet.
  const smsbox = start(programs.smsbox);
  const close = async () => {
    client.close();
    for (const child of [smsbox, bearerbox]) {
      if (!running.has(child)) continue;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const send = async (number: string, text: string) => {
    const { status, body } = await ask(number, text);
    if (status !== 202) throw new Error(`Kannel answered ${status}: ${body}`);
  };
  for (const until = Date.now() + readyMs; ; await sleep(100)) {
    // 503 until its two processes know each other.
    const taken = await send('+213550000000', 'ready').then(
      () => true,
      () => false,
    );
    if (taken) break;
    if (Date.now() < until) continue;
    await close();
    throw new Error('Kannel took no message');
  }
  return { send, close, cpuUs: () => cpuUs(bearerbox.pid as number) + cpuUs(smsbox.pid as number) };
}

async function makeTable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create table if not exists kannel_dlr (smsc varchar(40), ts varchar(40), source varchar(40),
      destination varchar(40), service varchar(40), url varchar(255), mask integer, status integer, boxc varchar(40))`);
    await client.query('create index if not exists kannel_dlr_ts on kannel_dlr (ts, smsc)');
  } finally {
    await client.end();
  }
}

interface Places {
  spool: string;
  databaseUrl: string;
  smscPort: number;
  admin: number;
  box: number;
  send: number;
}

function configuration({ spool, databaseUrl, smscPort, admin, box, send }: Places): string {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return `group = core
admin-port = ${admin}
admin-password = bench
admin-interface = "127.0.0.1"
smsbox-port = ${box}
smsbox-interface = "127.0.0.1"
box-allow-ip = "127.0.0.1"
box-deny-ip = "*.*.*.*"
store-type = spool
store-location = "${spool}"
dlr-storage = pgsql

group = pgsql-connection
id = receipts
host = ${hostname}
port = ${port}
username = ${username}
password = "${password}"
database = ${pathname.slice(1)}
max-connections = 10

group = dlr-db
id = receipts
table = kannel_dlr
field-smsc = smsc
field-timestamp = ts
field-source = source
field-destination = destination
field-service = service
field-url = url
field-mask = mask
field-status = status
field-boxc-id = boxc

group = smsc
smsc = smpp
smsc-id = bench
host = 127.0.0.1
port = ${smscPort}
transceiver-mode = true
smsc-username = "bench"
smsc-password = "bench"
system-type = ""
source-addr-ton = 5
source-addr-npi = 0
dest-addr-ton = 1
dest-addr-npi = 1
max-pending-submits = 200

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${send}
sendsms-interface = "127.0.0.1"

group = sendsms-user
username = bench
password = bench
`;
}
