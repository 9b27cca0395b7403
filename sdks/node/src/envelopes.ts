// Connect's envelopes: one byte of flags, four of length, then the message. Reads them however the bytes are cut.

import { largestBytes } from './body.ts';
import { ServerError } from './errors.ts';
import { parseJson } from './json.ts';

/** Flag of the last envelope. */
export const endOfStream = 0b10;
const compressed = 0b01;

export function envelope(text: string): Uint8Array<ArrayBuffer> {
  const message = new TextEncoder().encode(text);
  const bytes = new Uint8Array(5 + message.length);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, 5);
  return bytes;
}

export class Envelopes {
  #rest = new Uint8Array(0);

  /** What is whole now. Throws ServerError for what is no envelope of JSON. */
  push(chunk: Uint8Array): { flags: number; json: unknown }[] {
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    const view = new DataView(bytes.buffer);
    const found: { flags: number; json: unknown }[] = [];
    let at = 0;
    while (bytes.length - at >= 5) {
      const flags = view.getUint8(at);
      const length = view.getUint32(at + 1);
      if (flags & compressed || length > largestBytes) throw broken();
      if (bytes.length - at - 5 < length) break;
      found.push({ flags, json: parse(bytes.subarray(at + 5, at + 5 + length)) });
      at += 5 + length;
    }
    this.#rest = bytes.slice(at);
    return found;
  }
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const json = parseJson(new TextDecoder().decode(bytes));
  if (json === undefined) throw broken();
  return json;
}

const broken = (): ServerError =>
  new ServerError({ status: 200, code: '', message: 'not a stream of Connect', requestId: '', details: {} });
