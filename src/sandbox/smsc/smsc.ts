// One operator's SMSC: it listens, judges binds, hands messages to traffic.ts and receipts to delivery.ts, and takes faults from
// tests. It speaks SMPP v3.4 with npm `smpp` and never with our own library, because the client must face a foreign codec.

import { type Clock, Schedule, systemClock } from '../clock.ts';
import type { Inbox } from '../inbox.ts';
import type { SmscProfile } from '../operators.ts';
import { type MoodWord, slowMs, unbindingMs } from '../views.ts';
import { type Pdu, status } from './codec.ts';
import { Delivery } from './delivery.ts';
import { Faults } from './faults.ts';
import { type BindType, type Link, Listener } from './link.ts';
import type { Stat } from './receipt.ts';
import { Traffic } from './traffic.ts';

const SMPP_34 = 0x34;

export interface SmscOptions {
  profile: SmscProfile;
  inbox: Inbox;
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  port?: number | undefined;
  /** Prefix of the scenario numbers; default null: every number is served as `sms_delivered`. */
  scenarioPrefix?: string | null | undefined;
  /** From submit to receipt, instead of the scenario table's. Milliseconds. */
  deliverDelayMs?: number | undefined;
  /** The same for receipts that come after the leg's timeout. Milliseconds. */
  lateReceiptMs?: number | undefined;
  /** Binds at one time; further ones get 0x05. Default: any number. */
  maxBinds?: number | undefined;
  /** deliver_sm unanswered at one time on one bind. Default 100. */
  receiptWindow?: number | undefined;
  /** An unanswered deliver_sm is sent again after this long. Default 30 000 ms. */
  receiptTimeoutMs?: number | undefined;
  /** Pause before a deliver_sm that was answered with an error is sent again. Default 1 000 ms. */
  receiptRetryMs?: number | undefined;
  /** Silence after which this side sends enquire_link. Default 30 000 ms. */
  enquireLinkMs?: number | undefined;
  clock?: Clock | undefined;
}

export interface SmscCounts {
  submits: number;
  accepted: number;
  refused: number;
  receipts: number;
  receipts_answered: number;
  receipts_resent: number;
  receipts_pending: number;
  binds: number;
  peak_binds: number;
}

/** @throws when the port is taken. */
export async function startSmsc(options: SmscOptions): Promise<Smsc> {
  const smsc = new Smsc(options);
  await smsc.comeUp();
  return smsc;
}

export class Smsc {
  readonly id: string;
  /** Pause, delay, double, lose, refuse. `resumeAnswers` ends a pause. */
  readonly faults = new Faults();
  readonly #options: SmscOptions;
  readonly #delivery: Delivery;
  readonly #traffic: Traffic;
  readonly #listener: Listener;
  readonly #handlers: Readonly<Record<string, (link: Link, pdu: Pdu) => void>> = {
    bind_transceiver: (link, pdu) => this.#bind(link, pdu, 'transceiver'),
    bind_transmitter: (link, pdu) => this.#bind(link, pdu, 'transmitter'),
    bind_receiver: (link, pdu) => this.#bind(link, pdu, 'receiver'),
    enquire_link: (link, pdu) => link.answer(pdu),
    unbind: (link, pdu) => {
      link.answer(pdu);
      this.#part(link);
    },
    submit_sm: this.#submitting((link, pdu) => this.#submit(link, pdu)),
    cancel_sm: this.#submitting((link, pdu) => link.answer(pdu, this.#traffic.cancel(pdu))),
    query_sm: this.#submitting((link, pdu) => link.answer(pdu, this.#traffic.query(pdu))),
  };
  /** Submits that are taken later. */
  readonly #late: Schedule;
  /** Connections that were asked to unbind. */
  readonly #unbinding = new WeakSet<Link>();
  #peakBinds = 0;

  constructor(options: SmscOptions) {
    const { profile, inbox, scenarioPrefix = null, deliverDelayMs, lateReceiptMs, clock = systemClock } = options;
    this.id = profile.id;
    this.#options = options;
    this.#late = new Schedule(clock);
    this.#listener = new Listener({
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      clock,
      enquireLinkMs: options.enquireLinkMs ?? 30_000,
      events: {
        request: (link, pdu) => this.#request(link, pdu),
        answer: (link, pdu) => (pdu.command === 'unbind_resp' ? this.#part(link) : this.#delivery.answer(link, pdu)),
        closed: (link) => this.#release(link),
      },
    });
    this.#delivery = new Delivery({
      clock,
      window: options.receiptWindow ?? 100,
      answerTimeoutMs: options.receiptTimeoutMs ?? 30_000,
      retryMs: options.receiptRetryMs ?? 1_000,
      maxAttempts: 10,
      maxWaiting: 100_000,
    });
    const { faults } = this;
    const delivery = this.#delivery;
    this.#traffic = new Traffic({
      profile,
      scenarioPrefix,
      deliverDelayMs,
      lateReceiptMs,
      clock,
      inbox,
      delivery,
      faults,
    });
  }

  /** The port listened on; the same again after `goDown` and `comeUp`. */
  get port(): number {
    return this.#listener.port;
  }

  get counts(): SmscCounts {
    return {
      ...this.#traffic.counts,
      receipts_answered: this.#delivery.answered,
      receipts_resent: this.#delivery.resent,
      receipts_pending: this.#delivery.pending,
      binds: this.#bound().length,
      peak_binds: this.#peakBinds,
    };
  }

  get mood(): MoodWord {
    return this.#listener.isUp ? this.faults.mood : 'down';
  }

  /** @throws when it cannot listen again, because its port is taken. */
  async behave(mood: MoodWord): Promise<void> {
    this.faults.mood = mood === 'down' ? 'well' : mood;
    await (mood === 'down' ? this.goDown() : this.comeUp());
  }

  /** Listens (again). @throws when the port is taken. */
  comeUp(): Promise<void> {
    return this.#listener.comeUp();
  }

  /** An outage: every connection is cut and new ones are refused, until `comeUp`. Messages and receipts are kept. */
  goDown(): Promise<void> {
    return this.#listener.goDown();
  }

  /** Cuts every connection; new ones are welcome. */
  dropConnections(): void {
    this.#listener.dropConnections();
  }

  resumeAnswers(): void {
    this.faults.answersPaused = false;
    this.#traffic.releaseAnswers();
  }

  holdReceipts(): void {
    this.#delivery.held = true;
  }

  releaseReceipts(): void {
    this.#delivery.held = false;
    this.#delivery.flush();
  }

  /** Sends an unsolicited receipt about the message with this answered id, or the newest to this number. False = no such message. */
  sendReceipt(about: { id: string } | { to: string }, stat: Stat, err?: string): boolean {
    return this.#traffic.sendReceipt(about, stat, err);
  }

  /** Sends a message from a phone, in ASCII, as a user's reply would be. */
  sendMessage(from: string, to: string, text: string): void {
    this.#delivery.add({
      systemId: this.#options.profile.systemId,
      command: 'deliver_sm',
      fields: {
        source_addr_ton: 1,
        source_addr_npi: 1,
        source_addr: from.replace(/^\+/, ''),
        destination_addr: to,
        data_coding: 0,
        short_message: Buffer.from(text, 'ascii'),
      },
      attempts: 0,
    });
  }

  /** Any octets, on every bind. */
  sendRaw(octets: Buffer): void {
    for (const link of this.#bound()) link.write(octets);
  }

  /** Ends every fault: listens, answers and sends receipts again. */
  async reset(): Promise<void> {
    this.faults.reset();
    this.resumeAnswers();
    this.releaseReceipts();
    await this.comeUp();
  }

  async stop(): Promise<void> {
    this.#late.stop();
    this.#traffic.stop();
    this.#delivery.stop();
    await this.goDown();
  }

  #bound(): Link[] {
    return [...this.#listener.links].filter((link) => link.bound !== null);
  }

  /** A slow SMSC takes the message late, too: its receipt follows the answer. */
  #submit(link: Link, pdu: Pdu): void {
    const take = () => this.#traffic.submit(link, pdu);
    switch (this.faults.mood) {
      case 'stuck':
        return;
      case 'slow':
        this.#late.later(pdu, slowMs, take);
        return;
      case 'unbinding':
        if (!this.#unbinding.has(link)) link.request('unbind', {});
        this.#unbinding.add(link);
        this.#late.later(pdu, unbindingMs, take);
        return;
      default:
        take();
    }
  }

  #part(link: Link): void {
    this.#release(link);
    link.close();
  }

  #request(link: Link, pdu: Pdu): void {
    const handle = this.#handlers[pdu.command];
    if (handle) handle(link, pdu);
    else link.nack(pdu.sequence_number, status.invalidCommandId);
  }

  /** A handler for commands that only a bind which may submit can send. */
  #submitting(handle: (link: Link, pdu: Pdu) => void): (link: Link, pdu: Pdu) => void {
    return (link, pdu) => {
      if (link.canSubmit) handle(link, pdu);
      else link.answer(pdu, { command_status: status.incorrectBindStatus });
    };
  }

  #bind(link: Link, pdu: Pdu, type: BindType): void {
    const commandStatus = this.#bindStatus(link, pdu);
    if (commandStatus !== status.ok) {
      link.answer(pdu, { command_status: commandStatus });
      return;
    }
    const { systemId, name } = this.#options.profile;
    link.bound = { systemId, type };
    this.#peakBinds = Math.max(this.#peakBinds, this.#bound().length);
    link.answer(pdu, { system_id: name, sc_interface_version: SMPP_34 });
    if (link.canReceive) this.#delivery.attach(link, systemId);
  }

  #bindStatus(link: Link, pdu: Pdu): number {
    const { profile, maxBinds = Number.POSITIVE_INFINITY } = this.#options;
    if (this.faults.bindStatus !== null) return this.faults.bindStatus;
    if (link.bound) return status.alreadyBound;
    if (pdu.system_id !== profile.systemId) return status.bindFailed;
    if (pdu.password !== profile.password) return status.invalidPassword;
    return this.#bound().length >= maxBinds ? status.alreadyBound : status.ok;
  }

  #release(link: Link): void {
    if (link.bound && link.canReceive) this.#delivery.detach(link, link.bound.systemId);
    link.bound = null;
  }
}
