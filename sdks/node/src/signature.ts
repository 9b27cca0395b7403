// The signature of Standard Webhooks (version v1): HMAC-SHA-256 over `id.timestamp.body`, by WebCrypto.

import { fromBase64, toBase64 } from './base64.ts';
import { ConfigurationError } from './errors.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** Whether any of the header's signatures fits any key. `subtle.verify` compares in constant time. */
export async function matches(content: Bytes, signatures: string, keys: readonly Bytes[]): Promise<boolean> {
  // Ten at most: a header as long as it may be should not make work.
  const given = signatures.split(' ', 10).filter((one) => one.startsWith('v1,'));
  let isGenuine = false;
  for (const key of keys) {
    const hmac = await hmacKey(key);
    for (const one of given) {
      const signature = fromBase64(one.slice('v1,'.length));
      if (signature && (await crypto.subtle.verify('HMAC', hmac, signature, content))) isGenuine = true;
    }
  }
  return isGenuine;
}

/** One entry of the header. */
export async function signatureOf(content: Bytes, key: Bytes): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await hmacKey(key), content);
  return `v1,${toBase64(new Uint8Array(signature))}`;
}

const hmacKey = (key: Bytes): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

/** The keys of `whsec_…` secrets. Throws ConfigurationError, never with the secret in its message. */
export function keysOf(secrets: string | readonly string[]): Bytes[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (!Array.isArray(list) || list.length === 0) throw new ConfigurationError('no webhook secret');
  return list.map((secret: unknown) => {
    const encoded = typeof secret === 'string' && /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret)?.[1];
    const key = encoded ? fromBase64(encoded) : undefined;
    if (!key) throw new ConfigurationError('a webhook secret is `whsec_` and base64 of 24 to 64 bytes');
    return key;
  });
}

/** Throws ConfigurationError for a body that was parsed already. */
export function bytesOf(body: unknown): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  // Not instanceof: those of Jest's jsdom and of other sandboxes are not this realm's.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (isArrayBuffer(body)) return new Uint8Array(body).slice();
  throw new ConfigurationError('give the raw body: a string or bytes, before any JSON parser has had it');
}

const isArrayBuffer = (body: unknown): body is ArrayBuffer =>
  Object.prototype.toString.call(body) === '[object ArrayBuffer]';

/** What is signed. */
export function contentOf(id: string, timestamp: string, body: Bytes): Bytes {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const bytes = new Uint8Array(start.length + body.length);
  bytes.set(start);
  bytes.set(body, start.length);
  return bytes;
}
