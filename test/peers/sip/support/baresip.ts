// baresip, a SIP phone in C: it answers, presses keys, hangs up, calls, and records what it hears. It runs in a folder of its own with
// ports of its own, is commanded over TCP, and ends with its test file.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { testFolder } from '../../../support/folder.ts';
import { startProcess } from '../../../support/process.ts';
import { toolPath } from '../../../support/tool.ts';
import { until } from '../../../support/wait.ts';

export interface BaresipOptions {
  /** User parts that it takes calls for; it answers 404 to others. */
  numbers: readonly string[];
  /** Default `auto`: it answers at once. `manual`: it rings until `answer`. `early`: it sends audio before it is answered (183). */
  answers?: 'auto' | 'manual' | 'early';
  /** In the order of preference. Default PCMA alone. */
  codecs?: readonly ('PCMA' | 'PCMU')[];
  /** Raw settings for its account lines, for example `auth_user=…`. */
  account?: readonly string[];
  /** WAV file, 16 bits, that it speaks. Default: silence. */
  speaks?: string;
  /** PEM texts, for calls over TLS. */
  certificate?: { cert: string; key: string };
  /** Default 127.0.0.1. */
  address?: string;
  /** From and to; the second one is the first one that is not used. Default: ports for a few calls, other ones for each phone. */
  rtpPorts?: readonly [number, number];
}

/** What it says of itself: CALL_INCOMING, CALL_ESTABLISHED, CALL_DTMF_START, CALL_CLOSED and others. */
export interface BaresipEvent {
  type: string;
  param?: string;
  peeruri?: string;
  direction?: 'incoming' | 'outgoing';
  id?: string;
}

export interface Baresip {
  address: string;
  /** Where it takes calls, by transport. */
  ports: { udp: number; tcp: number; tls: number };
  /** In the order they came. */
  events: readonly BaresipEvent[];
  /** Waits for the nth event of that type; default: the first. */
  event(type: string, nth?: number): Promise<BaresipEvent>;
  /** A command of its menu. @throws when it refuses. */
  command(name: string, parameters?: string): Promise<string>;
  answer(): Promise<string>;
  hangUp(): Promise<string>;
  /** Presses keys in the call, one after another (RFC 4733). */
  press(keys: string): Promise<string>;
  /**
   * WAV files of what it heard, the oldest call first; whole when the call is over. Calls that begin in the same second share one:
   * place them at different phones.
   */
  heard(): string[];
  /** Everything that it wrote. */
  output(): string;
  end(): Promise<void>;
}

/** Even numbers below the ephemeral ports; a call takes two. Test files run side by side, so each process begins elsewhere. */
let nextRtpPort = 10_000 + (process.pid % 1_000) * 20;
const RTP_PORTS_A_PHONE = 20;

/** Belongs at the top of a test file, and ends with it. */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const { address = '127.0.0.1' } = options;
  const folder = testFolder('baresip');
  mkdirSync(join(folder, 'heard'));
  writeFileSync(join(folder, 'config'), config(options, address));
  writeFileSync(join(folder, 'accounts'), accounts(options, address));
  writeFileSync(join(folder, 'contacts'), '');
  const { cert = '', key = '' } = options.certificate ?? {};
  writeFileSync(join(folder, 'certificate.pem'), `${key}${cert}`);
  const child = startProcess(toolPath('baresip') ?? 'baresip', { args: ['-f', folder, '-v'], cwd: folder });
  await child.waitFor(/baresip is ready/);
  const { udp, tcp, tls, control } = listening(child.pid);
  const remote = await openControl(control);
  const end = async () => {
    remote.socket.destroy();
    // Politely, so that its recordings are whole.
    await child.end('SIGTERM');
  };
  afterAll(end);

  const command = async (name: string, parameters?: string) => {
    const { ok, data } = await remote.ask(name, parameters);
    if (!ok) throw new Error(`baresip refuses ${name}: ${data}`);
    return data;
  };
  return {
    address,
    ports: { udp, tcp, tls },
    events: remote.events,
    event: (type, nth = 1) =>
      until(() => remote.events.filter((event) => event.type === type)[nth - 1], {
        what: `baresip to say ${type}`,
      }).catch((error) => {
        throw new Error(`${error.message}; it said ${remote.events.map((event) => event.type).join(' ')}`);
      }),
    command,
    answer: () => command('accept'),
    hangUp: () => command('hangup'),
    press: (keys) => command('sndcode', keys),
    heard: () => recordings(join(folder, 'heard')),
    output: () => child.output(),
    end,
  };
}

function config({ certificate, speaks, rtpPorts }: BaresipOptions, address: string): string {
  const [first, last] = rtpPorts ?? [nextRtpPort, nextRtpPort + RTP_PORTS_A_PHONE];
  nextRtpPort += RTP_PORTS_A_PHONE;
  return `${[
    'poll_method epoll',
    // The system gives the ports.
    `sip_listen ${address}:0`,
    'ctrl_tcp_listen 127.0.0.1:0',
    `net_interface ${address}`,
    ...(certificate ? ['sip_certificate certificate.pem'] : []),
    'call_local_timeout 120',
    'call_max_calls 200',
    'audio_player aubridge,nil',
    speaks === undefined ? 'audio_source aubridge,nil' : `audio_source aufile,${speaks}`,
    'audio_alert aubridge,nil',
    'ausrc_format s16',
    'auplay_format s16',
    'auenc_format s16',
    'audec_format s16',
    'audio_buffer 20-160',
    `rtp_ports ${first}-${last}`,
    'module_path /usr/lib/baresip/modules',
    'module g711.so',
    'module sndfile.so',
    'module aubridge.so',
    'module aufile.so',
    'module_tmp account.so',
    'module_app menu.so',
    'module_app ctrl_tcp.so',
    'snd_path heard',
  ].join('\n')}\n`;
}

function accounts(options: BaresipOptions, address: string): string {
  const { numbers, answers = 'auto', codecs = ['PCMA'], account = [] } = options;
  const settings = [
    'regint=0',
    `answermode=${answers}`,
    `audio_codecs=${codecs.map((codec) => `${codec}/8000`).join(',')}`,
    ...account,
  ].join(';');
  return numbers.map((number) => `<sip:${number}@${address}>;${settings}\n`).join('');
}

/** "dump-<time>-dec.wav" is what it decoded; its name sorts by time. */
const recordings = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('-dec.wav'))
    .toSorted()
    .map((name) => join(folder, name));

/** It does not say which ports the system gave it. It opens SIP over TCP, then over TLS, then what commands it. */
function listening(pid: number): { udp: number; tcp: number; tls: number; control: number } {
  const inodes = readdirSync(`/proc/${pid}/fd`)
    .map(Number)
    .toSorted((a, b) => a - b)
    .flatMap((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);
  const sockets = (table: string, state: string): number[] => {
    const [, ...lines] = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n');
    const ports = new Map<string, number>();
    for (const line of lines) {
      const [, local = '', , stateOf, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address, port = ''] = local.split(':');
      // One more, on any address, asks the DNS.
      if (stateOf === state && address !== '00000000') ports.set(inode, Number.parseInt(port, 16));
    }
    return inodes.flatMap((inode) => ports.get(inode) ?? []);
  };
  const [tcp = 0, tls = 0, control = 0] = sockets('tcp', '0A');
  const [udp = 0] = sockets('udp', '07');
  return { udp, tcp, tls, control };
}

interface Answer {
  ok: boolean;
  data: string;
}

interface Control {
  socket: Socket;
  events: BaresipEvent[];
  ask(command: string, parameters?: string): Promise<Answer>;
}

/** Its commands and events are JSON in netstrings: `12:{"command":…},`. */
async function openControl(port: number): Promise<Control> {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => {});
  const events: BaresipEvent[] = [];
  const answers = new Map<string, Answer>();
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let colon = rest.indexOf(':'); colon >= 0; colon = rest.indexOf(':')) {
      const end = colon + 1 + Number(rest.toString('latin1', 0, colon));
      if (rest.length < end + 1) return;
      const message = JSON.parse(rest.toString('utf8', colon + 1, end));
      rest = rest.subarray(end + 1);
      if (message.event) events.push(message);
      else answers.set(message.token, message);
    }
  });
  let asked = 0;
  const ask = (command: string, params?: string): Promise<Answer> => {
    asked += 1;
    const token = String(asked);
    const text = JSON.stringify({ command, params, token });
    socket.write(`${Buffer.byteLength(text)}:${text},`);
    return until(() => answers.get(token), { what: `baresip to answer ${command}` });
  };
  return { socket, events, ask };
}
