// Whether a request comes from a browser on this machine that is looking at a page of ours. A key that is given out by it must reach
// neither another machine, through a proxy here, nor another site's page, by a name that was made to lead here (DNS rebinding).

import type { IncomingMessage } from 'node:http';

/** Headers by which a proxy says for whom it asks: then the peer is not the caller. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

export function isOwnMachine({ socket, headers }: Pick<IncomingMessage, 'headers'> & { socket: Peer }): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false;
  if (forwarding.some((name) => headers[name] !== undefined)) return false;
  if (!isLoopbackHost(headers.host ?? '')) return false;
  // Browsers send it; other programs on this machine could read the environment as well.
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

interface Peer {
  remoteAddress?: string | undefined;
}

const isLoopback = (address: string): boolean => /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);

/** Of a `Host` header: `localhost:8080`, `127.0.0.1`, `[::1]:8080`. Any other name may be one that was made to lead here. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host);
