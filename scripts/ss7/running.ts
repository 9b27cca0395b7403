// The SS7 gateway and its simulated network as running programs, joined over TCP: for `npm run ss7` and the bench.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { javaArguments, joinedSettings } from './gateway.ts';

/** For both programs to start and the association to come up, and for whatever else is waited for. */
const patienceMs = 60_000;
const lookMs = 500;

export interface RunningGateway {
  smppPort: number;
  gatewayPid: number;
  networkPid: number;
}

export interface StartGateway {
  /** Ends both, and takes their files away. */
  stops: AsyncDisposableStack;
  /** Of the SMPP account. */
  password: string;
  /** Settings of the gateway's `map` beside the address. */
  map?: Record<string, number>;
  /** Called where one of them has ended. */
  ends?(why: string): void;
  /** Called with each line that the network writes; without it nobody reads them. */
  onLine?(line: string): void;
}

/** Starts both. Null where their association does not come up. @throws where one ends before it is ready */
export async function startGateway(wanted: StartGateway): Promise<RunningGateway | null> {
  const { stops, password, map = {}, ends = () => {}, onLine } = wanted;
  const folder = mkdtempSync(join(tmpdir(), 'ramz-ss7-'));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  stops.defer(clear);
  const [near, far] = await Promise.all([freePort(), freePort()]);
  const link = { gateway: { local: near, remote: far }, network: { local: far, remote: near } };
  const settings = joinedSettings({ smppPort: 0, password, links: [link], map });
  const start = (name: keyof typeof settings, reads: boolean) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(settings[name]), { mode: 0o600 });
    const program = name === 'gateway' ? 'ramz.ss7.Main' : 'ramz.ss7.sandbox.Main';
    // What the libraries write goes with the folder.
    const args = [`-Djava.io.tmpdir=${folder}`, ...javaArguments(program, path)];
    const child = spawn('java', args, { stdio: ['ignore', reads ? 'pipe' : 'ignore', 'inherit'], detached: true });
    const exited = new Promise<void>((done) => child.once('close', () => done()));
    // Where this script fails.
    process.once('exit', () => {
      child.kill();
      clear();
    });
    void exited.then(() => ends(`${program} has ended`));
    stops.defer(async () => {
      child.kill('SIGTERM');
      await exited;
    });
    return child;
  };
  const network = start('network', onLine !== undefined);
  if (onLine) await readyLine(network, /^ready$/, onLine);
  const gateway = start('gateway', true);
  const [, smppPort, http] = await readyLine(gateway, /^ready smpp=(\d+) http=(\d+)$/);
  if (!(await comes(() => fetch(`http://127.0.0.1:${http}/healthz`).then(({ ok }) => ok)))) return null;
  return { smppPort: Number(smppPort), gatewayPid: gateway.pid as number, networkPid: network.pid as number };
}

/** Resolves with the line that says that it is ready; all others, before and after, go to `onLine`. @throws where it ends before */
function readyLine(child: ChildProcess, ready: RegExp, onLine: (line: string) => void = () => {}) {
  return new Promise<RegExpMatchArray>((found, fails) => {
    child.once('close', () => fails(new Error('a program of the SS7 gateway has ended before it was ready')));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const match = ready.exec(line);
      if (match) found(match);
      else onLine(line);
    });
  });
}

/** Whether the condition comes true within a minute; a look that fails counts as no. */
export async function comes(condition: () => Promise<boolean>): Promise<boolean> {
  for (const giveUpAt = Date.now() + patienceMs; Date.now() < giveUpAt; await pause(lookMs))
    if (await condition().catch(() => false)) return true;
  return false;
}
