// An SMPP client of other people's making (npm `smpp`) before the SS7 gateway, and the receipts that it gets.
import { createRequire } from 'node:module';
import { systemId } from '../../../scripts/ss7/gateway.ts';
import { until } from '../../support/wait.ts';
import { password } from './programs.ts';

interface Pdu {
  command_status: number;
  source_addr: string;
  short_message: { message: string };
  response(fields?: object): Pdu;
}

/** What of the package a client needs; its own types know only of servers. */
interface Session {
  on(event: 'deliver_sm' | 'unbind', heard: (pdu: Pdu) => void): void;
  on(event: 'close' | 'error', heard: () => void): void;
  send(pdu: Pdu): void;
  bind_transceiver(fields: object, answered: (pdu: Pdu) => void): void;
  submit_sm(fields: object, answered: (pdu: Pdu) => void): void;
  close(): void;
}

const { connect } = createRequire(import.meta.url)('smpp') as { connect(options: object): Session };

export class SmppClient {
  /** Receipts in the order they came: `00 DELIVRD 000`, with the last two digits of the number. */
  readonly receipts: string[] = [];
  isUnbound = false;
  /** So many of the next receipts are answered with this status instead of being taken. */
  refuses = { count: 0, status: 0 };
  /** While true receipts are not answered. */
  holds = false;
  readonly #held: Pdu[] = [];
  readonly #session: Session;
  readonly #closed = Promise.withResolvers<never>();

  private constructor(session: Session) {
    this.#session = session;
    session.on('deliver_sm', (pdu) => {
      if (this.refuses.count > 0) {
        this.refuses.count -= 1;
        session.send(pdu.response({ command_status: this.refuses.status }));
        return;
      }
      if (this.holds) this.#held.push(pdu);
      else session.send(pdu.response());
      const [, stat, err] = /stat:(\w+) err:(\w+)/.exec(pdu.short_message.message) ?? [];
      this.receipts.push(`${pdu.source_addr.slice(-2)} ${stat} ${err}`);
    });
    session.on('unbind', (pdu) => {
      this.isUnbound = true;
      session.send(pdu.response());
    });
    session.on('close', () => {
      this.isUnbound = true;
      this.#closed.reject(new Error('the connection was closed'));
    });
    this.#closed.promise.catch(() => {});
    session.on('error', () => {});
  }

  /** @throws with the status of a bind that is refused */
  static async to(port: number): Promise<SmppClient> {
    const session = connect({ url: `smpp://127.0.0.1:${port}` });
    const client = new SmppClient(session);
    const bound = new Promise<Pdu>((done) => session.bind_transceiver({ system_id: systemId, password }, done));
    const { command_status } = await Promise.race([bound, client.#closed.promise]);
    if (command_status === 0) return client;
    session.close();
    throw new Error(`bind refused: ${command_status}`);
  }

  /**
   * Resolves with the status of the answer.
   * @param message fields of submit_sm
   * @throws where the connection is closed before
   */
  async submit(to: string, message: object = { short_message: 'Your code is 123456' }): Promise<number> {
    const from = { source_addr: 'Ramz', source_addr_ton: 5 };
    const fields = { ...from, destination_addr: to, dest_addr_ton: 1, registered_delivery: 1, ...message };
    const answer = new Promise<Pdu>((done) => this.#session.submit_sm(fields, done));
    return (await Promise.race([answer, this.#closed.promise])).command_status;
  }

  /** Waits for so many receipts, and takes them. */
  async receipt(count = 1, timeoutMs = 60_000): Promise<string[]> {
    await until(() => this.receipts.length >= count, { what: `${count} receipts`, timeoutMs });
    return this.receipts.splice(0);
  }

  /** Answers what was held. */
  answerHeld(): void {
    this.holds = false;
    for (const pdu of this.#held.splice(0)) this.#session.send(pdu.response());
  }

  close(): void {
    this.#session.close();
  }
}
