// A callback endpoint such as the app's owner runs: answers the challenge, checks the signature over the raw bytes with
// node:crypto alone, keeps what came.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Status {
  id: string;
  status: string;
  timestamp: string;
  recipient_id: string;
  biz_opaque_callback_data?: string;
  pricing?: Record<string, unknown>;
  errors?: { code: number; title: string; error_data: { details: string } }[];
}

interface Webhook {
  object: string;
  entry: { id: string; changes: { field: string; value: Record<string, unknown> & { statuses?: Status[] } }[] }[];
}

export class Callback {
  /** Every POST, answered well or not. */
  readonly posts: { body: Webhook; raw: string; signed: boolean }[] = [];
  /** Queries of the handshakes. */
  readonly handshakes: URLSearchParams[] = [];
  /** The next POSTs are answered with these; 200 when there is none left. */
  answers: number[] = [];
  /** Instead of the challenge. */
  challengeAnswer: { status: number; body: string } | null = null;
  url = '';
  readonly #secret: string;
  readonly #verifyToken: string;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://callback');
      if (request.method === 'GET') {
        const { status, body } = this.#challenged(url.searchParams);
        response.writeHead(status).end(body);
        return;
      }
      const raw = Buffer.concat(chunks);
      const right = `sha256=${createHmac('sha256', this.#secret).update(raw).digest('hex')}`;
      const signed = request.headers['x-hub-signature-256'] === right;
      this.posts.push({ body: JSON.parse(raw.toString('utf8')), raw: raw.toString('latin1'), signed });
      response.writeHead(this.answers.shift() ?? 200).end();
    });
  });

  constructor(secret: string, verifyToken: string) {
    this.#secret = secret;
    this.#verifyToken = verifyToken;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/callbacks/messaging`;
    return this;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  clear(): void {
    this.posts.length = 0;
    this.answers = [];
  }

  /** Statuses of all webhooks, in order of arrival; of one message, where one is named. */
  statuses(wamid?: string): Status[] {
    return this.changes('messages')
      .flatMap(({ value }) => value.statuses ?? [])
      .filter(({ id }) => wamid === undefined || id === wamid);
  }

  changes(field: string) {
    return this.posts
      .flatMap(({ body }) => body.entry)
      .flatMap(({ id, changes }) => changes.map((change) => ({ entry: id, ...change })))
      .filter((change) => change.field === field);
  }

  #challenged(query: URLSearchParams): { status: number; body: string } {
    this.handshakes.push(query);
    if (this.challengeAnswer) return this.challengeAnswer;
    const isRight = query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === this.#verifyToken;
    return isRight ? { status: 200, body: query.get('hub.challenge') ?? '' } : { status: 403, body: '' };
  }
}
