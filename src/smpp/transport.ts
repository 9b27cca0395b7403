// Opens the TCP or TLS connection to an SMSC. Each try makes new objects: a used socket keeps state nobody wants.

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Clock } from './clock.ts';

export interface TlsOptions {
  /** PEM text of the authority that signed the certificate; default: those Node trusts. */
  ca?: string;
  /** Name the certificate must carry; default: `host`. */
  servername?: string;
  /** Default true. False accepts any certificate: encrypted, but by whoever answers. */
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
    // Stays on: an error with nobody listening would end the process.
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.message || (error.code ?? error.name)));
    // A code must not wait for Nagle's algorithm; batches are made in writer.ts.
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
    ...(servername === undefined ? {} : { servername }),
    rejectUnauthorized: tls.rejectUnauthorized ?? true,
    minVersion: 'TLSv1.2',
  });
  return { socket, readyEvent: 'secureConnect' };
}
