// An SMSC's port and the ESME connections on it: framing, writing in batches, sequence numbers, enquire_link. The port can be
// closed and opened again, as in an outage. What the PDUs mean is decided in smsc.ts.

import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { decode, encode, type Pdu, status } from './codec.ts';

const MIN_LENGTH = 16;
const MAX_LENGTH = 16_384; // npm smpp's own limit.
const MAX_UNREAD = 8 * 1024 * 1024; // An ESME that doesn't read is cut off before it fills this process.
const IS_ANSWER = 0x8000_0000;
const NO_OCTETS = Buffer.alloc(0);

export type BindType = 'transceiver' | 'transmitter' | 'receiver';

interface LinkEvents {
  request(link: Link, pdu: Pdu): void;
  answer(link: Link, pdu: Pdu): void;
  closed(link: Link): void;
}

export interface LinkOptions {
  clock: Clock;
  events: LinkEvents;
  /** Silence after which this side sends enquire_link, and hangs up where that stays unanswered as long. Milliseconds. */
  enquireLinkMs: number;
}

export class Link {
  /** null until a bind succeeded. */
  bound: { systemId: string; type: BindType } | null = null;
  /** Settles when the connection is gone, after `events.closed` was called. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #options: LinkOptions;
  #unread: Buffer = NO_OCTETS;
  #sequence = 0;
  #heardAt: number;
  /** enquire_link was sent, and nothing came since. */
  #asked = false;
  #corked = false;
  #stopWatching: () => void = () => {};

  constructor(socket: Socket, options: LinkOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#heardAt = options.clock.now();
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {}); // Always followed by 'close'; a peer that vanishes is nothing to report here.
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#stopWatching();
        options.events.closed(this);
        resolve();
      });
    });
    this.#watch();
  }

  get canSubmit(): boolean {
    return this.bound?.type === 'transceiver' || this.bound?.type === 'transmitter';
  }

  get canReceive(): boolean {
    return this.bound?.type === 'transceiver' || this.bound?.type === 'receiver';
  }

  /** Sends a request of this side and returns its sequence number. */
  request(command: string, fields: Record<string, unknown>): number {
    this.#sequence = (this.#sequence % 0x7fff_ffff) + 1;
    this.write(encode(command, { ...fields, sequence_number: this.#sequence }));
    return this.#sequence;
  }

  /** Answers a request; `fields` may hold a command_status. */
  answer(request: Pdu, fields: Record<string, unknown> = {}): void {
    this.write(encode(`${request.command}_resp`, { ...fields, sequence_number: request.sequence_number }));
  }

  nack(sequence: number, commandStatus: number): void {
    this.write(encode('generic_nack', { command_status: commandStatus, sequence_number: sequence }));
  }

  /** Any octets, for tests of what a broken SMSC sends. All that is written in one turn of the loop goes out as one. */
  write(octets: Buffer): void {
    if (!this.#socket.writable) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#corked = false;
        this.#socket.uncork();
        if (this.#socket.writableLength > MAX_UNREAD) this.destroy();
      });
    }
    this.#socket.write(octets);
  }

  /** Sends the octets already written, then ends the connection. */
  close(): void {
    this.#socket.end();
  }

  /** Cuts the connection; nothing more is sent. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#heardAt = this.#options.clock.now();
    this.#asked = false;
    let rest = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0);
      if (length < MIN_LENGTH || length > MAX_LENGTH) {
        // After a wrong length the next PDU cannot be found: answer with an error and hang up, never search.
        this.nack(0, 0x02);
        this.close();
        rest = NO_OCTETS;
        break;
      }
      if (rest.length < length) break;
      this.#take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#unread = rest;
  }

  #take(frame: Buffer): void {
    const decoded = decode(frame);
    if (decoded.kind === 'malformed') {
      if (!(decoded.commandId & IS_ANSWER)) this.nack(decoded.sequence, status.systemError);
      return;
    }
    const { pdu } = decoded;
    if (pdu.isResponse()) this.#options.events.answer(this, pdu);
    else this.#options.events.request(this, pdu);
  }

  #watch(): void {
    const { clock, enquireLinkMs } = this.#options;
    this.#stopWatching = clock.after(enquireLinkMs, () => {
      if (this.#asked) return this.destroy();
      if (clock.now() - this.#heardAt >= enquireLinkMs) {
        this.request('enquire_link', {});
        this.#asked = true;
      }
      this.#watch();
    });
  }
}

interface ListenerOptions extends LinkOptions {
  host: string;
  /** 0 = any free one; it stays the same then. */
  port: number;
}

export class Listener {
  readonly links = new Set<Link>();
  readonly #options: ListenerOptions;
  #server: Server | null = null;
  #port: number;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  get port(): number {
    return this.#port;
  }

  get isUp(): boolean {
    return this.#server !== null;
  }

  /** Listens, unless it does already. @throws when the port is taken. */
  async comeUp(): Promise<void> {
    if (this.#server) return;
    const { clock, enquireLinkMs, events } = this.#options;
    const closed = (link: Link) => {
      this.links.delete(link);
      events.closed(link);
    };
    const server = createServer((socket) => {
      this.links.add(new Link(socket, { clock, enquireLinkMs, events: { ...events, closed } }));
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        this.#server = null;
        reject(error);
      });
      server.listen(this.#port, this.#options.host, resolve);
    });
    const address = server.address();
    if (address && typeof address === 'object') this.#port = address.port;
  }

  /** Cuts every connection and refuses new ones. Settles when all of it is gone. */
  async goDown(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    const closed = server && new Promise<void>((resolve) => server.close(() => resolve()));
    this.dropConnections();
    await Promise.all([closed, ...[...this.links].map((link) => link.closed)]);
  }

  dropConnections(): void {
    for (const link of this.links) link.destroy();
  }
}
