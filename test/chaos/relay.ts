// The network between the servers of a run, as far as their peer ports go: it can be cut. Octets on their way stay where they are and arrive
// when the cut is over, as after a lost route: nobody is told that a connection ended.
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Server } from './plan.ts';

interface Line {
  from: string;
  to: Server | undefined;
  ends: readonly [Socket, Socket];
  /** One end closed, which the other one is to hear of when it can. */
  isOver: boolean;
}

export class Relay {
  readonly #server = net.createServer((socket) => this.#greet(socket));
  readonly #lines = new Set<Line>();
  readonly #owners = new Map<number, Server>();
  #cut: readonly Server[] = [];

  /** Resolves with the port it listens on. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** A server says which peer port it has. */
  learn(port: number, owner: Server): void {
    this.#owners.set(port, owner);
  }

  /** From now on nothing passes between these and any other process. */
  cut(parts: readonly Server[]): void {
    this.#cut = parts;
    this.#apply();
  }

  heal(): void {
    this.cut([]);
  }

  async close(): Promise<void> {
    for (const { ends } of this.#lines) for (const end of ends) end.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The first line says who calls, and which port. */
  #greet(caller: Socket): void {
    caller.setNoDelay(true);
    caller.on('error', () => {});
    let head = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\n');
      if (end < 0) return;
      caller.off('data', read);
      caller.pause();
      const [from = '', port] = head.toString('latin1', 0, end).split(' ');
      if (end + 1 < head.length) caller.unshift(head.subarray(end + 1));
      this.#connect(caller, from, Number(port));
    };
    caller.on('data', read);
  }

  #connect(caller: Socket, from: string, port: number): void {
    const called = net.connect(port, '127.0.0.1');
    called.setNoDelay(true);
    called.on('error', () => {});
    called.pause();
    const line: Line = { from, to: this.#owners.get(port), ends: [caller, called], isOver: false };
    this.#lines.add(line);
    caller.on('data', (chunk) => called.write(chunk));
    called.on('data', (chunk) => caller.write(chunk));
    for (const end of line.ends) {
      end.on('close', () => {
        line.isOver = true;
        this.#apply();
      });
    }
    this.#apply();
  }

  #apply(): void {
    for (const line of this.#lines) {
      const isCut = this.#cut.some((part) => part === line.from || part === line.to);
      for (const end of line.ends) {
        if (isCut) end.pause();
        else if (line.isOver) end.destroy();
        else end.resume();
      }
      if (line.isOver && !isCut) this.#lines.delete(line);
    }
  }
}
