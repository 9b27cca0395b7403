// A trunk with phones behind it that shares no code with us: SIP as plain text over UDP, and a script that says what each phone does.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** A SIP message as text; header names in lower case. */
export interface Text {
  first: string;
  headers: Map<string, string[]>;
  body: string;
  from: RemoteInfo;
}

const host = '127.0.0.1';

/** What a phone does with an INVITE. */
export type Script = (call: Phone) => void;

export class Callee {
  /** Every request, in order; repetitions of an INVITE too. */
  readonly requests: Text[] = [];
  readonly phones: Phone[] = [];
  /** What is answered to OPTIONS; null = nothing. */
  options: number | null = 200;
  script: Script;
  readonly #socket: Socket;

  private constructor(socket: Socket, script: Script) {
    this.#socket = socket;
    this.script = script;
    socket.on('message', (bytes, from) => this.#take(parse(bytes.toString('latin1'), from)));
  }

  /** @param at Where it listens; the sound is at 127.0.0.1 in any case. */
  static async open(script: Script = (phone) => phone.answer(486), at = { host, port: 0 }): Promise<Callee> {
    const socket = createSocket(isIPv6(at.host) ? 'udp6' : 'udp4');
    socket.bind(at.port, at.host);
    await once(socket, 'listening');
    return new Callee(socket, script);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get address(): string {
    return `${host}:${this.port}`;
  }

  /** Methods of the requests so far, each INVITE once. */
  get methods(): string[] {
    const seen = new Set<string>();
    return this.requests.flatMap((request) => {
      const [method = ''] = request.first.split(' ');
      const key = `${method} ${one(request, 'call-id')} ${one(request, 'cseq')}`;
      if (method === 'OPTIONS' || seen.has(key)) return [];
      seen.add(key);
      return [method];
    });
  }

  async close(): Promise<void> {
    for (const phone of this.phones) phone.close();
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  send(text: string, to: RemoteInfo): void {
    this.#socket.send(Buffer.from(text, 'latin1'), to.port, to.address);
  }

  #take(text: Text): void {
    const [method = ''] = text.first.split(' ');
    const phone = this.phones.find(({ callId }) => callId === one(text, 'call-id'));
    if (method === 'SIP/2.0') {
      phone?.answers.push(text);
      return;
    }
    this.requests.push(text);
    if (method === 'OPTIONS') {
      if (this.options !== null) this.send(response(text, this.options), text.from);
    } else if (method === 'INVITE' && !phone) {
      const called = new Phone(this, text);
      this.phones.push(called);
      this.script(called);
    } else if (method !== 'INVITE' && method !== 'ACK') phone?.take(method, text);
  }
}

/** One call at a phone. */
export class Phone {
  readonly callId: string;
  readonly answers: Text[] = [];
  /** RTP packets that came. */
  readonly heard: Buffer[] = [];
  readonly #callee: Callee;
  readonly #invite: Text;
  #media: Socket | null = null;
  #sequence = 0;
  #number = 0;
  /** What CANCEL does; default: 200 and 487. */
  onCancel: (phone: Phone) => void = (phone) => phone.answer(487);

  constructor(callee: Callee, invite: Text) {
    this.#callee = callee;
    this.#invite = invite;
    this.callId = one(invite, 'call-id');
  }

  header(name: string): string {
    return one(this.#invite, name);
  }

  get uri(): string {
    return this.#invite.first.split(' ')[1] ?? '';
  }

  get offer(): string {
    return this.#invite.body;
  }

  ring(status = 180): void {
    this.answer(status);
  }

  answer(status: number, headers: readonly string[] = [], body = ''): void {
    this.#callee.send(response(this.#invite, status, headers, body), this.#invite.from);
  }

  /** Takes the call, and says nothing of sound. */
  pickUpWithoutAudio(): void {
    this.answer(200, [`Contact: <sip:phone@${this.#callee.address}>`]);
  }

  /** Takes the call, with a port that hears. */
  async pickUp(): Promise<void> {
    const media = createSocket('udp4');
    media.bind(0, host);
    await once(media, 'listening');
    media.on('message', (bytes) => this.heard.push(bytes));
    this.#media = media;
    this.answer(200, this.#described, this.#sdp('sendrecv'));
  }

  /** A re-INVITE; `sendonly` puts the caller on hold. */
  reInvite(direction: string): void {
    this.ask('INVITE', this.#described, this.#sdp(direction));
  }

  get #described(): string[] {
    return [`Contact: <sip:phone@${this.#callee.address}>`, 'Content-Type: application/sdp'];
  }

  /** Presses a key, by RFC 4733. */
  press(event: number): void {
    const [, port = '0'] = /^m=audio (\d+)/m.exec(this.offer) ?? [];
    const packet = (end: boolean, marker: boolean) => {
      const bytes = Buffer.alloc(16);
      bytes[0] = 0x80;
      bytes[1] = (marker ? 0x80 : 0) | 101;
      bytes.writeUInt16BE(this.#sequence++, 2);
      bytes.writeUInt32BE(16_000 + event, 4);
      bytes.writeUInt32BE(0x0badcafe, 8);
      bytes[12] = event;
      bytes[13] = (end ? 0x80 : 0) | 10;
      bytes.writeUInt16BE(end ? 800 : 160, 14);
      return bytes;
    };
    const packets = [packet(false, true), packet(true, false), packet(true, false), packet(true, false)];
    for (const bytes of packets) this.#media?.send(bytes, Number(port), host);
  }

  /** A request within the call: BYE, INFO, a re-INVITE. */
  ask(method: string, headers: readonly string[] = [], body = ''): void {
    this.#number += 1;
    const contact = /<([^>]+)>/.exec(this.header('contact'))?.[1] ?? '';
    const lines = [
      `${method} ${contact} SIP/2.0`,
      `Via: SIP/2.0/UDP ${this.#callee.address};branch=z9hG4bK${this.callId}${this.#number}`,
      'Max-Forwards: 70',
      `From: ${this.header('to')};tag=phone`,
      `To: ${this.header('from')}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${this.#number} ${method}`,
      ...headers,
    ];
    this.#callee.send(withBody(lines, body), this.#invite.from);
  }

  take(method: string, request: Text): void {
    this.#callee.send(response(request, 200), request.from);
    if (method === 'CANCEL') this.onCancel(this);
  }

  close(): void {
    this.#media?.close();
    this.#media = null;
  }

  #sdp(direction: string): string {
    const port = this.#media?.address().port ?? 0;
    const lines = [
      'v=0',
      `o=- 1 1 IN IP4 ${host}`,
      's=-',
      `c=IN IP4 ${host}`,
      't=0 0',
      `m=audio ${port} RTP/AVP 8 101`,
    ];
    return [...lines, 'a=rtpmap:8 PCMA/8000', 'a=rtpmap:101 telephone-event/8000', `a=${direction}`, ''].join('\r\n');
  }
}

const one = ({ headers }: Text, name: string): string => headers.get(name)?.[0] ?? '';

function parse(text: string, from: RemoteInfo): Text {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [name = '', ...rest] = line.split(':');
    const key = name.trim().toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), rest.join(':').trim()]);
  }
  return { first, headers, body, from };
}

function response(request: Text, status: number, more: readonly string[] = [], body = ''): string {
  const to = one(request, 'to');
  const lines = [
    `SIP/2.0 ${status} Said`,
    ...(request.headers.get('via') ?? []).map((via) => `Via: ${via}`),
    `From: ${one(request, 'from')}`,
    `To: ${status === 100 || /;tag=/.test(to) ? to : `${to};tag=phone`}`,
    `Call-ID: ${one(request, 'call-id')}`,
    `CSeq: ${one(request, 'cseq')}`,
    ...more,
  ];
  return withBody(lines, body);
}

const withBody = (lines: readonly string[], body: string): string =>
  [...lines, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
