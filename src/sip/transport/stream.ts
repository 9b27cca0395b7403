// SIP over TCP and TLS (RFC 3261 section 18): connections to the trunk, made on demand and used for everything, the trunk's own requests
// included. Nothing listens here: the port of the connection stands in Via and Contact, by which other stacks find it again.

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Framer } from '../framing.ts';
import {
  type Local,
  type Opened,
  plainAddress,
  type Reached,
  type Remote,
  remoteKey,
  type Transport,
  type TransportHandler,
} from './transport.ts';

export interface TlsOptions {
  /** PEM text of the authority that signed the certificate; default: those Node trusts. */
  ca?: string | undefined;
  /** Name the certificate must carry; default: the trunk's host as configured, not what SRV records lead to (RFC 5922 section 4). */
  servername?: string | undefined;
  /** Default true. False accepts any certificate: the connection is encrypted, and its other end is not known. */
  rejectUnauthorized?: boolean;
  /** PEM texts of our own certificate and key, where the trunk asks for them. */
  cert?: string | undefined;
  key?: string | undefined;
}

export interface StreamOptions {
  /** Its port is not used: the port of a connection that broke may not be taken again for minutes. */
  local: Local;
  /** The trunk's host as configured. */
  host: string;
  /** Null = plain TCP. */
  tls: TlsOptions | null;
  /** Default 5 000. */
  connectTimeoutMs?: number;
}

interface NewSocket {
  socket: Socket;
  readyEvent: 'connect' | 'secureConnect';
}

/** More than a trunk has: hosts that it names in its calls may be as many as it likes. The one that was used longest ago gives way. */
const MOST_CONNECTIONS = 32;

/** A trunk that reads nothing, but keeps its connection, would otherwise have our memory filled. */
const MOST_WAITING_OCTETS = 1_048_576;

/** Without any traffic, a dead host is noticed by the system after this time. */
const KEEP_ALIVE_MS = 30_000;

/** How long the last bytes have to get through. */
const LINGER_MS = 1_000;

export class StreamTransport implements Transport {
  readonly reliable = true;
  readonly #options: StreamOptions;
  readonly #handler: TransportHandler;
  /** The one that was used last comes last. */
  readonly #open = new Map<string, Socket>();
  readonly #connecting = new Map<string, Promise<Reached>>();
  /** All sockets, also those that are closing: none outlives `close`. */
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor(options: StreamOptions, handler: TransportHandler) {
    this.#options = options;
    this.#handler = handler;
  }

  async open(): Promise<Opened> {
    return { kind: 'open' };
  }

  async reach(target: Remote): Promise<Reached> {
    const key = remoteKey(target);
    const known = this.#open.get(key);
    if (known && !known.destroyed) return { kind: 'reached', local: localOf(known) };
    // It has not said yet that it is closed. A new call written to it would be in doubt, though nothing of it was sent.
    if (known) this.#lose(known, target);
    let connecting = this.#connecting.get(key);
    if (connecting === undefined) {
      connecting = this.#connect(target).finally(() => this.#connecting.delete(key));
      this.#connecting.set(key, connecting);
    }
    return connecting;
  }

  send(bytes: Buffer, to: Remote): boolean {
    const key = remoteKey(to);
    const socket = this.#open.get(key);
    if (socket === undefined || socket.destroyed) return false;
    this.#open.delete(key);
    this.#open.set(key, socket);
    socket.write(bytes);
    if (socket.writableLength > MOST_WAITING_OCTETS) socket.destroy();
    return true;
  }

  isOpenTo(target: Remote): boolean {
    return this.#open.has(remoteKey(target));
  }

  drop(target: Remote): void {
    this.#open.get(remoteKey(target))?.destroy();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    // What was written last gets out, unless the trunk does not read.
    for (const socket of this.#sockets) socket.destroySoon();
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, LINGER_MS);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  #connect(target: Remote): Promise<Reached> {
    if (this.#isClosed) return Promise.resolve({ kind: 'unreachable', why: 'closed' });
    const made = this.#tryNewSocket(target);
    if (typeof made === 'string') return Promise.resolve({ kind: 'unreachable', why: made });
    const { socket, readyEvent } = made;
    this.#sockets.add(socket);
    const key = remoteKey(target);
    return new Promise((resolve) => {
      const giveUp = (why: string): void => {
        clearTimeout(timer);
        resolve({ kind: 'unreachable', why });
        socket.destroy();
      };
      const timer = setTimeout(() => giveUp('timed out'), this.#options.connectTimeoutMs ?? 5_000);
      socket.once(readyEvent, () => {
        clearTimeout(timer);
        if (this.#isClosed) return giveUp('closed');
        const [oldest] = this.#open.values();
        if (this.#open.size >= MOST_CONNECTIONS) oldest?.destroy();
        this.#open.set(key, socket);
        this.#read(socket, target);
        resolve({ kind: 'reached', local: localOf(socket) });
      });
      // The listener stays: an error event without a listener would end the process.
      socket.on('error', (error: NodeJS.ErrnoException) => giveUp(error.message || (error.code ?? error.name)));
      socket.on('close', () => {
        this.#sockets.delete(socket);
        giveUp('closed');
        this.#lose(socket, target);
      });
    });
  }

  /** Or why not: PEM texts that can't be read. */
  #tryNewSocket(target: Remote): NewSocket | string {
    try {
      return this.#newSocket(target);
    } catch (error) {
      return (error as Error).message;
    }
  }

  #newSocket({ address, port }: Remote): NewSocket {
    const { tls, local, host } = this.#options;
    const to = {
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      ...(local.host === '' ? {} : { localAddress: local.host }),
    };
    if (tls === null) return { socket: connectTcp(to), readyEvent: 'connect' };
    const { servername = host, rejectUnauthorized = true, ...rest } = tls;
    // An address is no server name (RFC 6066 section 3), but the certificate is still checked against it.
    const named = isIP(servername) === 0 ? { servername } : {};
    const socket = connectTls({ ...rest, ...to, ...named, rejectUnauthorized, minVersion: 'TLSv1.2' });
    return { socket, readyEvent: 'secureConnect' };
  }

  #read(socket: Socket, target: Remote): void {
    const framer = new Framer();
    socket.on('data', (chunk: Buffer) => {
      for (const message of framer.push(chunk)) this.#handler.message(message, target);
      if (framer.broken === null) return;
      this.#handler.broken(target, framer.broken);
      socket.destroy();
    });
    // The trunk ends the connection: nothing new is written to it from now on.
    socket.on('end', () => {
      socket.destroySoon();
      this.#lose(socket, target);
    });
  }

  /** Once for each connection that was open. */
  #lose(socket: Socket, target: Remote): void {
    const key = remoteKey(target);
    if (this.#open.get(key) !== socket) return;
    this.#open.delete(key);
    if (!this.#isClosed) this.#handler.lost(target);
  }
}

const localOf = ({ localAddress = '', localPort = 0 }: Socket): Remote => ({
  address: plainAddress(localAddress),
  port: localPort,
});
