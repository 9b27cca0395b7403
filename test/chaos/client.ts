// A client as the README asks one to be: an Idempotency-Key on every call, and the same call again, on the other servers too,
// for as long as there is no answer that means something.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Ledger } from './ledger.ts';
import type { Server } from './plan.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: JSON as a client gets it.
  body: any;
  attempts: number;
}

export interface ClientOptions {
  servers: readonly { name: Server; url: string }[];
  apiKey: string;
  ledger: Ledger;
}

/** Longer than a server is ever silent but for a frozen one, whose calls are to be tried elsewhere. */
const timeoutMs = 4_000;
const maxPauseMs = 1_000;
const patienceMs = 60_000;

export class Client {
  readonly #options: ClientOptions;
  readonly #pools: Pool[];

  constructor(options: ClientOptions) {
    this.#options = options;
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connect: { timeout: timeoutMs } };
    this.#pools = options.servers.map(({ url }) => new Pool(url, { connections: 128, pipelining: 1, ...limits }));
  }

  /** `first`: the server to begin with. Null when a minute brought no answer but refusals for now. */
  async post(path: string, body: object, key: string, first: number): Promise<Answer | null> {
    const text = JSON.stringify(body);
    const giveUpAt = Date.now() + patienceMs;
    for (let attempt = 1, waitMs = 50; Date.now() < giveUpAt; attempt += 1) {
      const index = (first + attempt - 1) % this.#pools.length;
      const pool = this.#pools[index] as Pool;
      const { name: server } = this.#options.servers[index] as { name: Server };
      const from = Date.now();
      const answer = await this.#once(pool, 'POST', path, { body: text, 'idempotency-key': key });
      this.#options.ledger.tries.push({ key, server, from, to: Date.now(), status: answer?.status ?? 0 });
      if (answer && answer.status < 500 && answer.status !== 429) return { ...answer, attempts: attempt };
      await pause(waitMs);
      waitMs = Math.min(waitMs * 2, maxPauseMs);
    }
    this.#options.ledger.givenUp += 1;
    return null;
  }

  /** @throws when it is not answered with 200, or is refused for now five times: at the end of a run, when everything is up. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON as a client gets it.
  async get(path: string): Promise<any> {
    let answer = await this.#once(this.#pools[0] as Pool, 'GET', path, {});
    for (let tries = 1; tries < 5 && (!answer || answer.status === 503 || answer.status === 429); tries += 1) {
      await pause(maxPauseMs);
      answer = await this.#once(this.#pools[0] as Pool, 'GET', path, {});
    }
    if (answer?.status !== 200) throw new Error(`GET ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    return answer.body;
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  async #once(
    pool: Pool,
    method: 'GET' | 'POST',
    path: string,
    { body, ...headers }: { body?: string; 'idempotency-key'?: string },
  ): Promise<Omit<Answer, 'attempts'> | null> {
    const { apiKey, ledger } = this.#options;
    try {
      const answer = await pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
      });
      const parsed = await answer.body.json();
      const code = (parsed as { error?: { code?: string } }).error?.code;
      ledger.answered(code ? `${answer.statusCode} ${code}` : String(answer.statusCode));
      return { status: answer.statusCode, body: parsed };
    } catch (error) {
      ledger.answered((error as { code?: string }).code ?? (error as Error).name);
      return null;
    }
  }
}
