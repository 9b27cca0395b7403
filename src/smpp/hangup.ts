// How a connection ends on our side. Opening one is transport.ts.

import type { Duplex } from 'node:stream';
import type { Clock } from './clock.ts';

/** How long the last word is given to get through. */
const LINGER_MS = 1_000;

/** Politely: end, and wait for the peer's end. Closing with octets unread would reset the connection and lose our last word. */
export function hangUp(stream: Duplex, politely: boolean, clock: Clock): void {
  if (!politely || stream.destroyed) {
    stream.destroy();
    return;
  }
  const timer = clock.setTimer(() => stream.destroy(), LINGER_MS);
  stream.once('close', () => timer.clear());
  stream.once('end', () => stream.destroy());
  stream.end();
  stream.resume();
}
