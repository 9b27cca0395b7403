// A call with a clock that stands still, and the text that a callee would send it: every message goes through the parser, both ways.
import { Call } from '../../../src/sip/call.ts';
import type { CallEvent, CallOptions } from '../../../src/sip/call-context.ts';
import { header, parseCSeq, parseNameAddr } from '../../../src/sip/headers.ts';
import { parseMessage, type SipMessage } from '../../../src/sip/message.ts';
import { writeOffer } from '../../../src/sip/sdp.ts';

export const OFFER = writeOffer({ address: '192.0.2.1', port: 40_000, sessionId: '77', version: 1 });

/** The callee's description: PCMA and key presses, or whatever `more` changes. */
export const sdpOf = ({ port = 5_004, address = '198.51.100.7', version = 1, direction = 'sendrecv' } = {}): string =>
  [
    'v=0',
    `o=callee 5 ${version} IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 8 101`,
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    `a=${direction}`,
    '',
  ].join('\r\n');

export interface Words {
  tag?: string | null;
  headers?: readonly string[];
  body?: string;
  type?: string;
  contact?: string | null;
}

/** Counts up instead of being random, so that texts can be compared. */
function counting(): (bytes: number) => Buffer {
  let count = 0;
  return (bytes) => {
    count += 1;
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntBE(count, Math.max(0, bytes - 4), Math.min(4, bytes));
    return buffer;
  };
}

export const parsed = (text: string | Buffer): SipMessage => {
  const message = parseMessage(Buffer.from(text as string, 'latin1'));
  if (message === null) throw new Error(`not a message: ${text}`);
  return message;
};

export interface Sent {
  at: number;
  message: SipMessage;
  text: string;
}

export class Rig {
  now = 0;
  readonly call: Call;
  /** All that was sent so far. */
  readonly sent: Sent[] = [];
  readonly events: CallEvent[] = [];
  #number = 100;
  #branch = 0;

  constructor(options: Partial<CallOptions> = {}) {
    this.call = new Call({
      callId: 'msg_1@192.0.2.1',
      uri: 'sip:+213551234567@trunk.example',
      from: '"Ramz" <sip:+21321000000@192.0.2.1>',
      contact: 'sip:ramz@192.0.2.1:5060',
      via: 'SIP/2.0/UDP 192.0.2.1:5060;rport',
      reliable: false,
      offer: OFFER,
      credentials: null,
      ringForMs: 28_000,
      random: counting(),
      ...options,
    });
  }

  static ringing(options: Partial<CallOptions> = {}): Rig {
    const rig = new Rig(options);
    rig.call.start(rig.now);
    rig.collect();
    return rig;
  }

  /** Answered by the branch `a`, with its ACK sent. */
  static up(options: Partial<CallOptions> = {}, words: Words = {}): Rig {
    const rig = Rig.ringing(options);
    rig.answer('INVITE', 180, 'Ringing', { tag: 'a' });
    rig.answer('INVITE', 200, 'OK', { tag: 'a', body: sdpOf(), ...words });
    return rig;
  }

  collect(): void {
    for (const bytes of this.call.out.splice(0))
      this.sent.push({ at: this.now, message: parsed(bytes), text: bytes.toString('latin1') });
    this.events.push(...this.call.events.splice(0));
  }

  /** `ACK`, `INVITE`, … or `200` for answers, in the order they went out. */
  get log(): string[] {
    return this.sent.map(({ message }) => message.method ?? String(message.status));
  }

  /** The last one sent of this method, or with this status. */
  last(what: string): SipMessage {
    return this.all(what).at(-1)!;
  }

  all(what: string): SipMessage[] {
    const found = this.sent.filter(({ message }) => (message.method ?? String(message.status)) === what);
    if (found.length === 0) throw new Error(`no ${what} was sent, but ${this.log}`);
    return found.map(({ message }) => message);
  }

  times(what: string): number[] {
    return this.sent.filter(({ message }) => (message.method ?? String(message.status)) === what).map(({ at }) => at);
  }

  hear(text: string): void {
    this.call.take(parsed(text), this.now);
    this.collect();
  }

  /** Answers a request of ours, as its text has it. */
  answerTo(request: SipMessage, status: number, reason: string, words: Words = {}): void {
    this.hear(answerText(request, status, reason, words));
  }

  /** Answers the last request of this method. */
  answer(method: string, status: number, reason: string, words: Words = {}): void {
    this.answerTo(this.last(method), status, reason, words);
  }

  /** The text of a request from the callee within the dialog, the next in its count. */
  requestText(method: string, words: Words & { number?: number; to?: string; branch?: string } = {}): string {
    const { body = '', type = 'application/sdp', headers = [], tag = 'a', contact = 'sip:callee@198.51.100.7' } = words;
    this.#number += 1;
    this.#branch += 1;
    const from = header(this.last('INVITE'), 'to').replace(/;tag=.*/, '');
    return [
      `${method} sip:ramz@192.0.2.1:5060 SIP/2.0`,
      `Via: SIP/2.0/UDP 198.51.100.7;branch=${words.branch ?? `z9hG4bKcallee${this.#branch}`}`,
      'Max-Forwards: 70',
      `From: ${from}${tag === null ? '' : `;tag=${tag}`}`,
      `To: ${words.to ?? header(this.last('INVITE'), 'from')}`,
      'Call-ID: msg_1@192.0.2.1',
      `CSeq: ${words.number ?? this.#number} ${method}`,
      ...(contact === null ? [] : [`Contact: <${contact}>`]),
      ...headers,
      ...(body === '' ? [] : [`Content-Type: ${type}`]),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  }

  /** The callee asks; returns our answer. */
  ask(method: string, words: Parameters<Rig['requestText']>[1] = {}): SipMessage {
    const before = this.sent.length;
    this.hear(this.requestText(method, words));
    const answer = this.sent.slice(before).find(({ message }) => message.method === null);
    if (!answer) throw new Error(`${method} was not answered`);
    return answer.message;
  }

  /** Lets the time go on to `until`, with a tick whenever the call asks for one. */
  run(until: number): void {
    for (let turns = 0; turns < 10_000; turns += 1) {
      const next = this.call.nextAt();
      if (next === null || next > until) break;
      this.now = Math.max(this.now, next);
      this.call.tick(this.now);
      this.collect();
      if (turns === 9_999) throw new Error(`the call does not come to rest at ${this.now} ms`);
    }
    this.now = Math.max(this.now, until);
  }

  hangUp(reason?: string): void {
    this.call.hangUp(this.now, reason);
    this.collect();
  }

  get ends(): CallEvent[] {
    return this.events.filter(({ kind }) => kind === 'ended');
  }

  /** The end without what is null. */
  get end(): Record<string, unknown> {
    const [end] = this.ends;
    return Object.fromEntries(Object.entries(end ?? {}).filter(([key, value]) => value !== null && key !== 'kind'));
  }
}

export function answerText(request: SipMessage, status: number, reason: string, words: Words = {}): string {
  const { tag = 'a', headers = [], body = '', type = 'application/sdp', contact = 'sip:callee@198.51.100.7' } = words;
  const to = header(request, 'to');
  const isTagged = parseNameAddr(to)?.parameters.has('tag') === true;
  const cseq = parseCSeq(header(request, 'cseq'));
  return [
    `SIP/2.0 ${status} ${reason}`,
    ...(request.headers.get('via') ?? []).map((via) => `Via: ${via};received=192.0.2.1`),
    `From: ${header(request, 'from')}`,
    `To: ${to}${tag === null || isTagged || status === 100 ? '' : `;tag=${tag}`}`,
    `Call-ID: ${header(request, 'call-id')}`,
    `CSeq: ${cseq?.number} ${cseq?.method}`,
    ...(contact === null ? [] : [`Contact: <${contact}>`]),
    ...headers,
    ...(body === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
