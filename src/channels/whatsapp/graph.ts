// The client of the Graph API: a call ends in time whatever the other side does, and its result says whether the request can have
// arrived, because a message that may have arrived must not be sent again. The meaning of an answer is decided in answer.ts.

import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { exchange } from '../../http/exchange.ts';

export type Exchange =
  /** `body` is the answer's JSON, parsed; undefined where the answer has none, or is too long. */
  | { kind: 'answered'; status: number; body: unknown }
  /** There was no connection: certainly not taken. */
  | { kind: 'not_sent'; code: string }
  /** The request may have arrived. */
  | { kind: 'unknown'; reason: 'timeout' | 'connection_lost' };

export interface GraphCall {
  /** Default POST. */
  method?: 'GET' | 'POST' | 'DELETE';
  url: string;
  /** Null = the request identifies its caller in another way. */
  accessToken: string | null;
  /** The body of a POST. */
  body?: object | undefined;
  /** For the whole exchange. */
  timeoutMs: number;
}

/** The limit for connecting: past it the request was certainly not sent. A missing answer leaves that open, so its limit is longer. */
const connectTimeoutMs = 3_000;
/** Of each address but the last. Node's own 250 ms is too little for one that is far away, or for one lost packet. */
const addressTimeoutMs = connectTimeoutMs / 2;
const maxBodyBytes = 65_536;

export class GraphClient {
  readonly #agent: Agent;

  /**
   * Connections are kept and used again: undici's 4 s, or as long as the other side says. `connections` per address. `lookup` of its name:
   * default Node's.
   */
  constructor({ connections, lookup }: { connections: number; lookup?: LookupFunction }) {
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      allowH2: false,
      connect: {
        timeout: connectTimeoutMs,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: addressTimeoutMs,
        ...(lookup ? { lookup } : {}),
      },
    });
  }

  /** Never throws, follows no redirect, never repeats a call. */
  async call({ method = 'POST', url, accessToken, body, timeoutMs }: GraphCall): Promise<Exchange> {
    const headers = {
      ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    try {
      const json = body && JSON.stringify(body);
      const answer = await exchange(this.#agent, { method, url, headers, body: json, timeoutMs, maxBodyBytes });
      return { kind: 'answered', status: answer.status, body: parse(answer.body) };
    } catch (error) {
      return failure(error as Failure);
    }
  }

  /** Ends the calls under way. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function parse(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}

interface Failure extends Error {
  code?: string;
  syscall?: string;
  errors?: Failure[];
}

/** Failures to connect: nothing was written. A reset is not among them, because it may come after the request. */
const noConnection = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_NODATA',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
]);
/** The other side's certificate was refused, before the request was written. */
const badCertificate = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;

function failure(error: Failure): Exchange {
  // Several addresses were tried: the last failure speaks for them, and all are failures to connect.
  const { code = '', syscall } = error.errors?.at(-1) ?? error;
  if (syscall === 'connect' || noConnection.has(code) || badCertificate.test(code)) return { kind: 'not_sent', code };
  return { kind: 'unknown', reason: error.name === 'TimeoutError' ? 'timeout' : 'connection_lost' };
}
