// The poster: one signed HTTP request to an endpoint (Standard Webhooks), pooled, checked against private addresses, and bounded in time.
// outcome.ts decides what the answer means.

import { Agent, buildConnector } from 'undici';
import { type SigningKey, sign } from '../../core/webhooks/signature.ts';
import { exchange } from '../../http/exchange.ts';
import type { WebhooksContext } from './context.ts';
import { checkHost, defaultResolve, guardedLookup, TargetRefused, targetRefused } from './target.ts';

/** `timeoutMs` is for the whole exchange: name, connection, TLS, request and answer with its body. */
type PosterContext = Pick<WebhooksContext, 'allowPrivate' | 'timeoutMs' | 'resolve'>;

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Signing {
  url: string;
  eventId: string;
  body: string;
  keys: readonly SigningKey[];
  /** Of this attempt, Unix ms: a receiver refuses what was signed long ago. */
  now: number;
}

export function signedPost({ url, eventId, body, keys, now }: Signing): Post {
  const timestampSeconds = Math.floor(now / 1000);
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Ramz-Webhooks/1',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ id: eventId, timestampSeconds, body, keys }),
    },
  };
}

/** Why there was no usable answer. */
export type NoAnswer =
  | 'timeout'
  | 'target_refused'
  | 'dns_failed'
  | 'tls_failed'
  | 'connection_failed'
  | 'malformed_answer'
  /** Nothing was sent: the endpoint's secret can't be opened. */
  | 'secret_unreadable';

export type Answer =
  | { kind: 'answered'; status: number; retryAfter: string | undefined }
  | { kind: 'no_answer'; reason: NoAnswer }
  /** This process broke it off: the other side is not judged by it. */
  | { kind: 'broken_off' };

/** The answer's body is not read; up to here it is waited for, so that the connection can be used again. */
const maxBodyBytes = 16_384;

/**
 * How long a connection is kept for the next post. As undici does without a word of the receiver: less than servers' usual 5 s, or requests would run
 * into closing connections. At its word undici would keep it for ten minutes: names cost nothing, and an account could have all sockets of the process.
 */
const keepAliveMs = 4_000;

export class Poster {
  readonly #timeoutMs: number;
  readonly #agent: Agent;
  #closed = false;

  constructor(context: PosterContext) {
    this.#timeoutMs = context.timeoutMs;
    // HTTP/1.1 only: with h2 one slow receiver's stream window could hold up others behind the same host.
    const connect = guardedConnector(context);
    this.#agent = new Agent({ connect, allowH2: false, pipelining: 1, keepAliveMaxTimeout: keepAliveMs });
  }

  /** Never throws: what goes wrong out there is an answer too. Redirects are not followed. `timeoutMs`: no more than that of the poster. */
  async post({ url, headers, body }: Post, timeoutMs = this.#timeoutMs): Promise<Answer> {
    try {
      const post = { method: 'POST', url, headers, body, timeoutMs, maxBodyBytes } as const;
      const answer = await exchange(this.#agent, post);
      return { kind: 'answered', status: answer.status, retryAfter: [answer.headers['retry-after']].flat()[0] };
    } catch (error) {
      if (this.#closed) return { kind: 'broken_off' };
      return { kind: 'no_answer', reason: reasonOf(error as Failure) };
    }
  }

  /** Breaks off what is under way. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#agent.destroy();
  }
}

/**
 * Of a name with several addresses so many are tried, each for its part of the time, and the last one for the rest. Node gives 250 ms to each but the
 * last: a receiver on another continent, or one lost packet, takes longer, and behind it comes IPv6, which few hosts reach.
 */
const addressesTried = 5;

/** The check sits in the connector: whatever leads to a connection passes here, literal addresses (never looked up) too. */
function guardedConnector(context: PosterContext): buildConnector.connector {
  const lookup = guardedLookup(context.resolve ?? defaultResolve(context), context);
  const autoSelectFamilyAttemptTimeout = Math.ceil(context.timeoutMs / addressesTried);
  const connect = buildConnector({
    lookup,
    timeout: context.timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout,
  });
  return (target, callback) => {
    const check = checkHost(target.hostname, context);
    if (check.kind === 'refused') callback(new TargetRefused(check.reason), null);
    else connect(target, callback);
  };
}

interface Failure extends Error {
  code?: string;
  syscall?: string;
  errors?: Failure[];
  cause?: Failure;
}

const dnsCodes = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EAI_AGAIN', 'EAI_NODATA', 'EREFUSED', 'EBADNAME']);
const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;

function reasonOf(error: Failure): NoAnswer {
  if (error.name === 'TimeoutError') return 'timeout';
  // Several addresses were tried: the last failure speaks for them.
  const failure = [error, error.errors?.at(-1), error.cause].find((each) => each?.code !== undefined);
  const { code = '', syscall = '' } = failure ?? {};
  if (code === targetRefused) return 'target_refused';
  // A name server that refuses the connection or says nothing has the codes of a receiver that does: the call tells them apart.
  if (dnsCodes.has(code) || /^(query|getaddrinfo)/.test(syscall)) return 'dns_failed';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (tlsCode.test(code)) return 'tls_failed';
  const malformed = error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW';
  return malformed ? 'malformed_answer' : 'connection_failed';
}
