// The stream to an SMSC: how it is opened over TCP or TLS, written to in batches, and ended. Each try makes new objects, because a
// used socket keeps state of the connection it had.

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Clock } from './timers.ts';

export interface TlsOptions {
  /** PEM text of the authority that signed the certificate; default: those Node trusts. */
  ca?: string | undefined;
  /** Name the certificate must carry; default: `host`. */
  servername?: string | undefined;
  /** Default true. False accepts any certificate: the connection is encrypted, and its other end is not known. */
  rejectUnauthorized?: boolean;
  /** PEM texts of our own certificate and key, where the SMSC asks for them. */
  cert?: string;
  key?: string;
}

export interface Target {
  host: string;
  port: number;
  /** Null = plain TCP. */
  tls: TlsOptions | null;
  connectTimeoutMs: number;
}

export type Opened = { kind: 'open'; stream: Duplex } | { kind: 'failed'; detail: string };

/** Resolves when connected, and with TLS verified; never rejects. Aborting `signal` ends the try. */
export type Opener = (target: Target, clock: Clock, signal: AbortSignal) => Promise<Opened>;

export const openTransport: Opener = (target, clock, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'failed', detail: 'aborted' });
    const { socket, readyEvent } = newSocket(target);
    const timer = clock.setTimer(() => finish('timed out'), target.connectTimeoutMs);
    const aborted = (): void => finish('aborted');

    /** @param failure null when the socket is ready. */
    function finish(failure: string | null): void {
      timer.clear();
      signal.removeEventListener('abort', aborted);
      socket.off(readyEvent, ready);
      if (failure !== null) socket.destroy();
      resolve(failure === null ? { kind: 'open', stream: socket } : { kind: 'failed', detail: failure });
    }
    const ready = (): void => finish(null);
    signal.addEventListener('abort', aborted);
    socket.once(readyEvent, ready);
    // The listener stays: an error event without a listener would end the process.
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.message || (error.code ?? error.name)));
    // A code must not wait for Nagle's algorithm; Writer makes the batches.
    socket.setNoDelay(true);
  });

function newSocket({ host, port, tls }: Target): { socket: Socket; readyEvent: 'connect' | 'secureConnect' } {
  if (tls === null) return { socket: connectTcp({ host, port }), readyEvent: 'connect' };
  // An address is no server name (RFC 6066 section 3), but the certificate is still checked against it.
  const servername = tls.servername ?? (isIP(host) ? undefined : host);
  const socket = connectTls({
    ...tls,
    host,
    port,
    servername,
    rejectUnauthorized: tls.rejectUnauthorized ?? true,
    minVersion: 'TLSv1.2',
  });
  return { socket, readyEvent: 'secureConnect' };
}

/**
 * Outgoing PDUs: those written in one turn of the event loop leave in one system call, and nothing more is handed to a stream that
 * cannot take it. The writer knows which requests have not left yet: those may be sent elsewhere.
 */
export class Writer {
  readonly #stream: Duplex;
  readonly #onBlocked: (blocked: boolean) => void;
  #frames: Buffer[] = [];
  /** Of the requests among the frames. */
  #sequences: number[] = [];
  #scheduled = false;
  #blocked = false;
  #stopped = false;

  constructor(stream: Duplex, onBlocked: (blocked: boolean) => void) {
    this.#stream = stream;
    this.#onBlocked = onBlocked;
    stream.on('drain', () => {
      this.#block(false);
      this.flush();
    });
  }

  /** The stream's buffer is full: the other side is slow to read. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** `sequence`: of a request; 0 for an answer. */
  write(frame: Buffer, sequence = 0): void {
    if (this.#stopped) return;
    this.#frames.push(frame);
    if (sequence > 0) this.#sequences.push(sequence);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Hands the waiting PDUs to the stream now, unless the stream is full. */
  flush(): void {
    if (this.#blocked || this.#stopped || this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#sequences = [];
    if (!this.#stream.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))) this.#block(true);
  }

  /** Nothing is written from now on. Returns the requests that never reached the stream. */
  stop(): Set<number> {
    this.#stopped = true;
    return new Set(this.#sequences);
  }

  #block(blocked: boolean): void {
    this.#blocked = blocked;
    this.#onBlocked(blocked);
  }
}

export interface CloseReason {
  kind: 'closed_by_us' | 'closed_by_peer' | 'unbound_by_peer' | 'garbage' | 'dead' | 'inactive' | 'error';
  detail: string;
}

/** Reasons after which a last PDU (generic_nack, unbind, its answer) must still get through. */
const politeReasons: ReadonlySet<CloseReason['kind']> = new Set(['closed_by_us', 'unbound_by_peer', 'garbage']);

/** How long the last PDU has to get through. */
const LINGER_MS = 1_000;

/**
 * Ends the connection on our side. Politely: end the stream, and wait for the peer's end, because closing with octets unread would
 * reset the connection and lose our last PDU.
 */
export function hangUp(stream: Duplex, { kind }: CloseReason, clock: Clock): void {
  if (!politeReasons.has(kind) || stream.destroyed) {
    stream.destroy();
    return;
  }
  const timer = clock.setTimer(() => stream.destroy(), LINGER_MS);
  stream.once('close', () => timer.clear());
  stream.once('end', () => stream.destroy());
  stream.end();
  stream.resume();
}
