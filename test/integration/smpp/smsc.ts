// An SMSC on npm `smpp`, somebody else's implementation, over real TCP or TLS. It says yes to everything unless told otherwise.
// Import it at the top of a test file: what is left open at its end is closed, and fails it.
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import smpp, { type Pdu, type Session } from 'smpp';
import { afterAll, afterEach } from 'vitest';
import { Bind, type BindOptions } from '../../../src/smpp/index.ts';
import { until } from '../../support/wait.ts';
import type { Certificate } from './certificate.ts';

const { createServer } = smpp as unknown as {
  createServer(options: Partial<Certificate>, onSession: (session: Session) => void): Server;
};
// Texts as octets: what is on the wire is tested, not what the package makes of it.
delete smpp.commands.submit_sm?.params.short_message?.filter;
delete smpp.commands.deliver_sm?.params.short_message?.filter;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

export class Smsc {
  readonly sessions: Session[] = [];
  readonly received: Pdu[] = [];
  /** What it does with submit_sm; default: accepts, with ids 1, 2, 3 … in hex. */
  onSubmit: (pdu: Pdu, session: Session) => void = (pdu, session) => this.accept(pdu, session);
  /** command_status for binds. */
  bindStatus = 0;
  /** No answer at all to these commands. */
  readonly deafTo = new Set<string>();
  port = 0;
  #ids = 0;
  #closed = 0;

  static async listen(tls: Partial<Certificate> = {}): Promise<Smsc> {
    const smsc = new Smsc();
    const server = createServer(tls, (session) => smsc.#welcome(session));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    smsc.port = (server.address() as AddressInfo).port;
    closers.push(async () => {
      for (const session of smsc.sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return smsc;
  }

  /** Sessions that have ended. */
  get closed(): number {
    return this.#closed;
  }

  get session(): Session {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error('nobody is connected');
    return session;
  }

  of(command: string): Pdu[] {
    return this.received.filter((pdu) => pdu.command === command);
  }

  got(command: string, nth = 1): Promise<Pdu> {
    return until(() => this.of(command)[nth - 1], { what: `${nth} × ${command} at the SMSC` }) as Promise<Pdu>;
  }

  accept(pdu: Pdu, session: Session): string {
    this.#ids += 1;
    const id = this.#ids.toString(16).toUpperCase();
    session.send(pdu.response({ message_id: id }));
    return id;
  }

  /** A receipt as most SMSCs write it; resolves with its answer. */
  deliver(session: Session, fields: Record<string, unknown>): Promise<Pdu> {
    const pdu = new smpp.PDU('deliver_sm', {
      source_addr: '213550000001',
      destination_addr: 'Ramz',
      esm_class: 4,
      ...fields,
    });
    return new Promise((resolve) => session.send(pdu, resolve));
  }

  #welcome(session: Session): void {
    this.sessions.push(session);
    session.on('error', () => {});
    session.on('close', () => {
      this.#closed += 1;
    });
    session.on('pdu', (pdu: Pdu) => {
      this.received.push(pdu);
      if (this.deafTo.has(pdu.command) || pdu.isResponse()) return;
      if (pdu.command === 'submit_sm') this.onSubmit(pdu, session);
      else if (pdu.command.startsWith('bind_'))
        session.send(pdu.response({ command_status: this.bindStatus, system_id: 'SMSC' }));
      else session.send(pdu.response());
    });
  }
}

/** A bind to it, closed at the end of the test. */
export function bindTo({ port }: { port: number }, change: Partial<BindOptions> = {}) {
  const states: { state: string; detail: string }[] = [];
  const oddities: string[] = [];
  const bind = new Bind({
    host: '127.0.0.1',
    port,
    systemId: 'ramz',
    password: 'secret08',
    type: 'transceiver',
    onDeliver: async () => ({ status: 0 }),
    backoff: { minMs: 10, maxMs: 50 },
    observer: {
      onState: (state, detail) => states.push({ state, detail }),
      onOddity: (oddity) => oddities.push(oddity),
    },
    ...change,
  });
  closers.push(() => bind.close(0));
  bind.start();
  const reached = (state: string) => until(() => bind.state === state, { what: `the bind to be ${state}`, everyMs: 2 });
  return { bind, states, oddities, reached };
}

/** A TCP server that speaks no SMPP. */
export async function rawServer(onSocket: (socket: Socket) => void = () => {}) {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  closers.push(close);
  return { port, accepted: () => count, close };
}

afterAll(async () => {
  const sockets = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'TCPServerWrap');
  await until(() => sockets().length === 0, { what: 'every socket to be closed' });
});
