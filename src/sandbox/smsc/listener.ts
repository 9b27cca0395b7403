// The port of an SMSC and the connections on it; can be taken away and given back, as in an outage.

import { createServer, type Server } from 'node:net';
import { Link, type LinkOptions } from './link.ts';

export interface ListenerOptions extends LinkOptions {
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
