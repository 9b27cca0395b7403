// A connection to the HTTP door, byte by byte.

import { connect } from 'node:net';
import { afterAll } from 'vitest';

export interface Raw {
  write(text: string | Buffer): void;
  /** Breaks the connection off. */
  leave(): void;
  /** What has come so far. */
  text(): string;
  /** The server has ended the connection. */
  ended(): boolean;
  /** Code of the error that broke it; empty while there is none. */
  broken(): string;
}

/** To be called at the top of a test file. */
export function rawConnections(): (port: number) => Raw {
  const closing: (() => void)[] = [];
  afterAll(() => {
    for (const close of closing) close();
  });
  return (port) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    closing.push(() => socket.destroy());
    let [text, broken, ended] = ['', '', false];
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => {
      ended = true;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      broken = error.code ?? '';
    });
    return {
      write: (more) => void socket.write(more),
      leave: () => socket.resetAndDestroy(),
      text: () => text,
      ended: () => ended,
      broken: () => broken,
    };
  };
}
