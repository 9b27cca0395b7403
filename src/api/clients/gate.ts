// Connections of one port that have not yet shown a good key: each must complete its handshake in time, and one address has only so
// many of them. A caller who opens connections and says nothing uses up its own room, and no other caller's.

import type { Socket } from 'node:net';
import { callerOf } from '../../core/limits/addresses.ts';
import { alarm } from '../../time/alarm.ts';
import { plainAddress } from './address.ts';

export interface GateOptions {
  /** Connections of one address that have not yet carried a call with a good key. Asked at every connection. */
  perAddress(): number;
  /** Connections of trusted proxies are not counted: each of them is many people's. */
  isTrusted(address: string): boolean;
  /** From the connection to the end of its handshake: TLS, and what the port's protocol begins with. Default 5 000. */
  handshakeMs?: number;
  /** How long an address may have more, ms: a client with a good key that opens many at once has to be read first. Default 1 000. */
  graceMs?: number;
}

/** The other end of a connection, as grpc-js writes it too. */
export const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}:${remotePort}`;

/** The most connections of one address at any moment, as a multiple of its limit. */
const mostAtOnce = 4;

/** One connection, as the calls that come over it see it. */
export interface Connection {
  /** The handshake is complete. */
  greeted(): void;
  /** A call with a good key came over it: from now on the connection is not counted. */
  proven(): void;
  /** A call is under way: the connection is not cut to make room for another one. */
  begin(): void;
  end(): void;
  /** Cuts it where it is counted: for what no caller with a good key does. False where it is not counted, and so stays. */
  cutUnproven(): boolean;
}

interface Entry extends Connection {
  calls: number;
  /** Graces of its address that began after it was there. */
  graces: number;
  cut(): void;
}

export class Gate {
  readonly #options: Required<GateOptions>;
  /** Connections by `endOf`. */
  readonly #connections = new Map<string, Entry>();
  /** Connections that have not shown a good key, by caller; the oldest first. */
  readonly #unproven = new Map<string, Set<Entry>>();
  /** Callers that have too many: looked at again when their grace is over. */
  readonly #trimming = new Set<string>();

  constructor({ handshakeMs = 5_000, graceMs = 1_000, ...options }: GateOptions) {
    this.#options = { ...options, handshakeMs, graceMs };
  }

  /**
   * Takes a connection in as soon as it is accepted. `late` is called when its handshake is not complete in time, and must end it.
   * Where its address has too many, the oldest of them without a call under way are cut after a grace; and later the youngest, where all
   * have a call that has shown no good key. A caller with a good key gets in, however many silent connections there are.
   */
  accept(socket: Socket, late: () => void = () => socket.destroy()): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      socket.destroy(); // The peer has gone already.
      return;
    }
    const key = endOf(socket);
    const address = plainAddress(remoteAddress);
    const caller = this.#options.isTrusted(address) ? null : callerOf(address);
    const handshake = alarm(late, this.#options.handshakeMs, { ref: false });
    const entry: Entry = {
      calls: 0,
      graces: 0,
      greeted: () => handshake.clear(),
      proven: () => this.#uncount(caller, entry),
      begin: () => {
        entry.calls += 1;
      },
      end: () => {
        entry.calls -= 1;
      },
      cutUnproven: () => {
        const isCounted = caller !== null && (this.#unproven.get(caller)?.has(entry) ?? false);
        if (isCounted) this.#cut(caller, entry);
        return isCounted;
      },
      cut: () => socket.destroy(),
    };
    this.#connections.set(key, entry);
    socket.once('close', () => {
      handshake.clear();
      if (this.#connections.get(key) === entry) this.#connections.delete(key);
      this.#uncount(caller, entry);
    });
    if (caller !== null) this.#count(caller, entry);
  }

  /** The connection whose other end is `peer` (`endOf`). Undefined once it is closed. */
  of(peer: string): Connection | undefined {
    return this.#connections.get(peer);
  }

  /** Connections that are counted, of one caller or of all. */
  counted(caller?: string): number {
    if (caller !== undefined) return this.#unproven.get(caller)?.size ?? 0;
    return [...this.#unproven.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #count(caller: string, entry: Entry): void {
    const others = this.#unproven.get(caller) ?? new Set();
    this.#unproven.set(caller, others.add(entry));
    const most = this.#options.perAddress();
    if (others.size > most * mostAtOnce) this.#cutOne(caller, others);
    if (others.size <= most || this.#trimming.has(caller)) return;
    this.#trimming.add(caller);
    this.#beginGrace(caller, others);
  }

  #beginGrace(caller: string, others: ReadonlySet<Entry>): void {
    for (const entry of others) entry.graces += 1;
    // The alarm lets octets that have come be read first: a busy process would otherwise cut connections whose key lies there unread.
    alarm(() => this.#trim(caller), this.#options.graceMs, { ref: false });
  }

  /** Cuts what is over the limit: silent ones that had a whole grace, and those whose call has shown no good key for a handshake's time. */
  #trim(caller: string): void {
    const { perAddress, handshakeMs, graceMs } = this.#options;
    const left = this.#unproven.get(caller) ?? new Set<Entry>();
    const isOver = () => left.size > perAddress();
    for (const entry of left) {
      if (isOver() && entry.graces > 0 && entry.calls === 0) this.#cut(caller, entry);
    }
    for (const entry of [...left].reverse()) {
      if (isOver() && entry.graces * graceMs >= handshakeMs) this.#cut(caller, entry);
    }
    if (isOver()) this.#beginGrace(caller, left);
    else this.#trimming.delete(caller);
  }

  #cutOne(caller: string, others: ReadonlySet<Entry>): void {
    let chosen: Entry | undefined;
    for (const entry of others) {
      chosen = entry;
      if (entry.calls === 0) break;
    }
    if (chosen) this.#cut(caller, chosen);
  }

  #cut(caller: string, entry: Entry): void {
    this.#uncount(caller, entry); // Its socket emits `close` only later.
    entry.cut();
  }

  #uncount(caller: string | null, entry: Entry): void {
    if (caller === null) return;
    const others = this.#unproven.get(caller);
    if (others?.delete(entry) && others.size === 0) this.#unproven.delete(caller);
  }
}
