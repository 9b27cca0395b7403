// An SMSC that accepts everything and sends a DELIVRD for it. On our own codec, because npm `smpp` (the sandbox's) costs ten times
// as much and the load shares the machine with the server. That it speaks SMPP as others do is tested elsewhere.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { decodePdu, encodePdu, Framer, type Pdu, type PduInput } from '../../src/smpp/index.ts';

export interface SmscOptions {
  /** From submit_sm to its receipt, ms; null = no receipts. */
  receiptAfterMs: number | null;
  onSubmit?(number: string, text: string): void;
}

export interface Smsc {
  port: number;
  /** submit_sm so far. */
  readonly submitted: number;
  close(): Promise<void>;
}

export async function startSmsc(options: SmscOptions): Promise<Smsc> {
  const sockets = new Set<Socket>();
  let submitted = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const link = new SmscLink(socket, (pdu) => {
      submitted += 1;
      options.onSubmit?.(`+${pdu.destination_addr}`, pdu.short_message.toString('latin1'));
      const id = submitted.toString(16).toUpperCase().padStart(10, '0');
      if (options.receiptAfterMs !== null) link.later(receiptOf(pdu, id), options.receiptAfterMs);
      return id;
    });
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get submitted() {
      return submitted;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

class SmscLink {
  readonly #socket: Socket;
  readonly #accept: (pdu: Pdu<'submit_sm'>) => string;
  readonly #framer = new Framer();
  #out: Buffer[] = [];
  #sequence = 0;
  readonly #receipts: { at: number; pdu: PduInput<'deliver_sm'> }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, accept: (pdu: Pdu<'submit_sm'>) => string) {
    this.#socket = socket;
    this.#accept = accept;
    socket.on('data', (chunk) => {
      for (const frame of this.#framer.push(chunk).frames) {
        const decoded = decodePdu(frame);
        if (decoded.kind === 'pdu') this.#react(decoded.pdu);
      }
    });
    socket.on('close', () => clearTimeout(this.#timer));
  }

  /** All receipts wait equally long, so they fall due in order and one timer is enough. */
  later(pdu: PduInput<'deliver_sm'>, afterMs: number): void {
    this.#receipts.push({ at: performance.now() + afterMs, pdu });
    this.#timer ??= setTimeout(() => this.#deliverDue(), afterMs);
  }

  #deliverDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    let due = 0;
    for (const { at, pdu } of this.#receipts) {
      if (at > now + 0.5) break;
      this.#sequence += 1;
      this.#write({ ...pdu, sequence: this.#sequence });
      due += 1;
    }
    this.#receipts.splice(0, due);
    const next = this.#receipts[0];
    if (next) this.#timer = setTimeout(() => this.#deliverDue(), Math.max(1, next.at - now));
  }

  #react(pdu: Pdu): void {
    const answer = this.#answerTo(pdu);
    if (answer) this.#write({ ...answer, sequence: pdu.sequence });
  }

  #answerTo(pdu: Pdu): PduInput | null {
    switch (pdu.command) {
      case 'submit_sm':
        return { command: 'submit_sm_resp', message_id: this.#accept(pdu) };
      case 'bind_transceiver':
      case 'bind_transmitter':
      case 'bind_receiver':
        return { command: `${pdu.command}_resp`, system_id: 'bench' };
      case 'enquire_link':
      case 'unbind':
        return { command: `${pdu.command}_resp` };
      default:
        return null;
    }
  }

  /** What is written in one turn leaves in one system call. */
  #write(pdu: PduInput): void {
    this.#out.push(encodePdu(pdu));
    if (this.#out.length > 1) return;
    setImmediate(() => {
      if (this.#socket.writable) this.#socket.write(Buffer.concat(this.#out));
      this.#out = [];
    });
  }
}

const two = (value: number) => String(value).padStart(2, '0');

/** As SMPP v3.4 appendix B has it, with the first 20 characters of the message behind `text:`. Dates are UTC. */
function receiptOf(pdu: Pdu<'submit_sm'>, id: string): PduInput<'deliver_sm'> {
  const now = new Date();
  const date =
    two(now.getUTCFullYear() % 100) +
    two(now.getUTCMonth() + 1) +
    two(now.getUTCDate()) +
    two(now.getUTCHours()) +
    two(now.getUTCMinutes());
  const echo = pdu.short_message.toString('latin1', 0, 20);
  const text = `id:${id} sub:001 dlvrd:001 submit date:${date} done date:${date} stat:DELIVRD err:000 text:${echo}`;
  return {
    command: 'deliver_sm',
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: pdu.destination_addr,
    destination_addr: pdu.source_addr,
    esm_class: 4,
    short_message: Buffer.from(text, 'latin1'),
  };
}
