// Webhooks after Standard Webhooks: is a callback genuine, and what does it say. By WebCrypto, so in every runtime.

import { decode, isObject, type Json } from './codec.ts';
import { ConfigurationError, SignatureError } from './errors.ts';
import { Mismatch } from './foreign.ts';
import { eventData, type WebhookEvent } from './gen/events.ts';
import { parseJson } from './json.ts';
import { randomKey } from './runtime.ts';
import { type Bytes, bytesOf, contentOf, keysOf, matches, signatureOf } from './signature.ts';

/** The body as it came over the network. A parsed one, printed again, has other bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Headers of a request: of the Fetch API, of Node, or pairs. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

export interface VerifyOptions {
  /** How far the timestamp may be off, either way, in seconds: a number from 0 on. Default 300. */
  toleranceSeconds?: number | undefined;
  /** The receiver's clock. Default: now. */
  now?: Date | undefined;
}

/**
 * The event, if the callback is genuine. Throws SignatureError if it is not; ConfigurationError without a secret, with a body
 * that was parsed already, and with a tolerance or a clock that is none.
 * @param secrets of the endpoint: `whsec_…`; both of them while one rotates
 */
export async function verify(
  body: RawBody,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = keysOf(secrets);
  // Nothing is greater than NaN: with it, no webhook would ever be too old.
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw new ConfigurationError('toleranceSeconds must be a number of seconds, 0 or more');
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) throw new ConfigurationError('now must be a valid Date');
  const bytes = bytesOf(body);
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) {
    throw new SignatureError('malformed', 'webhook-id or webhook-timestamp is missing or malformed');
  }
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (age > toleranceSeconds) throw new SignatureError('too_old', `the webhook was signed ${age} s ago`);
  if (-age > toleranceSeconds) throw new SignatureError('too_new', `the webhook was signed ${-age} s in the future`);
  const content = contentOf(id, timestamp, bytes);
  if (!(await matches(content, header(headers, 'webhook-signature'), keys))) {
    throw new SignatureError('no_match', 'no signature matches: another secret, or the body is not the raw one');
  }
  return eventOf(bytes);
}

export interface SignOptions {
  /** `webhook-id`. Default: a new one. */
  id?: string | undefined;
  /** Default: now. */
  timestamp?: Date | undefined;
}

/** Headers that make a body genuine, for tests of your own. */
export async function sign(
  body: RawBody,
  secrets: string | readonly string[],
  { id = `evt_${randomKey()}`, timestamp = new Date() }: SignOptions = {},
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const content = contentOf(id, seconds, bytesOf(body));
  const signatures = keysOf(secrets).map((key) => signatureOf(content, key));
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  };
}

/** Whatever the case of its name; empty where there is none, or more than one. */
function header(headers: WebhookHeaders, name: string): string {
  if (typeof headers !== 'object' || headers === null) return '';
  const pairs = Symbol.iterator in headers ? [...(headers as Iterable<[string, unknown]>)] : Object.entries(headers);
  const values = pairs.filter(([key]) => key.toLowerCase() === name).flatMap(([, value]) => value);
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : '';
}

function eventOf(bytes: Bytes): WebhookEvent {
  const json = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(json)) throw new SignatureError('malformed', 'the body is not a JSON object');
  try {
    return readEvent(json);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw new SignatureError('malformed', `signed, but no event: ${error.message}`);
  }
}

function readEvent(json: Json): WebhookEvent {
  const event = decode('WebhookEvent', json);
  const type = String(event.type);
  const shape = Object.hasOwn(eventData, type) ? eventData[type] : undefined;
  const data = event.data ?? {};
  if (!isObject(data)) throw new Mismatch('data is not of the type object');
  return { ...event, data: shape ? decode(shape, data) : data } as unknown as WebhookEvent;
}
