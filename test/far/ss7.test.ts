// The SS7 gateway (gateways/ss7) between an SMPP client of other people's making and its simulated network: every outcome that MAP knows
// comes back as a receipt, and what phones show is what was sent. Needs a JDK 17 and Maven, which download some 90 MB the first time.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, run } from '../../scripts/run.ts';
import { testFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startProcess, type TestProcess } from '../support/process.ts';
import { until } from '../support/wait.ts';

interface Pdu {
  command_status: number;
  source_addr: string;
  short_message: { message: string };
  response(): Pdu;
}

/** What of npm `smpp` a client needs; its own types know only of servers. */
interface Client {
  on(event: 'deliver_sm', heard: (pdu: Pdu) => void): void;
  send(pdu: Pdu): void;
  bind_transceiver(fields: object, answered: (pdu: Pdu) => void): void;
  submit_sm(fields: object, answered: (pdu: Pdu) => void): void;
  close(): void;
}

const { connect } = createRequire(import.meta.url)('smpp') as { connect(options: object): Client };
const gateway = join(root, 'gateways', 'ss7');
const missing = (await run('mvn', ['--version'])).code === 0 ? undefined : 'Maven is missing';

/** Last two digits of a number → what its phone, or the network before it, makes of a message. */
const outcomes: Readonly<Record<string, string>> = {
  '00': 'DELIVRD 000',
  '01': 'UNDELIV 060',
  '02': 'UNDELIV 061',
  '03': 'UNDELIV 320',
  '04': 'UNDELIV 131',
  '05': 'UNDELIV 001',
  '06': 'UNDELIV 005',
  '07': 'UNDELIV 009',
  '08': 'REJECTD 021',
  '09': 'UNDELIV 034',
  '10': 'UNKNOWN 900',
  '12': 'DELIVRD 000',
};

describe.skipIf(missing !== undefined)(`the SS7 gateway${missing === undefined ? '' : ` (${missing})`}`, () => {
  let network: TestProcess;
  let own: TestProcess;
  let session: Client;
  const receipts: string[] = [];

  beforeAll(async () => {
    execFileSync('mvn', ['-q', '-B', 'package'], { cwd: gateway, stdio: 'inherit', timeout: 5 * 60_000 });
    const folder = testFolder('ss7');
    const [near, far] = [await freePort(), await freePort()];
    const side = (role: string, own: number, [local, remote]: readonly number[], title: string) => ({
      smpp: { port: 0, system_id: 'ramz', password: 'secret' },
      http: { port: 0 },
      m3ua: {
        ...{ transport: 'tcp', role, point_code: own, routing_context: 101 },
        associations: [
          {
            ...{ name: 'a', local_host: '127.0.0.1', local_port: local },
            ...{ remote_host: '127.0.0.1', remote_port: remote, point_code: 3 - own },
          },
        ],
      },
      sccp: { global_title: title, routes: [{ prefix: '', point_code: 3 - own }] },
      map: { service_centre: title, forward_timeout_seconds: 4, retry_seconds: 1 },
    });
    const write = (name: string, settings: object) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify(settings));
      return path;
    };
    const libraries = readdirSync(join(gateway, 'target', 'lib')).map((name) => join(gateway, 'target', 'lib', name));
    const java = (program: string, settings: string) =>
      startProcess('java', {
        args: ['-cp', [join(gateway, 'target', 'classes'), ...libraries].join(delimiter), program, settings],
      });
    network = java('ramz.ss7.sandbox.Main', write('net.json', side('ipsp_server', 2, [far, near], '213600000001')));
    await network.waitFor(/ready/, 60_000);
    own = java('ramz.ss7.Main', write('gw.json', side('ipsp_client', 1, [near, far], '213550000002')));
    const [, smpp = '', http = ''] = await own.waitFor(/ready smpp=(\d+) http=(\d+)/, 60_000);
    const isUp = async () => (await fetch(`http://127.0.0.1:${http}/healthz`)).ok;
    await until(isUp, { what: 'the association', timeoutMs: 60_000 });
    session = connect({ url: `smpp://127.0.0.1:${smpp}` });
    session.on('deliver_sm', (pdu) => {
      session.send(pdu.response());
      const { source_addr, short_message } = pdu;
      const [, stat, err] = /stat:(\w+) err:(\w+)/.exec(short_message.message) ?? [];
      receipts.push(`${source_addr.slice(-2)} ${stat} ${err}`);
    });
    const bound = await new Promise<Pdu>((done) => {
      session.bind_transceiver({ system_id: 'ramz', password: 'secret' }, done);
    });
    expect(bound.command_status).toBe(0);
  }, 6 * 60_000);

  afterAll(async () => {
    session.close();
    await own.end();
    await network.end();
  });

  const submit = (to: string, message: object) =>
    new Promise<Pdu>((done) => {
      const from = { source_addr: 'Ramz', source_addr_ton: 5 };
      session.submit_sm({ ...from, destination_addr: to, dest_addr_ton: 1, registered_delivery: 1, ...message }, done);
    });

  test('each outcome is told by its receipt', async () => {
    for (const ending of Object.keys(outcomes)) {
      const answer = await submit(`2135512345${ending}`, { short_message: `Your code is 123456, ${ending}` });
      expect(answer.command_status).toBe(0);
    }
    await until(() => receipts.length === Object.keys(outcomes).length, { what: 'the receipts', timeoutMs: 30_000 });
    const expected = Object.entries(outcomes).map(([ending, outcome]) => `${ending} ${outcome}`);
    expect(receipts.splice(0).toSorted()).toEqual(expected.toSorted());
    expect(network.output()).toContain('Your code is 123456, 00');
  });

  test('a phone that comes back is said to, and gets its message', async () => {
    await submit('213551234511', { short_message: 'Your code is 654321' });
    await until(() => receipts.length === 3, { what: 'three receipts', timeoutMs: 30_000 });
    expect(receipts.splice(0)).toEqual(['11 UNDELIV 060', '11 ENROUTE 000', '11 DELIVRD 000']);
    expect(network.output()).toContain('Your code is 654321');
  });

  test('Arabic arrives as it was written, a long text in parts', async () => {
    await submit('213551234570', { data_coding: 8, short_message: 'رمزك هو 123456' });
    await submit('213551234571', { message_payload: 'a long text '.repeat(20) });
    await until(() => receipts.length === 2, { what: 'both receipts', timeoutMs: 30_000 });
    expect(receipts.splice(0).toSorted()).toEqual(['70 DELIVRD 000', '71 DELIVRD 000']);
    expect(network.output()).toContain('رمزك هو 123456');
    expect(network.output().match(/"to":"213551234571"/g)).toHaveLength(2);
  });
});
