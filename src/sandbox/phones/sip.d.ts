// Types of the part of npm `sip` that the sandbox and its tests use, because the package is plain JavaScript.

declare module 'sip' {
  /** Values keep their quotation marks; null stands for a parameter without a value. */
  export type Parameters = Record<string, string | null>;

  export interface NameAddr {
    name?: string | undefined;
    uri: string | Uri;
    params: Parameters;
  }

  export interface Uri {
    schema: string;
    user: string | undefined;
    host: string;
    /** NaN where the URI names none. */
    port: number;
    params: Parameters;
  }

  export interface Via {
    version: string;
    protocol: string;
    host: string;
    port?: number | undefined;
    params: Record<string, string | number | null>;
  }

  /** A challenge or credentials: the scheme and the parameters, quoted as they stand in the message. */
  export type Authentication = { scheme: string } & Record<string, string>;

  export interface Headers {
    via: Via[];
    to: NameAddr;
    from: NameAddr;
    'call-id': string;
    cseq: { seq: number; method: string };
    contact?: NameAddr[] | '*';
    route?: NameAddr[];
    'record-route'?: NameAddr[];
    'proxy-authorization'?: Authentication[];
    'proxy-authenticate'?: Authentication[];
    [name: string]: unknown;
  }

  export interface Message {
    /** Requests only. */
    method?: string;
    uri?: string;
    /** Responses only. */
    status?: number;
    reason?: string;
    version?: string;
    headers: Headers;
    /** Latin-1. */
    content?: string;
  }

  export interface Connection {
    send(message: Message): void;
    release(): void;
    protocol: 'UDP';
  }

  export interface Transaction {
    send(response: Message): void;
    message(message: Message): void;
  }

  export interface TransactionLayer {
    createServerTransaction(request: Message, connection: Connection): Transaction;
    createClientTransaction(
      connection: Connection,
      request: Message,
      onResponse: (response: Message) => void,
    ): Transaction;
    getServer(message: Message): Transaction | undefined;
    getClient(message: Message): Transaction | undefined;
    destroy(): void;
  }

  const sip: {
    parse(datagram: Buffer): Message | undefined;
    stringify(message: Message): string;
    parseUri(uri: string | Uri): Uri | undefined;
    stringifyUri(uri: string | Uri): string;
    makeResponse(
      request: Message,
      status: number,
      reason?: string,
      extension?: { headers?: Record<string, unknown>; content?: string },
    ): Message;
    makeTransactionLayer(options: object, connect: () => void): TransactionLayer;
  };
  export default sip;
}
