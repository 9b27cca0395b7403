// Types of the part of npm `smpp` that the sandbox and its tests use, because the package is plain JavaScript.

declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  /** A decoded PDU. Mandatory fields and known TLVs lie on it by name, unknown TLVs by number. */
  export interface Pdu {
    command: string;
    command_id: number;
    command_length: number;
    command_status: number;
    sequence_number: number;
    isResponse(): boolean;
    response(options?: Record<string, unknown>): Pdu;
    toBuffer(): Buffer;
    // biome-ignore lint/suspicious/noExplicitAny: the package puts whatever the command has here
    [field: string]: any;
  }

  export interface Session extends EventEmitter {
    socket: Socket;
    send(pdu: Pdu, onAnswer?: (answer: Pdu) => void): boolean;
    close(): void;
    destroy(): void;
  }

  interface Alphabet {
    encode(text: string): Buffer;
    decode(octets: Buffer): string;
  }

  interface Field {
    // biome-ignore lint/suspicious/noExplicitAny: the package's own shapes
    type: any;
    // biome-ignore lint/suspicious/noExplicitAny: the package's own shapes
    filter?: { encode: (value: any) => unknown; decode: (value: any) => unknown };
  }

  const smpp: {
    PDU: { new (command: string, options?: Record<string, unknown>): Pdu; new (frame: Buffer): Pdu };
    connect(options: { host: string; port: number }): Session;
    addTLV(tag: string, options: { id: number; type: unknown }): void;
    types: { tlv: Record<'int8' | 'int16' | 'int32' | 'cstring' | 'string' | 'buffer', unknown> };
    encodings: Record<'ASCII' | 'LATIN1' | 'UCS2', Alphabet>;
    commands: Record<string, { id: number; params: Record<string, Field> }>;
  };
  export default smpp;
}
