// SIP over UDP. Beside the socket that hears all senders there is one for each target, of the same port and connected: the system reports a
// refused datagram (ICMP) to connected sockets only, and it says by which of our addresses the target is reached.
// Messages of more than 1,300 bytes go by UDP all the same, in fragments, as PBXs send them; RFC 3261 section 18.1.1 asks for TCP
// there, which a trunk that is configured for UDP may not offer.

import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';
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

type Family = 4 | 6;

const familyOf = (address: string): Family => (isIPv6(address) ? 6 : 4);
const isReachable = ({ address, port }: Remote): boolean => isIP(address) !== 0 && port > 0 && port <= 65_535;
const anyAddress = (family: Family): string => (family === 6 ? '::' : '0.0.0.0');

/** More targets than a trunk has; the oldest one gives way. */
const MOST_TARGETS = 16;

/** What says that a datagram did not get there. EMSGSIZE does not: the next one goes in smaller fragments. */
const REFUSALS = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EPERM'];

/** Several sockets on one port. Linux ties SO_REUSEPORT to our user; elsewhere SO_REUSEADDR has that meaning. */
const shared = process.platform === 'linux' ? { reusePort: true } : { reuseAddr: true };

export class UdpTransport implements Transport {
  readonly reliable = false;
  readonly #local: Local;
  readonly #handler: TransportHandler;
  readonly #wide = new Map<Family, Promise<Socket>>();
  readonly #wideOpen = new Map<Family, Socket>();
  readonly #targets = new Map<string, Socket>();
  readonly #connecting = new Map<string, Promise<Socket>>();
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor(local: Local, handler: TransportHandler) {
    this.#local = local;
    this.#handler = handler;
  }

  async open(): Promise<Opened> {
    try {
      await this.#wideSocket(familyOf(this.#local.host));
      return { kind: 'open' };
    } catch (error) {
      return { kind: 'failed', why: (error as Error).message };
    }
  }

  async reach(target: Remote): Promise<Reached> {
    const key = remoteKey(target);
    const known = this.#targets.get(key);
    if (known) return { kind: 'reached', local: localOf(known) };
    let connecting = this.#connecting.get(key);
    if (connecting === undefined) {
      connecting = this.#connect(target).finally(() => this.#connecting.delete(key));
      this.#connecting.set(key, connecting);
    }
    try {
      return { kind: 'reached', local: localOf(await connecting) };
    } catch (error) {
      return { kind: 'unreachable', why: (error as Error).message };
    }
  }

  send(bytes: Buffer, to: Remote): boolean {
    // The socket would throw, or look the name up. What others wrote (Via, Contact, SRV records) ends no process.
    if (!isReachable(to)) return false;
    const connected = this.#targets.get(remoteKey(to));
    if (connected) {
      connected.send(bytes, (error) => {
        if (error) this.#failed(to, error);
      });
      return true;
    }
    const wide = this.#wideOpen.get(familyOf(to.address));
    // Errors of this one can't be tied to a target, and the timers repeat what got lost.
    wide?.send(bytes, to.port, to.address, () => {});
    return wide !== undefined;
  }

  isOpenTo(): boolean {
    return false;
  }

  /** Its socket keeps the address that it was connected from, even after that one is gone, with a VPN for example. */
  drop(target: Remote): void {
    const key = remoteKey(target);
    const socket = this.#targets.get(key);
    this.#targets.delete(key);
    if (socket) this.#forget(socket);
  }

  #failed(target: Remote, { code = '' }: NodeJS.ErrnoException): void {
    if (code !== 'ECONNREFUSED') this.drop(target);
    if (REFUSALS.includes(code)) this.#handler.refused(target);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#wide.values());
    for (const socket of this.#sockets) socket.close();
    this.#sockets.clear();
    this.#targets.clear();
    this.#wideOpen.clear();
  }

  #wideSocket(family: Family): Promise<Socket> {
    const { host } = this.#local;
    if (host !== '' && familyOf(host) !== family)
      return Promise.reject(new Error(`${host} is no address of IPv${family}`));
    let wide = this.#wide.get(family);
    if (wide === undefined) {
      wide = this.#openWide(family);
      this.#wide.set(family, wide);
      wide.catch(() => this.#wide.delete(family));
    }
    return wide;
  }

  async #openWide(family: Family): Promise<Socket> {
    // A shared port is taken without an error even while another process has it. So the port is first taken for itself alone.
    const probe = createSocket(socketOptions(family));
    await this.#bind(probe, family, this.#local.port);
    const { port } = probe.address();
    probe.close();
    const socket = await this.#bind(createSocket({ ...socketOptions(family), ...shared }), family, port);
    socket.on('error', () => {});
    this.#keep(socket);
    this.#wideOpen.set(family, socket);
    return socket;
  }

  async #connect(target: Remote): Promise<Socket> {
    const family = familyOf(target.address);
    const { port } = (await this.#wideSocket(family)).address();
    const socket = await this.#bind(createSocket({ ...socketOptions(family), ...shared }), family, port);
    socket.on('error', (error) => this.#failed(target, error));
    // Until it is connected it may be given datagrams of others: it hears them as the wide one does.
    this.#keep(socket);
    await connected(socket, target).catch((error) => {
      this.#forget(socket);
      throw error;
    });
    if (this.#isClosed) throw new Error('closed');
    const [oldest = ''] = this.#targets.keys();
    const gone = this.#targets.size === MOST_TARGETS ? this.#targets.get(oldest) : undefined;
    if (gone) {
      this.#targets.delete(oldest);
      this.#forget(gone);
    }
    this.#targets.set(remoteKey(target), socket);
    return socket;
  }

  #bind(socket: Socket, family: Family, port: number): Promise<Socket> {
    const address = this.#local.host === '' ? anyAddress(family) : this.#local.host;
    return new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        socket.close();
        reject(error);
      };
      socket.once('error', failed);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', failed);
        resolve(socket);
      });
    });
  }

  #keep(socket: Socket): void {
    if (this.#isClosed) {
      socket.close();
      throw new Error('closed');
    }
    this.#sockets.add(socket);
    socket.on('message', (bytes, { address, port }) => {
      this.#handler.message(bytes, { address: plainAddress(address), port });
    });
  }

  #forget(socket: Socket): void {
    if (this.#sockets.delete(socket)) socket.close();
  }
}

/** One port may be free in one family only. */
const socketOptions = (family: Family): SocketOptions =>
  family === 6 ? { type: 'udp6', ipv6Only: true } : { type: 'udp4' };

function localOf(socket: Socket): Remote {
  const { address, port } = socket.address();
  return { address: plainAddress(address), port };
}

const connected = (socket: Socket, { address, port }: Remote): Promise<void> =>
  new Promise((resolve, reject) => {
    // Node's types lack the error that its connect gives to the callback.
    socket.connect(port, address, ((error?: Error) => (error ? reject(error) : resolve())) as () => void);
  });
