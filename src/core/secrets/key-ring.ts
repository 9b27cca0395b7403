// The key ring: every secret key the service itself holds, by id and purpose. Where it is read from is the business of config.
//
// {"code": {"current": "code-1f6a", "keys": {"code-1f6a": "<base64 of 32 bytes>"}}, "api_key": {…}, "webhook_secret": {…}}
//
// Rotating: add a key, make it current, and remove the old one when nothing names it any more. `code` and `api_key` are
// HMAC-SHA-256 keys, `webhook_secret` and `waba_secret` are AES-256-GCM. `waba_secret` may be absent: then no business can
// link its own messaging-app account.

import { createSecretKey, type KeyObject } from 'node:crypto';

export const keyPurposes = ['code', 'api_key', 'webhook_secret', 'waba_secret'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];
/** Rings made before there was such a thing are still good. */
const optional: readonly KeyPurpose[] = ['waba_secret'];

export interface RingKey {
  /** Unique in the whole ring; kept in rows and sealed texts, so that they outlive a rotation. */
  id: string;
  purpose: KeyPurpose;
  /** A KeyObject and not bytes: it prints and serialises as nothing. */
  key: KeyObject;
}

export interface KeyRing {
  /** The key for everything new. */
  current(purpose: KeyPurpose): RingKey;
  /** Whether there is one. All but `waba_secret` are always there. */
  has(purpose: KeyPurpose): boolean;
  /** The key something old was made with; undefined when it has been removed. */
  byId(id: string): RingKey | undefined;
}

export type ParsedKeyRing = { kind: 'ok'; ring: KeyRing } | { kind: 'invalid'; errors: string[] };

const keyBytes = 32;
const keyId = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const keyText = /^[A-Za-z0-9+/]{43}=$/;

/** Reads a ring. Errors name the path and never the value. */
export function parseKeyRing(json: string): ParsedKeyRing {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return { kind: 'invalid', errors: ['key ring: not JSON'] }; // the parser's own message would quote the text
  }
  if (!isObject(parsed)) return { kind: 'invalid', errors: ['key ring: not an object'] };
  const errors = Object.keys(parsed)
    .filter((name) => !isPurpose(name))
    .map((name) => `${JSON.stringify(name.slice(0, 40))}: not a purpose`);
  const keys = new Map<string, RingKey>();
  const current = new Map<KeyPurpose, RingKey>();
  for (const purpose of keyPurposes) {
    if (parsed[purpose] === undefined && optional.includes(purpose)) continue;
    errors.push(...readPurpose(purpose, parsed[purpose], keys, current));
  }
  return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'ok', ring: ringOf(keys, current) };
}

/** A ring with one new key for each purpose, as JSON text for a file. `random` gives that many cryptographically random bytes. */
export function newKeyRing(random: (size: number) => Uint8Array): string {
  return completeKeyRing('{}', random);
}

/** The ring with a new key for each purpose it has none for; the very same text where none is missing. @throws when it is not JSON. */
export function completeKeyRing(json: string, random: (size: number) => Uint8Array): string {
  const ring = JSON.parse(json) as Record<string, unknown>;
  const missing = keyPurposes.filter((purpose) => !Object.hasOwn(ring, purpose));
  if (missing.length === 0) return json;
  for (const purpose of missing) {
    const id = `${purpose}-${Buffer.from(random(4)).toString('hex')}`;
    ring[purpose] = { current: id, keys: { [id]: Buffer.from(random(keyBytes)).toString('base64') } };
  }
  return `${JSON.stringify(ring, null, 2)}\n`;
}

function readPurpose(
  purpose: KeyPurpose,
  section: unknown,
  keys: Map<string, RingKey>,
  current: Map<KeyPurpose, RingKey>,
): string[] {
  if (!isObject(section) || !isObject(section.keys)) return [`${purpose}: needs "current" and "keys"`];
  const errors: string[] = [];
  for (const [id, text] of Object.entries(section.keys)) {
    const path = `${purpose}.keys.${JSON.stringify(id.slice(0, 40))}`;
    if (!keyId.test(id)) errors.push(`${path}: an id is 1-40 of a-z, 0-9, "-", "_"`);
    else if (keys.has(id)) errors.push(`${path}: the id is taken`);
    else if (typeof text !== 'string' || !keyText.test(text)) errors.push(`${path}: not base64 of ${keyBytes} bytes`);
    else keys.set(id, { id, purpose, key: createSecretKey(Buffer.from(text, 'base64')) });
  }
  const chosen = typeof section.current === 'string' ? keys.get(section.current) : undefined;
  if (chosen?.purpose === purpose) current.set(purpose, chosen);
  else errors.push(`${purpose}.current: names none of its keys`);
  return errors;
}

function ringOf(keys: Map<string, RingKey>, current: Map<KeyPurpose, RingKey>): KeyRing {
  return {
    current(purpose) {
      const key = current.get(purpose);
      if (!key) throw new Error(`key ring without a current ${purpose} key`);
      return key;
    },
    has: (purpose) => current.has(purpose),
    byId: (id) => keys.get(id),
  };
}

const isPurpose = (name: string): name is KeyPurpose => (keyPurposes as readonly string[]).includes(name);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
