// An SMSC on npm `smpp`, somebody else's implementation, over real TCP or TLS. It says yes to everything unless a test says otherwise.
import type { AddressInfo, Server } from 'node:net';
import smpp, { type Pdu, type Session } from 'smpp';
import { until } from './wait.ts';

const { createServer } = smpp as unknown as {
  createServer(options: { key?: string; cert?: string }, onSession: (session: Session) => void): Server;
};
// Texts and times as they are on the wire, not what the package makes of them.
delete smpp.commands.submit_sm?.params.short_message?.filter;
delete smpp.commands.submit_sm?.params.validity_period?.filter;
delete smpp.commands.deliver_sm?.params.short_message?.filter;

export class Smsc {
  readonly sessions: Session[] = [];
  readonly received: Pdu[] = [];
  /** What it does with submit_sm; default: accepts, with ids 1, 2, 3 … in hex. */
  onSubmit: (pdu: Pdu, session: Session) => void = (pdu, session) => this.accept(pdu, session);
  /** command_status for binds. */
  bindStatus = 0;
  onBind: (pdu: Pdu, session: Session) => void = (pdu, session) =>
    session.send(pdu.response({ command_status: this.bindStatus, system_id: 'SMSC' }));
  /** Called with each connection, before anything came from it. */
  onConnection: (session: Session) => void = () => {};
  /** No answer at all to these commands. */
  readonly deafTo = new Set<string>();
  port = 0;
  #ids = 0;
  #closed = 0;

  #server: Server | null = null;

  static async listen(tls: { key?: string; cert?: string } = {}): Promise<Smsc> {
    const smsc = new Smsc();
    const server = createServer(tls, (session) => smsc.#welcome(session));
    smsc.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    smsc.port = (server.address() as AddressInfo).port;
    return smsc;
  }

  /** Cuts every connection and listens no more. */
  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
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
      else if (pdu.command.startsWith('bind_')) this.onBind(pdu, session);
      else session.send(pdu.response());
    });
    this.onConnection(session);
  }
}
