// Kannel, an SMS gateway in C, as client of the sandbox's SMSCs: its two processes, its configuration, and the receipts it
// reports. Runs in a folder of its own, by test/apt.txt's package.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type SandboxOperatorId, sandboxProfiles } from '../../../src/sandbox/operators.ts';
import type { Smsc } from '../../../src/sandbox/smsc/smsc.ts';
import { freePort } from '../../support/free-port.ts';
import { startProcess } from '../../support/process.ts';
import { toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

/** What Kannel told of a message: its number, the id it keeps for it, and the kind of report. */
export interface Report {
  to: string;
  /** 8 = taken by the SMSC, 4 = on its way, 1 = delivered, 2 = failed, 16 = refused. */
  kind: number;
  id: string;
}

export interface Kannel {
  reports: Report[];
  /** `coding`: 0 = GSM, 2 = UCS-2. */
  send(to: string, text: string, coding: 0 | 2): Promise<void>;
}

/** How Kannel is told what each operator does; the counterpart of `settings` in the sandbox's operators.ts. */
const habits: Record<SandboxOperatorId, readonly string[]> = {
  atlas: ['msg-id-type = 0x01'],
  sahara: [],
  djurdjura: ['msg-id-type = 0x02', 'alt-charset = "ISO-8859-1"'],
};

/** Bound to all of them; belongs at the top of a test file and ends with it. */
export async function startKannel(smscs: readonly Smsc[]): Promise<Kannel> {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-kannel-'));
  const reports: Report[] = [];
  const listener = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const [to = '', kind = '', id = ''] = ['to', 'kind', 'id'].map((name) => query.get(name) ?? '');
    reports.push({ to, kind: Number(kind), id });
    response.end('ok');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const reportPort = (listener.address() as AddressInfo).port;

  // Kannel takes no port 0.
  const [adminPort, boxPort, sendPort] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, 'kannel.conf');
  writeFileSync(file, [core(adminPort, boxPort), ...smscs.flatMap(groups), box(sendPort)].join('\n\n'));
  const bearerbox = startProcess(toolPath('bearerbox') ?? 'bearerbox', { args: ['-v', '1', file], cwd: folder });
  await until(() => smscs.every(({ counts }) => counts.binds > 0), { what: 'Kannel to bind' });
  const smsbox = startProcess(toolPath('smsbox') ?? 'smsbox', { args: ['-v', '1', file], cwd: folder });
  afterAll(async () => {
    await Promise.all([smsbox.end('SIGKILL'), bearerbox.end('SIGKILL')]);
    await new Promise((resolve) => listener.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const send: Kannel['send'] = async (to, text, coding) => {
    const reportUrl = `http://127.0.0.1:${reportPort}/?to=%p&kind=%d&id=%F`;
    const query = new URLSearchParams({
      username: 'tester',
      password: 'tester',
      from: 'Ramz',
      to,
      text,
      charset: 'UTF-8',
      coding: String(coding),
      'dlr-mask': '31',
      'dlr-url': reportUrl,
    });
    // 503 until its two processes know each other.
    const taken = async () => (await fetch(`http://127.0.0.1:${sendPort}/cgi-bin/sendsms?${query}`)).status === 202;
    await until(taken, { what: 'Kannel to take the message', everyMs: 50 });
  };
  return { reports, send };
}

const group = (lines: readonly string[]): string => lines.join('\n');

const core = (adminPort: number, boxPort: number) =>
  group([
    'group = core',
    `admin-port = ${adminPort}`,
    'admin-password = tester',
    'admin-interface = "127.0.0.1"',
    `smsbox-port = ${boxPort}`,
    'smsbox-interface = "127.0.0.1"',
    'box-allow-ip = "127.0.0.1"',
    'box-deny-ip = "*.*.*.*"',
    'dlr-storage = internal',
  ]);

const box = (sendPort: number) =>
  `${group(['group = smsbox', 'bearerbox-host = 127.0.0.1', `sendsms-port = ${sendPort}`, 'sendsms-interface = "127.0.0.1"'])}\n\n${group(['group = sendsms-user', 'username = tester', 'password = tester'])}\n`;

/** A transceiver, or for Sahara a transmitter and a receiver, which Kannel wants as two groups. */
function groups({ id, port }: Smsc): string[] {
  const { systemId, password, prefixes } = sandboxProfiles[id as SandboxOperatorId];
  const common = [
    'group = smsc',
    'smsc = smpp',
    `smsc-id = ${id}`,
    'host = 127.0.0.1',
    'system-type = ""',
    `smsc-username = "${systemId}"`,
    `smsc-password = "${password}"`,
    `allowed-prefix = "${prefixes[0]}"`,
    'source-addr-ton = 5',
    'source-addr-npi = 0',
    'dest-addr-ton = 1',
    'dest-addr-npi = 1',
    'enquire-link-interval = 1',
    ...habits[id as SandboxOperatorId],
  ];
  const connections =
    id === 'sahara'
      ? [[`port = ${port}`], [`receive-port = ${port}`]]
      : [[`port = ${port}`, 'transceiver-mode = true']];
  return connections.map((connection) => group([...common, ...connection]));
}
