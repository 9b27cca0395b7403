// A caller of the sandbox's phones that shares no code with them: SIP as plain text, RTP by hand, nothing sent unless a test says so.
import { createHash, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import { until } from '../../support/wait.ts';

export interface SipText {
  first: string;
  /** By lower-case name; several of one name are joined by line feeds. */
  headers: Map<string, string>;
  body: string;
}

const hex = (size: number) => randomBytes(size).toString('hex');
const host = '127.0.0.1';

export class Caller {
  readonly callId = `${hex(8)}@caller`;
  readonly fromTag = hex(4);
  /** Everything that came, in order. */
  readonly seen: SipText[] = [];
  /** Audio and keys that came, in order. */
  readonly rtp: Buffer[] = [];
  readonly #sip: Socket;
  readonly #media: Socket;
  readonly #trunk: number;
  readonly #to: string;
  #branch = '';
  #sequence = 1;
  #packet = 0;
  #skippedMs = 0;
  #peer = 0;
  offer = { types: '8 0 101', codecs: ['8 PCMA/8000', '0 PCMU/8000', '101 telephone-event/8000'] };
  from = '+213210000000';
  readonly extra: string[] = [];

  private constructor(sip: Socket, media: Socket, trunk: number, to: string) {
    this.#sip = sip;
    this.#media = media;
    this.#trunk = trunk;
    this.#to = to;
    sip.on('message', (bytes) => this.seen.push(parse(bytes.toString('latin1'))));
    media.on('message', (bytes) => this.rtp.push(bytes));
  }

  /** `to`: the user part of the request URI. */
  static async open(trunk: number, to: string): Promise<Caller> {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
    for (const socket of sockets) {
      socket.bind(0, host);
      await once(socket, 'listening');
    }
    return new Caller(...sockets, trunk, to);
  }

  get uri(): string {
    return `sip:${this.#to}@${host}:${this.#trunk}`;
  }

  /** Statuses of the responses to one method, in order. */
  statuses(method = 'INVITE'): number[] {
    return this.seen
      .filter(({ first, headers }) => first.startsWith('SIP/2.0') && headers.get('cseq')?.endsWith(` ${method}`))
      .map(({ first }) => Number(first.split(' ')[1]));
  }

  response(status: number): SipText {
    const found = this.seen.findLast(({ first }) => first.startsWith(`SIP/2.0 ${status} `));
    if (!found) throw new Error(`no ${status} among ${this.seen.map(({ first }) => first).join(', ') || 'nothing'}`);
    return found;
  }

  requests(method: string): SipText[] {
    return this.seen.filter(({ first }) => first.startsWith(`${method} `));
  }

  answered(status: number): Promise<SipText> {
    return until(() => this.response(status), { what: `a ${status}` });
  }

  /** A new INVITE transaction, or with `again` the same datagram once more. */
  invite({ again = false, headers = [] as string[] } = {}): void {
    if (!again) {
      this.#branch = `z9hG4bK${hex(8)}`;
      this.#sequence += 1;
    }
    const { types, codecs } = this.offer;
    const media = [`m=audio ${this.#media.address().port} RTP/AVP ${types}`, ...codecs.map((c) => `a=rtpmap:${c}`)];
    const sdp = `${['v=0', `o=- 1 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0', ...media].join('\r\n')}\r\n`;
    this.#send('INVITE', { to: `<${this.uri}>`, headers: [...this.extra, ...headers], body: sdp });
  }

  /** Credentials for an INVITE, by MD5 (RFC 7616). */
  login(challenge: string, username: string, password: string): string {
    const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex');
    const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const realm = /realm="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const secret = md5(username, realm, password);
    const response = md5(secret, nonce, '00000001', 'c0', 'auth', md5('INVITE', this.uri));
    const fields = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${this.uri}", response="${response}"`;
    return `Proxy-Authorization: Digest ${fields}, qop=auth, nc=00000001, cnonce="c0"`;
  }

  cancel(): void {
    this.#send('CANCEL', { to: `<${this.uri}>` });
  }

  /** Of the 200; it has a branch of its own. */
  ack(): void {
    const answer = this.response(200);
    this.#peer = Number(/m=audio (\d+)/.exec(answer.body)?.[1]);
    this.#send('ACK', { to: answer.headers.get('to') ?? '', branch: `z9hG4bK${hex(8)}` });
  }

  /** Of a final answer that is no 200: in the INVITE's transaction. */
  ackRefusal(status: number): void {
    this.#send('ACK', { to: this.response(status).headers.get('to') ?? '' });
  }

  /** A request inside the dialog. */
  within(method: string, headers: string[] = []): void {
    const to = this.seen.findLast(({ headers }) => headers.get('cseq')?.endsWith(' INVITE'))?.headers.get('to') ?? '';
    this.#sequence += 1;
    this.#send(method, { to, branch: `z9hG4bK${hex(8)}`, headers });
  }

  /** Any request outside a dialog. */
  ask(method: string): void {
    this.#send(method, { to: `<${this.uri}>`, branch: `z9hG4bK${hex(8)}` });
  }

  /** The phone's BYE. */
  answerRequest({ headers }: SipText): void {
    const copied = ['via', 'from', 'to', 'call-id', 'cseq'].map((name) => `${name}: ${headers.get(name)}`);
    this.#sip.send(['SIP/2.0 200 OK', ...copied, 'Content-Length: 0', '', ''].join('\r\n'), this.#trunk, host);
  }

  /** Sends audio in packets of 20 ms as fast as the phone, which is in this process, can read: it goes by the timestamps. */
  async speak(octets: Buffer, { payloadType = 8, lose = [] as number[] } = {}): Promise<void> {
    for (let start = 0; start < octets.length; start += 160, this.#packet += 1) {
      if (this.#packet % 20 === 19) await immediate();
      if (lose.includes(this.#packet)) continue;
      const header = Buffer.from([0x80, payloadType, 0, 0, 0, 0, 0, 0, 0xca, 0x11, 0xe5, 0x00]);
      header.writeUInt16BE(this.#packet & 0xffff, 2);
      header.writeUInt32BE((this.#packet * 160 + this.#skippedMs * 8 + 0xffff_f000) >>> 0, 4);
      this.#media.send(Buffer.concat([header, octets.subarray(start, start + 160)]), this.#peer, host);
    }
  }

  /** Time passes without a packet; the timestamps of the next ones show it. */
  skip(ms: number): void {
    this.#skippedMs += ms;
  }

  /** Keys that came: a digit for each timestamp of an event. */
  keys(eventType = 101): string {
    const events = this.rtp.filter((packet) => ((packet[1] ?? 0) & 0x7f) === eventType);
    return [...new Map(events.map((packet) => [packet.readUInt32BE(4), packet[12] ?? 0])).values()].join('');
  }

  close(): void {
    this.#sip.close();
    this.#media.close();
  }

  #send(method: string, { to, branch = this.#branch, headers = [], body = '' }: Sent): void {
    const { port } = this.#sip.address();
    const lines = [
      `${method} ${this.uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${host}:${port};rport;branch=${branch}`,
      'Max-Forwards: 70',
      `From: "Shop" <sip:${this.from}@${host}>;tag=${this.fromTag}`,
      `To: ${to}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${this.#sequence} ${method}`,
      `Contact: <sip:caller@${host}:${port}>`,
      ...headers,
      ...(body ? ['Content-Type: application/sdp'] : []),
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    this.#sip.send(`${lines.join('\r\n')}\r\n\r\n${body}`, this.#trunk, host);
  }
}

interface Sent {
  to: string;
  branch?: string;
  headers?: string[];
  body?: string;
}

function parse(text: string): SipText {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim().toLowerCase();
    const value = line.slice(at + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}\n${value}` : value);
  }
  return { first, headers, body: body.join('\r\n\r\n') };
}
