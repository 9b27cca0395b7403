// A client for the sandbox's SMSCs on npm `smpp`: binds, asks, keeps what was delivered.
import smpp, { type Pdu, type Session } from 'smpp';

export interface BindAs {
  systemId: string;
  password: string;
  type?: 'transceiver' | 'transmitter' | 'receiver';
}

export class Esme {
  /** deliver_sm and data_sm, in order. */
  readonly delivered: Pdu[] = [];
  /** Every PDU, in order. */
  readonly seen: Pdu[] = [];
  /** command_status for what is delivered; null = no answer at all. */
  deliveryStatus: number | null = 0;
  closed = false;
  readonly session: Session;
  readonly #open = new Set<(error: Error) => void>();

  constructor(session: Session) {
    this.session = session;
    session.on('error', () => {});
    session.on('close', () => {
      this.closed = true;
      for (const reject of this.#open) reject(new Error('closed before the answer'));
    });
    session.on('pdu', (pdu: Pdu) => {
      this.seen.push(pdu);
      if (pdu.command === 'enquire_link') session.send(pdu.response());
      if (pdu.command !== 'deliver_sm' && pdu.command !== 'data_sm') return;
      this.delivered.push(pdu);
      if (this.deliveryStatus !== null) session.send(pdu.response({ command_status: this.deliveryStatus }));
    });
  }

  static async connect(port: number): Promise<Esme> {
    const session = smpp.connect({ host: '127.0.0.1', port });
    session.socket.setNoDelay(true);
    const esme = new Esme(session);
    await new Promise<void>((resolve, reject) => {
      session.once('connect', resolve);
      session.once('error', reject);
    });
    return esme;
  }

  /** Connects and binds; the answer has to be looked at by who calls `bindAnswer` instead. */
  static async bind(port: number, as: BindAs): Promise<Esme> {
    const esme = await Esme.connect(port);
    const answer = await esme.bindAnswer(as);
    if (answer.command_status !== 0) throw new Error(`bind refused with ${answer.command_status}`);
    return esme;
  }

  bindAnswer({ systemId, password, type = 'transceiver' }: BindAs): Promise<Pdu> {
    return this.request(`bind_${type}`, { system_id: systemId, password, interface_version: 0x34 });
  }

  /** Sends a request and gives its answer. @throws when the connection closes first. */
  request(command: string, fields: Record<string, unknown> = {}): Promise<Pdu> {
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      this.session.send(new smpp.PDU(command, fields), (answer) => {
        this.#open.delete(reject);
        resolve(answer);
      });
    });
  }

  submit(to: string, text: string, fields: Record<string, unknown> = {}): Promise<Pdu> {
    return this.request('submit_sm', submitFields(to, text, fields));
  }

  close(): void {
    this.session.destroy();
  }
}

export function submitFields(to: string, text: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    source_addr_ton: 5,
    source_addr: 'Ramz',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: to.replace('+', ''),
    registered_delivery: 1,
    data_coding: 0,
    short_message: text,
    ...fields,
  };
}

/** The text of a receipt, wherever it is. */
export function receiptText(pdu: Pdu): string {
  const text = pdu.short_message?.message?.length ? pdu.short_message.message : pdu.message_payload?.message;
  return String(text);
}

/** A receipt's `key:value`; undefined where the key is missing. */
export function receiptKey(pdu: Pdu, key: string): string | undefined {
  return new RegExp(`(?:^| )${key}:(\\S*)`).exec(receiptText(pdu))?.[1];
}
