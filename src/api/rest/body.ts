// The body of a request, read as JSON of the right type, within a limit, and without duplicate members: a caller chooses what it sends.
// JSON.parse drops duplicates in silence: the last one wins, and a proxy in front of us that looked at the first one was deceived
// (RFC 8259 section 4).

import type { IncomingMessage } from 'node:http';
import { duplicateMember, type JsonPath } from '../../core/duplicate-member.ts';
import { fail } from '../waist/errors.ts';
import { shown } from '../waist/validate.ts';

export const maxBodyBytes = 64 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body as JSON; undefined when there is none. Rejects with `request_too_large`, `unsupported_media_type` or
 * `malformed_request`, with `invalid_argument` where a member is given twice, and with `canceled` when the connection ends
 * first. `fieldAt` names the field that is at a path; default: by its last name alone.
 */
export async function readJsonBody(
  request: IncomingMessage,
  fieldAt: (path: JsonPath) => string = (path) => shown(String(path.at(-1))),
): Promise<unknown> {
  const { headers } = request;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > maxBodyBytes) throw tooLarge(maxBodyBytes);
  if (announced === 0 && headers['transfer-encoding'] === undefined) return undefined;
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw fail('unsupported_media_type', 'send the body without Content-Encoding');
  }
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  checkType(headers['content-type']);
  return jsonOf(textOf(bytes), fieldAt);
}

/** Throws `malformed_request`, and `invalid_argument` where a member is given twice. */
export function jsonOf(text: string, fieldAt: (path: JsonPath) => string): unknown {
  const json = parse(text);
  const twice = duplicateMember(text);
  if (twice === undefined) return json;
  const field = fieldAt(twice);
  throw fail('invalid_argument', `${field} is given twice`, { field });
}

/**
 * The body as it came. Rejects with `request_too_large`, and with `canceled` when the connection ends first.
 * @param hasRoom asked with the size so far, whenever there is more of it: false rejects with `overloaded`.
 */
export function readBytes(
  request: IncomingMessage,
  maxBytes = maxBodyBytes,
  hasRoom: (size: number) => boolean = () => true,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBytes(maxBytes);
    let done = false;
    const onData = (chunk: Buffer): void => {
      if (done) return;
      const size = body.size + chunk.length;
      const fits = size <= maxBytes;
      if (fits && hasRoom(size)) {
        body.add(chunk);
        return;
      }
      done = true;
      body.clear();
      // The rest of the body is not kept: the answer closes the connection.
      request.pause();
      reject(fits ? fail('overloaded', 'there are too many large bodies at once') : tooLarge(maxBytes));
    };
    const onEnd = (): void => {
      if (done) return;
      done = true;
      resolve(body.bytes);
    };
    const onGone = (): void => {
      if (done) return; // every request is closed in the end
      done = true;
      reject(fail('canceled', 'the caller has gone'));
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** So long is waited for the rest of a body that nobody wants, ms. */
const restMs = 1_000;

/**
 * Resolves once the rest of the body has come and is dropped, or a second has passed. Called before an answer that closes the connection: where bytes
 * are left unread, closing resets it, and a caller that is still writing never sees its answer (RFC 9112 section 9.6).
 */
export function dropRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', done).once('close', done).once('error', done).resume();
  });
}

/** Bytes in one piece: a list of what arrived would cost hundreds of bytes for each, and a caller may send one byte at a time. */
class GrowingBytes {
  readonly #most: number;
  #held: Buffer = Buffer.alloc(0);
  size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): Buffer {
    return this.#held.subarray(0, this.size);
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    // Most bodies arrive in one chunk, which is not copied.
    if (this.size === 0) this.#held = chunk;
    else {
      if (size > this.#held.length) this.#grow(size);
      chunk.copy(this.#held, this.size);
    }
    this.size = size;
  }

  clear(): void {
    this.#held = Buffer.alloc(0);
    this.size = 0;
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#most, Math.max(size, 2 * this.#held.length)));
    this.bytes.copy(larger);
    this.#held = larger;
  }
}

function checkType(header: string | undefined): void {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  const given = type ? `not ${type.slice(0, 100)}` : 'which is missing';
  throw fail('unsupported_media_type', `send JSON with the header Content-Type: application/json, ${given}`);
}

/** Without a byte order mark. Throws `malformed_request`. */
export function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw fail('malformed_request', 'the body is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fail('malformed_request', `the body is not JSON${position(error)}`);
  }
}

/** The parser's message quotes the body, which may hold a code: the answer names the position alone. */
function position(error: unknown): string {
  const at = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return at === undefined ? '' : ` (at character ${at})`;
}

const tooLarge = (maxBytes: number) => fail('request_too_large', `the body is larger than ${maxBytes} bytes`);
