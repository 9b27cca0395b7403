// The network between processes: notices, and peer ports, whose connections (src/peers/connection.ts) are real and whose sockets are not. What is
// written arrives in its order and late, stays on the way while a process is cut off, and is lost with a connection that breaks.
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Asked, AskOptions } from '../../src/peers/asked.ts';
import { Connection } from '../../src/peers/connection.ts';
import { leaveAll } from '../../src/peers/leaving.ts';
import type { PeerAddress } from '../../src/peers/port.ts';
import type { Random } from './random.ts';
import type { Host, VirtualTime } from './time.ts';

export interface NetworkOptions {
  time: VirtualTime;
  random: Random;
  onFault(kind: string): void;
}

const takenMs = 100;
const greetMs = 2_000;
const tickMs = 2_000;
const slowMs = 150;

export class Network {
  readonly #options: NetworkOptions;
  readonly ports = new Map<string, SimulatedPort>();
  #cuts: { process: string; until: number }[] = [];
  #slow: { process: string; until: number }[] = [];

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  get time(): VirtualTime {
    return this.#options.time;
  }
  get random(): Random {
    return this.#options.random;
  }

  /** Call as the process. */
  open(host: Host, work: (body: string) => Promise<string>): SimulatedPort {
    const port = new SimulatedPort(this, host, work);
    this.ports.set(host.name, port);
    return port;
  }

  /** Nobody hears the process for so long, nor it anybody. `breaks`: its connections are lost at once, and not only late. */
  cut(process: string, forMs: number, breaks: boolean): void {
    this.#cuts.push({ process, until: this.time.now + forMs });
    if (breaks) for (const port of this.ports.values()) port.lose(process);
  }

  /** What the process says and hears is late for so long. */
  slow(process: string, forMs: number): void {
    this.#slow.push({ process, until: this.time.now + forMs });
  }

  died(process: string): void {
    this.ports.delete(process);
    for (const port of this.ports.values()) port.lose(process);
  }

  /** One word, which may be lost or come twice. */
  say(from: string, to: Host | undefined, hear: () => void): void {
    const { time, random, onFault } = this.#options;
    if (!to || random.chance(0.02) || this.#cutUntil(from, to.name) > time.now) {
      onFault('notice_lost');
      return;
    }
    for (let copies = random.chance(0.05) ? 2 : 1; copies > 0; copies -= 1) {
      time.after(random.between(1, random.chance(0.1) ? 1_500 : 10), to, hear);
    }
  }

  /** Ms until what is sent now arrives. A connection resends what was lost. */
  wayMs(from: string, to: string): number {
    const { time, random, onFault } = this.#options;
    const late = random.chance(0.01) ? random.between(20, 300) : random.next() * 2;
    const cutUntil = this.#cutUntil(from, to);
    if (cutUntil > time.now) return cutUntil - time.now + random.between(0, 200);
    if (!this.#slow.some(({ process, until }) => until > time.now && (process === from || process === to))) return late;
    onFault('frames_late');
    return slowMs + late;
  }

  #cutUntil(from: string, to: string): number {
    if (this.#cuts.length === 0) return 0;
    this.#cuts = this.#cuts.filter(({ until }) => until > this.time.now);
    return Math.max(
      0,
      ...this.#cuts.filter(({ process }) => process === from || process === to).map(({ until }) => until),
    );
  }
}

/** One end of a connection. */
class SimulatedSocket extends EventEmitter {
  readonly writableLength = 0;
  readonly writable = true;
  readonly #network: Network;
  readonly #host: Host;
  #other: SimulatedSocket | null = null;
  #lastAt = 0;
  #isOver = false;

  constructor(network: Network, host: Host) {
    super();
    this.#network = network;
    this.#host = host;
  }

  pair(other: SimulatedSocket): void {
    this.#other = other;
  }

  write(chunk: Buffer): void {
    this.#deliver((other) => other.emit('data', chunk));
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.end();
  }

  /** Writes nothing more, and still reads. */
  end(): void {
    this.#deliver((other) => other.emit('end'));
  }

  /** The connection breaks: neither end hears more. */
  break(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#network.time.after(1, this.#host, () => this.emit('close'));
  }

  #deliver(hear: (other: SimulatedSocket) => void): void {
    const other = this.#other;
    if (!other || other.#isOver) return;
    const { time } = this.#network;
    this.#lastAt = Math.max(this.#lastAt, time.now + this.#network.wayMs(this.#host.name, other.#host.name));
    time.after(this.#lastAt - time.now, other.#host, () => {
      if (!other.#isOver) hear(other);
    });
  }
}

/** As PeerPort (src/peers/port.ts) keeps its connections: the younger process calls the older one, and again whenever the connection is lost. */
export class SimulatedPort {
  readonly #network: Network;
  readonly #host: Host;
  readonly #work: (body: string) => Promise<string>;
  readonly #connections = new Map<string, { connection: Connection; socket: SimulatedSocket }>();
  readonly #dialling = new Set<string>();
  readonly #startedAt: number;
  #isClosed = false;

  constructor(network: Network, host: Host, work: (body: string) => Promise<string>) {
    this.#network = network;
    this.#host = host;
    this.#work = work;
    this.#startedAt = network.time.now - network.random.between(0, 1_000_000);
    const tick = () => {
      for (const { connection } of this.#connections.values()) connection.tick();
      setTimeout(tick, tickMs);
    };
    setTimeout(tick, tickMs);
  }

  meet(peers: readonly PeerAddress[]): void {
    if (this.#isClosed) return;
    const live = new Set(peers.map(({ processId }) => processId).filter((id) => id !== this.#host.name));
    for (const id of this.#dialling) if (!live.has(id)) this.#dialling.delete(id);
    for (const [id, { connection }] of this.#connections) if (!live.has(id)) void connection.leave();
    for (const id of live) {
      if (id > this.#host.name || this.#dialling.has(id)) continue;
      this.#dialling.add(id);
      this.#call(id);
    }
  }

  giveUp(processIds: readonly string[]): void {
    for (const id of processIds) this.#connections.get(id)?.connection.giveUp();
  }

  get reachable(): string[] {
    return [...this.#connections].filter(([, { connection }]) => connection.isHeard).map(([id]) => id);
  }

  ask(processId: string, body: string, options?: AskOptions): Promise<Asked> {
    const peer = this.#connections.get(processId);
    return peer ? peer.connection.ask(body, options) : Promise.resolve({ kind: 'direct', why: 'no_peer' });
  }

  /** Calls nobody, and is called by nobody any more; who has asked has its answer first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#dialling.clear();
    this.#network.ports.delete(this.#host.name);
    const connections = [...this.#connections.values()].map(({ connection }) => connection);
    await leaveAll(connections);
    for (const connection of connections) connection.close();
  }

  /** The connection with the process breaks, or all where the process is this one. */
  lose(process: string): void {
    for (const [id, { socket }] of this.#connections) if (id === process || process === this.#host.name) socket.break();
  }

  #call(id: string): void {
    if (!this.#dialling.has(id) || this.#connections.has(id)) return;
    const network = this.#network;
    const other = network.ports.get(id);
    const again = setTimeout(() => this.#call(id), network.random.between(300, greetMs));
    if (!other) return;
    network.time.after(network.wayMs(this.#host.name, id), other.#host, () => {
      const [near, far] = [new SimulatedSocket(network, this.#host), new SimulatedSocket(network, other.#host)];
      near.pair(far);
      far.pair(near);
      other.#talk(far);
      network.time.after(network.wayMs(id, this.#host.name), this.#host, () => {
        clearTimeout(again);
        this.#talk(near, id);
      });
    });
  }

  #talk(socket: SimulatedSocket, called: string | null = null): void {
    let peer: string | null = null;
    const limit = setTimeout(() => connection.close('greeting'), greetMs);
    const connection: Connection = new Connection(socket as unknown as Duplex, {
      greeting: this.#host.name,
      judge: (greeting) => {
        peer = greeting;
        clearTimeout(limit);
        const before = this.#connections.get(peer);
        this.#connections.set(peer, { connection, socket });
        before?.connection.close('replaced');
        return true;
      },
      work: this.#work,
      onClosed: () => {
        clearTimeout(limit);
        if (peer !== null && this.#connections.get(peer)?.connection === connection) this.#connections.delete(peer);
        if (called !== null) setTimeout(() => this.#call(called), this.#network.random.between(50, 300));
      },
      takenMs,
      now: () => this.#network.time.now - this.#startedAt,
    });
  }
}
