// What a transport gets to know of a call: the operation, as the contract has it, and what the caller said about it.

import type { OnResponse } from './response-info.ts';

/** One operation of the contract. */
export interface Operation {
  /** `verify.send` */
  readonly name: string;
  readonly verb?: string;
  /** `/v1/verify/sessions/{id}`. Streams have none: they go by Connect. */
  readonly path?: string;
  /** `ramz.v1.VerifyService/GetSession` */
  readonly rpc: string;
  /** Fields that stand in the path, in its order. */
  readonly pathFields: readonly string[];
  /** Where the other fields travel. */
  readonly carries: 'body' | 'query' | 'nothing';
  /** Shapes of what is asked and answered; see codec.ts. */
  readonly request?: string;
  readonly answer?: string;
  /** Fields of the answer that are never empty, and the same as in the request where that has them. */
  readonly ids?: readonly string[];
  /** Of a list: the field with the items. */
  readonly items?: string;
  /** The field that holds the answer over gRPC; REST answers it without that. */
  readonly wrapper?: string;
  readonly idempotencyKey: boolean;
  /** Repeating it does no harm. Others are repeated only where the service refused to take them. */
  readonly repeatable: boolean;
}

/** It answers with nothing but that what it names is gone. */
export const isDeletion = ({ verb, answer }: Operation): boolean => verb === 'DELETE' && answer === undefined;

/** Options of a watch. */
export interface WatchOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long one attempt may last, in milliseconds. Default: the client's. Of a watch: how long the first message may take. */
  timeoutMs?: number | undefined;
  /** How often the call may be repeated. Default: the client's. */
  maxRetries?: number | undefined;
  /** Sent beside the client's headers; those of the call win. */
  headers?: Readonly<Record<string, string>> | Headers | undefined;
  /** Called after each attempt, after the client's own. */
  onResponse?: OnResponse | undefined;
}

/** Options of one call. */
export interface CallOptions extends WatchOptions {
  /** How long the call may last with all its attempts and pauses, in milliseconds. Default: the client's. */
  totalTimeoutMs?: number | undefined;
  /** Identifies the call, so that the service does once what is asked twice. Default: made by the SDK. Only for `send` and `check`. */
  idempotencyKey?: string | undefined;
}

/** What carries calls to the service. `path` holds the values of the operation's `pathFields`. */
export interface Caller {
  unary<T>(operation: Operation, path: readonly string[], request: object, options?: CallOptions): Promise<T>;
  /** The whole answer to one call of a list operation, items decoded. */
  page<T>(operation: Operation, path: readonly string[], request: object, options?: CallOptions): Promise<Page<T>>;
  watch<T>(operation: Operation, path: readonly string[], request: object, options?: WatchOptions): AsyncIterable<T>;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Give it as `pageToken`, with the same filters, for the next page; empty on the last one. */
  nextPageToken: string;
}
