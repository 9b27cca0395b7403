// An HTTP/1.1 client that costs next to nothing, so that the load does not take from the server what is measured.
// Keep-alive, one request at a time on each connection, answers with content-length: what our doors and Fastify send.

import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  status: number;
  body: string;
}

interface Connection {
  socket: Socket;
  received: Buffer[];
  length: number;
  answer: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | null;
}

export interface HttpClientOptions {
  port: number;
  /** Sent with every request. */
  headers: Record<string, string>;
}

export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #head: string;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    const headers = { host: `127.0.0.1:${options.port}`, 'content-type': 'application/json', ...options.headers };
    this.#head = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
  }

  post(path: string, body: string): Promise<HttpAnswer> {
    return this.#ask(`POST ${path} HTTP/1.1\r\n${this.#head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  get(path: string): Promise<HttpAnswer> {
    return this.#ask(`GET ${path} HTTP/1.1\r\n${this.#head}\r\n`);
  }

  /** Opens a connection where none is idle: how many there are is up to the caller. */
  #ask(request: string): Promise<HttpAnswer> {
    const connection = this.#idle.pop() ?? this.#open();
    return new Promise((resolve, reject) => {
      connection.answer = { resolve, reject };
      connection.socket.write(request);
    });
  }

  close(): void {
    for (const { socket } of this.#all) socket.destroy();
  }

  #open(): Connection {
    const socket = connect(this.#options.port, '127.0.0.1').setNoDelay(true);
    const connection: Connection = { socket, received: [], length: 0, answer: null };
    this.#all.add(connection);
    socket.on('data', (chunk) => this.#receive(connection, chunk));
    const lost = (error?: Error) => {
      const { answer } = connection;
      connection.answer = null;
      this.#all.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
      answer?.reject(error ?? new Error('the server closed the connection'));
    };
    socket.on('error', lost).on('close', () => lost());
    return connection;
  }

  #receive(connection: Connection, chunk: Buffer): void {
    connection.received.push(chunk);
    connection.length += chunk.length;
    const answer = parseAnswer(connection.received.length === 1 ? chunk : Buffer.concat(connection.received));
    if (!answer) return;
    const waiting = connection.answer;
    connection.answer = null;
    connection.received = [];
    connection.length = 0;
    this.#idle.push(connection);
    waiting?.resolve(answer);
  }
}

/** Null while it is not whole. */
function parseAnswer(bytes: Buffer): HttpAnswer | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without content-length:\n${head}`);
  const last = end + 4 + Number(length);
  if (bytes.length < last) return null;
  return { status: Number(head.slice(9, 12)), body: bytes.toString('utf8', end + 4, last) };
}
