// The SIP stack of the sandbox's trunk: npm `sip` (parser, writer, transactions) on a UDP socket of ours. It is never our own library,
// because the caller must face a foreign stack; the package's own socket has no error event and no port 0, so the socket is ours.

import { createSocket, type Socket } from 'node:dgram';
import type { Headers, Message, TransactionLayer } from 'sip';

type Sip = typeof import('sip').default;

export interface Remote {
  address: string;
  port: number;
}

export interface Request extends Message {
  method: string;
  uri: string;
}

/** A request with its way back. */
export interface Incoming {
  request: Request;
  remote: Remote;
  /** Sends a response in the request's transaction, which repeats it where RFC 3261 section 17.2 says so. */
  answer(status: number, reason: string, extension?: { headers?: Record<string, unknown>; content?: string }): void;
}

export interface StackOptions {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** Default: none. Requests that are dropped as if they had been lost, before a transaction keeps them: a repetition is looked at again. */
  isLost?(request: Request): boolean;
  /** Every request that begins a transaction: retransmissions never come here. */
  onRequest(incoming: Incoming): void;
  /** An ACK of a 2xx; an ACK of any other answer belongs to the transaction. */
  onAck(request: Request): void;
}

/** Null where the package is not installed: it is a development dependency. */
export async function loadSip(): Promise<Sip | null> {
  try {
    return (await import('sip')).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

export class SipStack {
  /** True: nothing that arrives is read. */
  deaf = false;
  readonly sip: Sip;
  readonly #options: StackOptions;
  readonly #transactions: TransactionLayer;
  #socket: Socket | null = null;
  #port: number;

  constructor(sip: Sip, options: StackOptions) {
    this.sip = sip;
    this.#options = options;
    this.#port = options.port;
    this.#transactions = sip.makeTransactionLayer({}, () => {});
  }

  /** The port listened on; the same again after `close` and `open`. */
  get port(): number {
    return this.#port;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  /** @throws when the port is taken. */
  async open(): Promise<void> {
    if (this.#socket) return;
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', (error) => {
        socket.close();
        reject(error);
      });
      socket.bind(this.#port, this.#options.host, () => {
        socket.removeAllListeners('error');
        resolve();
      });
    });
    // A send error has no reader; what is lost is sent again by the timers.
    socket.on('error', () => {});
    socket.on('message', (datagram, { address, port }) => this.#take(datagram, { address, port }));
    this.#port = socket.address().port;
    this.#socket = socket;
  }

  /** From now on the port refuses datagrams. Transactions end, so that no timer is left. */
  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    this.#transactions.destroy();
    if (socket) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  /** Sends a request and repeats it until it is answered, 32 s at most; Via is added here. */
  request(request: Omit<Request, 'headers'> & { headers: Omit<Headers, 'via'> }, remote: Remote): void {
    const via = {
      version: '2.0',
      protocol: 'UDP',
      host: this.#options.host,
      port: this.#port,
      params: { rport: null },
    };
    const message = { ...request, headers: { ...request.headers, via: [via] } } as unknown as Message;
    this.#transactions.createClientTransaction(this.#connection(remote), message, () => {});
  }

  #connection({ address, port }: Remote) {
    const send = (message: Message) =>
      this.#socket?.send(Buffer.from(this.sip.stringify(message), 'latin1'), port, address, () => {});
    return { send, release: () => {}, protocol: 'UDP' as const };
  }

  #take(datagram: Buffer, remote: Remote): void {
    if (this.deaf) return;
    const message = this.sip.parse(datagram);
    if (!message || !isWhole(message)) return;
    if (message.method === undefined) {
      this.#transactions.getClient(message)?.message(message);
      return;
    }
    const known = this.#transactions.getServer(message);
    if (known) known.message(message);
    else if (message.method === 'ACK') this.#options.onAck(message as Request);
    else if (!this.#options.isLost?.(message as Request)) this.#begin(message as Request, remote);
  }

  #begin(request: Request, source: Remote): void {
    const remote = { address: source.address, port: answerPort(request, source) };
    const transaction = this.#transactions.createServerTransaction(request, this.#connection(remote));
    const answer: Incoming['answer'] = (status, reason, extension) =>
      transaction.send(this.sip.makeResponse(request, status, reason, extension));
    try {
      this.#options.onRequest({ request, remote: source, answer });
    } catch {
      // A bug here.
      answer(500, 'Server Internal Error');
    }
  }
}

/** What the transaction layer takes for granted. */
function isWhole({ method, uri, status, headers }: Message): boolean {
  const isStarted = method === undefined ? status !== undefined : uri !== undefined;
  const { via, to, from, cseq } = headers;
  return isStarted && Array.isArray(via) && via.length > 0 && Boolean(to && from && cseq && headers['call-id']);
}

/** RFC 3581 section 4: the port it came from, where the client asks for that, else the port that its Via names. */
function answerPort({ headers }: Request, { address, port }: Remote): number {
  const [via] = headers.via;
  if (!via) return port;
  via.params.received = address;
  if (!('rport' in via.params)) return via.port ?? 5060;
  via.params.rport = port;
  return port;
}
