// The peer port: where other processes of this deployment reach this one, and this one them. A pair of processes has one long-lived
// connection (TLS 1.2 with a pre-shared key), which the younger process makes. Everything done over it can be done without it, so a peer that is
// a stranger, of another release, or out of reach is simply not asked.

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import type { KeyRing } from '../core/secrets/key-ring.ts';
import { type Alarm, alarm } from '../time/alarm.ts';
import { onDemand } from '../time/on-demand.ts';
import type { Asked, AskOptions } from './asked.ts';
import { type CloseReason, Connection } from './connection.ts';
import { leaveAll } from './leaving.ts';
import { cipher, offeredSecrets, type PeerSecret, secretOf } from './secret.ts';

export interface PeerPortOptions {
  /** The address that is listened to, and that other processes are given. */
  host: string;
  /** 0 = any free one. */
  port: number;
  processId: string;
  ring: KeyRing;
  /** The names of everything that is said over the port: processes that differ in it do not talk. */
  dialect: string;
  work(body: string): Promise<string>;
  /** How long a question may stay untaken, ms. Default 100. */
  takenMs?: number;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** A process that has a peer port. */
export interface PeerAddress {
  processId: string;
  /** `host:port`. */
  address: string;
}

interface Greeting {
  protocol: number;
  dialect: string;
  from: string;
  to: string | null;
}

/** Raised with every change of the frames or of what they mean. */
const protocol = 2;
const greetMs = 2_000;
const tickMs = 1_000;
const firstRedialMs = 100;
const maxRedialMs = 2_000;
/** Those who have no key hold a socket until `greetMs` are over. */
const maxCallers = 256;

const psk = {
  ciphers: cipher,
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

export class PeerPort {
  readonly #options: PeerPortOptions;
  readonly #server: tls.Server;
  readonly #connections = new Map<string, Connection>();
  readonly #dialling = new Map<string, { stop(): Promise<void> }>();
  /** The sockets of all who called. */
  readonly #sockets = new Set<Socket>();
  /** Peers whose refusal was logged: once, and again after they have been talked to. */
  readonly #refused = new Set<string>();
  #ticking: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: PeerPortOptions) {
    this.#options = options;
    this.#server = tls.createServer({
      ...psk,
      handshakeTimeout: greetMs,
      pskCallback: (_socket, identity) => secretOf(options.ring, identity),
    });
    this.#server.maxConnections = maxCallers;
    this.#server.on('connection', (socket: Socket) => {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('secureConnection', (socket) => this.#talk(socket, null));
    // Strangers; unheard, an error of a socket would end the process.
    this.#server.on('tlsClientError', (error, socket) => {
      this.#refuse('a caller', (error as NodeJS.ErrnoException).code ?? 'tls');
      socket.destroy();
    });
  }

  /** Resolves with the port once it is open. @throws when it is taken. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#ticking = setInterval(() => {
      for (const connection of this.#connections.values()) connection.tick();
    }, tickMs);
    this.#ticking.unref();
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * The processes that live now: calls those that are older, leaves those that are no longer among them. One that ends is among them no longer, and
   * may still wait for an answer: what it has asked is answered first.
   */
  meet(peers: readonly PeerAddress[]): void {
    const { processId: own } = this.#options;
    const live = new Map(peers.filter(({ processId }) => processId !== own).map((peer) => [peer.processId, peer]));
    for (const [processId, dialling] of this.#dialling) {
      if (live.has(processId)) continue;
      this.#dialling.delete(processId);
      void dialling.stop();
    }
    for (const [processId, connection] of this.#connections) if (!live.has(processId)) void connection.leave();
    for (const [processId, peer] of live) {
      // Ids sort by time. One of the two calls, or each pair would have two connections.
      if (processId < own && !this.#dialling.has(processId)) this.#dialling.set(processId, this.#dial(peer));
    }
  }

  /** Processes whose lease has ended: where one is not heard either, nothing waits for it any longer. */
  giveUp(processIds: readonly string[]): void {
    for (const processId of processIds) this.#connections.get(processId)?.giveUp();
  }

  ask(processId: string, body: string, options?: AskOptions): Promise<Asked> {
    const connection = this.#connections.get(processId);
    return connection ? connection.ask(body, options) : Promise.resolve({ kind: 'direct', why: 'no_peer' });
  }

  /** Processes that would be asked now. */
  get reachable(): string[] {
    return [...this.#connections].filter(([, { isHeard }]) => isHeard).map(([processId]) => processId);
  }

  /** Answers what others have asked by now, for half a second, then closes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await leaveAll(this.#connections.values());
    if (this.#ticking) clearInterval(this.#ticking);
    const dialling = [...this.#dialling.values()].map((each) => each.stop());
    for (const connection of this.#connections.values()) connection.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) {
      this.#server.close();
      await once(this.#server, 'close');
    }
    await Promise.all(dialling);
  }

  /** Calls a process until it is no longer alive: again whenever the connection is lost, with the ring's next key where one fails. */
  #dial({ processId, address }: PeerAddress): { stop(): Promise<void> } {
    const stopping = new AbortController();
    let tries = 0;
    let pauseMs = firstRedialMs;
    const dialling = onDemand({
      distanceMs: firstRedialMs / 2,
      run: async () => {
        if (this.#connections.has(processId)) {
          pauseMs = firstRedialMs;
        } else {
          // Of the ring as it is now: a process lives longer than a key.
          const secrets = offeredSecrets(this.#options.ring);
          const secret = secrets[tries % secrets.length] as PeerSecret;
          tries += 1;
          const lasted = await this.#call(processId, address, secret, stopping.signal);
          pauseMs = lasted ? firstRedialMs : Math.min(pauseMs * 2, maxRedialMs);
          // The next try begins with the key that worked.
          if (lasted) tries -= 1;
        }
        return pauseMs * (0.5 + Math.random() / 2);
      },
      onError: () => {},
    });
    return {
      stop: () => {
        stopping.abort();
        return dialling.stop();
      },
    };
  }

  /** Resolves when the connection is over: true where it came about. */
  async #call(processId: string, address: string, { identity, psk: key }: PeerSecret, signal: AbortSignal) {
    const place = splitAddress(address);
    if (!place) {
      this.#refuse(processId, 'not an address', address);
      return false;
    }
    const socket = tls.connect({
      ...psk,
      ...place,
      pskCallback: () => ({ identity, psk: key }),
      // The key proves who it is; there is no certificate to look into.
      checkServerIdentity: () => undefined,
    });
    socket.setNoDelay(true);
    const hangUp = () => {
      if (!this.#connections.has(processId)) socket.destroy();
    };
    signal.addEventListener('abort', hangUp);
    const limit = alarm(hangUp, greetMs, { ref: false });
    // A socket that is destroyed without an error says no more than this: hung up on, or a peer that stands still.
    const over = new Promise<never>((_, reject) => socket.once('close', () => reject(new Error('closed'))));
    let isMet = false;
    try {
      await Promise.race([once(socket, 'secureConnect'), over]);
      limit.clear();
      isMet = await this.#talk(socket, processId);
    } catch (error) {
      this.#refuse(processId, (error as NodeJS.ErrnoException).code ?? 'not reached', address);
    } finally {
      limit.clear();
      signal.removeEventListener('abort', hangUp);
      socket.destroy();
    }
    return isMet;
  }

  /** Resolves when the connection is over: true where it came about. `to`: the process that was called; null = the other one called. */
  #talk(socket: tls.TLSSocket, to: string | null): Promise<boolean> {
    const { processId: from, dialect, work, takenMs = 100 } = this.#options;
    const over = Promise.withResolvers<boolean>();
    let peer: string | null = null;
    const limit: Alarm = alarm(() => connection.close('greeting'), greetMs, { ref: false });
    const judge = (text: string): boolean => {
      const theirs = parseGreeting(text);
      const problem = theirs ? this.#problemWith(theirs, to) : 'not a greeting';
      if (!theirs || problem) {
        this.#refuse(theirs?.from ?? 'a caller', problem ?? '');
        return false;
      }
      peer = theirs.from;
      limit.clear();
      const before = this.#connections.get(peer);
      this.#connections.set(peer, connection);
      before?.close('replaced');
      this.#refused.delete(peer);
      this.#options.log.info({ peer }, 'connected to another process');
      return true;
    };
    const onClosed = (why: CloseReason) => {
      limit.clear();
      if (peer !== null && this.#connections.get(peer) === connection) {
        this.#connections.delete(peer);
        if (!this.#isClosed) this.#options.log.info({ peer, why }, 'connection to another process is over');
      }
      over.resolve(peer !== null);
    };
    const greeting = JSON.stringify({ protocol, dialect, from, to } satisfies Greeting);
    const connection: Connection = new Connection(socket, {
      greeting,
      judge,
      work,
      onClosed,
      takenMs,
      now: () => performance.now(),
    });
    return over.promise;
  }

  #problemWith(theirs: Greeting, to: string | null): string | null {
    const { processId, dialect } = this.#options;
    if (this.#isClosed) return 'this process is stopping';
    if (theirs.protocol !== protocol || theirs.dialect !== dialect) return 'another release';
    // An address may have been given to another process by now, or lead into another deployment with the same keys.
    if (to === null ? theirs.to !== processId || theirs.from === processId : theirs.from !== to)
      return 'another process';
    return null;
  }

  #refuse(peer: string, reason: string, address?: string): void {
    if (this.#isClosed || this.#refused.has(peer)) return;
    this.#refused.add(peer);
    const line = 'a process is not connected by the peer port: both do their work directly';
    this.#options.log.warn({ peer, reason, address }, line);
  }
}

function parseGreeting(text: string): Greeting | null {
  try {
    const { protocol, dialect, from, to } = JSON.parse(text) as Record<string, unknown>;
    const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0;
    if (typeof protocol !== 'number' || !isText(dialect) || !isText(from)) return null;
    return to === null || isText(to) ? { protocol, dialect, from, to } : null;
  } catch {
    return null;
  }
}

/** What `host:port` or `[IPv6]:port` names; null where it is neither. */
function splitAddress(address: string): { host: string; port: number } | null {
  const [, ipv6, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port };
}
