// The media thread: its sockets, its clock, and the commands of the main thread. A stall of the main thread is not heard on the phone,
// because everything between a command and the network is here.

import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { MediaTarget } from '../../../sip/index.ts';
import type { Banks, Clip } from '../clip.ts';
import { type ClockMember, FrameClock } from './clock.ts';
import { Figures } from './figures.ts';
import { PortPairs, type PortRange } from './ports.ts';
import { Session, type SessionEvent } from './session.ts';
import type { Address } from './source.ts';

export interface WorkerData {
  address: string;
  ports: PortRange;
  /** Over shared memory. */
  banks: Banks;
  mediaLostMs: number;
  figures: SharedArrayBuffer;
}

export type Command =
  /** `serial` tells two calls of one id apart. */
  | { kind: 'open'; callId: string; serial: number; language: string }
  | { kind: 'connect'; callId: string; target: MediaTarget }
  | { kind: 'say'; callId: string; clips: readonly Clip[]; token: number }
  | { kind: 'finish_phrase' | 'close'; callId: string }
  | { kind: 'stop' };

export type Report =
  /** Null: no port pair is free. */
  | { kind: 'opened'; serial: number; port: number | null }
  | { kind: 'event'; callId: string; serial: number; event: SessionEvent };

interface Call extends ClockMember {
  session: Session;
  sockets: readonly Socket[];
  port: number;
}

const data: WorkerData = workerData;
const post = (report: Report): void => parentPort?.postMessage(report);
const now = (): number => performance.now();
const figures = new Figures(data.figures);
const pairs = new PortPairs(data.ports);
const clock = new FrameClock(now);
const calls = new Map<string, Call>();
/** Calls whose ports are being bound → their serial. */
const opening = new Map<string, number>();
let timer: NodeJS.Timeout | undefined;

const family = isIPv6(data.address) ? 6 : 4;
const socketOptions: SocketOptions = {
  type: `udp${family}`,
  // All addresses are numeric; without it, Node would defer each packet to look its address up.
  lookup: (address, _, done) => done(null, address, family),
};

/** Null: the port is taken by another program. */
function bind(port: number): Promise<Socket | null> {
  const socket = createSocket(socketOptions);
  return new Promise((resolve) => {
    socket.once('error', () => {
      socket.close();
      resolve(null);
    });
    socket.bind({ address: data.address, port, exclusive: true }, () => {
      socket.removeAllListeners('error').on('error', () => figures.add('refused'));
      resolve(socket);
    });
  });
}

/** Pairs that are tried for one call. Others of the range may be another program's; a call without a port asks again, and goes on behind them. */
const mostTries = 32;

/** Each pair is tried in a turn of its own: what fails fails at once, and one try after the other kept the frames of all calls waiting. */
async function bindPair(): Promise<{ port: number; sockets: Socket[] } | null> {
  for (let tries = Math.min(pairs.free, mostTries); tries > 0; tries -= 1) {
    const port = pairs.take();
    if (port === null) return null;
    const bound = await Promise.all([bind(port), bind(port + 1)]);
    const sockets = bound.filter((socket) => socket !== null);
    if (sockets.length === 2) return { port, sockets };
    for (const socket of sockets) socket.close();
    pairs.giveBack(port);
    await nextTurn();
  }
  return null;
}

async function open({ callId, serial, language }: Extract<Command, { kind: 'open' }>): Promise<void> {
  opening.set(callId, serial);
  const pair = await bindPair();
  const isWanted = opening.get(callId) === serial;
  if (isWanted) opening.delete(callId);
  if (pair === null) return post({ kind: 'opened', serial, port: null });
  if (!isWanted) return release(pair);
  const [rtp, rtcp] = pair.sockets as [Socket, Socket];
  const session: Session = new Session({
    bank: data.banks.get(language) ?? new Map(),
    mediaLostMs: data.mediaLostMs,
    random: randomBytes,
    date: Date.now,
    now,
    send: (packet, to) => send(rtp, packet, to),
    sendReport: (packet, to) => send(rtcp, packet, to),
    onEvent: (event) => post({ kind: 'event', callId, serial, event }),
  });
  rtp.on('message', (octets: Buffer, from: RemoteInfo) => {
    figures.add('received');
    const what = session.rtp(octets, from, now());
    if (what === 'stranger') figures.add('strangers');
    if (what === 'malformed') figures.add('malformed');
  });
  rtcp.on('message', (octets: Buffer, from: RemoteInfo) => session.rtcp(octets, from, now()));
  let sentAt: number | null = null;
  calls.set(callId, {
    session,
    ...pair,
    frame(at, dueAt) {
      if (!session.frame(at)) return;
      figures.sent(at - dueAt, at - (sentAt ?? at));
      sentAt = at;
    },
    skip: (frames) => session.skip(frames),
  });
  post({ kind: 'opened', serial, port: pair.port });
}

function connect(call: Call, target: MediaTarget): void {
  call.session.connect(target);
  clock.join(call);
  schedule();
}

/** One timer for all calls. */
function schedule(): void {
  clearTimeout(timer);
  const at = clock.nextAt();
  if (at !== null) timer = setTimeout(tick, Math.max(1, Math.ceil(at - now())));
}

function tick(): void {
  clock.run();
  schedule();
}

/** A socket of a family that the address has not refuses it, as a network that is down does: the call goes on without the packet. */
function send(socket: Socket, packet: Buffer, to: Address): void {
  try {
    socket.send(packet, to.port, to.address);
  } catch {
    figures.add('refused');
  }
}

function close(callId: string): void {
  opening.delete(callId);
  const call = calls.get(callId);
  if (call === undefined) return;
  calls.delete(callId);
  clock.leave(call);
  call.session.close();
  release(call);
}

function release({ sockets, port }: { sockets: readonly Socket[]; port: number }): void {
  let left = sockets.length;
  for (const socket of sockets)
    socket.close(() => {
      left -= 1;
      if (left === 0) pairs.giveBack(port);
    });
}

function obey(command: Command): void {
  if (command.kind === 'open') void open(command);
  else if (command.kind === 'stop') stop();
  else if (command.kind === 'close') close(command.callId);
  else speak(calls.get(command.callId), command);
}

function speak(call: Call | undefined, command: Exclude<Command, { kind: 'open' | 'stop' }>): void {
  if (call === undefined) return;
  if (command.kind === 'connect') connect(call, command.target);
  else if (command.kind === 'say') call.session.say(command.clips, command.token);
  else if (command.kind === 'finish_phrase') call.session.finishPhrase();
}

/** The thread ends when its last socket is closed. */
function stop(): void {
  for (const callId of calls.keys()) close(callId);
  opening.clear();
  clearTimeout(timer);
  parentPort?.close();
}

parentPort?.on('message', obey);
