// The body of a request, read as JSON of the right type and within a limit, because a caller chooses how much it sends.

import type { IncomingMessage } from 'node:http';
import { fail } from '../waist/errors.ts';
import { duplicateMember, type JsonPath } from './duplicate.ts';

export const maxBodyBytes = 64 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body as JSON; undefined when there is none. Rejects with `request_too_large`, `unsupported_media_type` or
 * `malformed_request`, with `invalid_argument` where a member is given twice, and with `canceled` when the connection ends
 * first. `fieldAt` names the field that is at a path; default: by its last name alone.
 */
export async function readJsonBody(
  request: IncomingMessage,
  fieldAt: (path: JsonPath) => string = (path) => String(path.at(-1)).slice(0, 60),
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
  const text = textOf(bytes);
  const json = parse(text);
  const twice = duplicateMember(text);
  if (twice === undefined) return json;
  const field = fieldAt(twice);
  throw fail('invalid_argument', `${field} is given twice`, { field });
}

/** The body as it came. Rejects with `request_too_large`, and with `canceled` when the connection ends first. */
export function readBytes(request: IncomingMessage, maxBytes = maxBodyBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let done = false;
    const onData = (chunk: Buffer): void => {
      if (done) return;
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      done = true;
      // What still comes is not read: the answer closes the connection.
      request.pause();
      reject(tooLarge(maxBytes));
    };
    const onEnd = (): void => {
      if (done) return;
      done = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    };
    const onGone = (): void => {
      if (done) return; // every request is closed in the end
      done = true;
      reject(fail('canceled', 'the caller has gone'));
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function checkType(header: string | undefined): void {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  const given = type ? `not ${type.slice(0, 100)}` : 'which is missing';
  throw fail('unsupported_media_type', `send JSON with the header Content-Type: application/json, ${given}`);
}

function textOf(bytes: Buffer): string {
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
