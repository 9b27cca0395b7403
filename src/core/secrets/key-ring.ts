// The key ring: every secret key that the service itself holds, by id and purpose, and the sealing of secrets under such keys. Both
// are here because a sealed text names its key: a rotation touches the two together. Config decides where the ring is read from.
//
// {"code": {"current": "code-1f6a", "keys": {"code-1f6a": "<base64 of 32 bytes>"}}, "api_key": {…}, "webhook_secret": {…}}
//
// Rotating: add a key as `next`, make it `current` once every process has it, and remove the old one when no row names it any more
// (ring-text.ts). `code`, `api_key`, `signals` and `lists` are HMAC-SHA-256 keys, the others AES-256-GCM. `waba_secret` may be absent: then no
// business can link its own account; without `custom_code` no caller can bring its own code; without `signals` end users are counted under
// a key made from `code`; without `lists` a list takes no number.

import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { duplicateMember } from '../duplicate-member.ts';
import { Refused } from '../refused.ts';

export const keyPurposes = [
  'code',
  'api_key',
  'webhook_secret',
  'waba_secret',
  'custom_code',
  'signals',
  'lists',
] as const;
export type KeyPurpose = (typeof keyPurposes)[number];
/** Purposes that older rings lack; such rings are still valid. */
const optional: readonly KeyPurpose[] = ['waba_secret', 'custom_code', 'signals', 'lists'];

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
  /** The key that is to become the current one once every process has it; undefined where none is. */
  next(purpose: KeyPurpose): RingKey | undefined;
  /** True where the ring has a key for the purpose; only optional ones may be missing. */
  has(purpose: KeyPurpose): boolean;
  /** The key with this id, current or not; undefined when it has been removed. */
  byId(id: string): RingKey | undefined;
  /** The keys of a purpose, the current one among them: two while one rotates. */
  all(purpose: KeyPurpose): RingKey[];
}

export type ParsedKeyRing = { kind: 'ok'; ring: KeyRing } | { kind: 'invalid'; errors: string[] };

const keyBytes = 32;
const keyId = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const keyText = /^[A-Za-z0-9+/]{43}=$/;

/** The members of a ring's text, whatever they are; or why it is none. The parser's own message would quote the text. */
function membersOf(
  json: string,
): { kind: 'ok'; members: Record<string, unknown> } | { kind: 'invalid'; reason: string } {
  const invalid = (reason: string) => ({ kind: 'invalid' as const, reason: `key ring: ${reason}` });
  let members: unknown;
  try {
    members = JSON.parse(json);
  } catch {
    return invalid('not JSON');
  }
  if (!isObject(members)) return invalid('not an object');
  // The keys of the first one would be lost in silence.
  const twice = duplicateMember(json)?.map((part) => String(part).slice(0, 40));
  return twice ? invalid(`${twice.join('.')} is given twice`) : { kind: 'ok', members };
}

/** Reads a ring. Errors name the path and never the value. */
export function parseKeyRing(json: string): ParsedKeyRing {
  const read = membersOf(json);
  if (read.kind === 'invalid') return { kind: 'invalid', errors: [read.reason] };
  const { members: parsed } = read;
  const errors = Object.keys(parsed)
    .filter((name) => !isPurpose(name))
    .map((name) => `${JSON.stringify(name.slice(0, 40))}: not a purpose`);
  const keys: Keys = { byId: new Map(), current: new Map(), next: new Map() };
  for (const purpose of keyPurposes) {
    if (parsed[purpose] === undefined && optional.includes(purpose)) continue;
    errors.push(...readPurpose(purpose, parsed[purpose], keys));
  }
  return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'ok', ring: ringOf(keys) };
}

/** A ring with one new key for each purpose, as JSON text for a file. `random` gives that many cryptographically random bytes. */
export function newKeyRing(random: (size: number) => Uint8Array): string {
  return completeKeyRing('{}', random);
}

/** The ring with a new key for each purpose it has none for; the very same text where none is missing. @throws Refused when it is no ring. */
export function completeKeyRing(json: string, random: (size: number) => Uint8Array): string {
  const read = membersOf(json);
  if (read.kind === 'invalid') throw new Refused(read.reason);
  const ring = read.members;
  const missing = keyPurposes.filter((purpose) => !Object.hasOwn(ring, purpose));
  if (missing.length === 0) return json;
  for (const purpose of missing) {
    const { id, text } = newKey(purpose, random);
    ring[purpose] = { current: id, keys: { [id]: text } };
  }
  return `${JSON.stringify(ring, null, 2)}\n`;
}

/** A new key as it stands in a ring. */
export function newKey(purpose: KeyPurpose, random: (size: number) => Uint8Array): { id: string; text: string } {
  const id = `${purpose}-${Buffer.from(random(4)).toString('hex')}`;
  return { id, text: Buffer.from(random(keyBytes)).toString('base64') };
}

interface Keys {
  byId: Map<string, RingKey>;
  current: Map<KeyPurpose, RingKey>;
  next: Map<KeyPurpose, RingKey>;
}

function readPurpose(purpose: KeyPurpose, section: unknown, { byId, current, next }: Keys): string[] {
  if (!isObject(section) || !isObject(section.keys)) return [`${purpose}: needs "current" and "keys"`];
  const errors: string[] = [];
  for (const [id, text] of Object.entries(section.keys)) {
    const path = `${purpose}.keys.${JSON.stringify(id.slice(0, 40))}`;
    if (!keyId.test(id)) errors.push(`${path}: an id is 1-40 of a-z, 0-9, "-", "_"`);
    else if (byId.has(id)) errors.push(`${path}: the id is taken`);
    else if (typeof text !== 'string' || !keyText.test(text)) errors.push(`${path}: not base64 of ${keyBytes} bytes`);
    else byId.set(id, { id, purpose, key: keyOf(text) });
  }
  const named = (member: unknown) => {
    const key = typeof member === 'string' ? byId.get(member) : undefined;
    return key?.purpose === purpose ? key : undefined;
  };
  const chosen = named(section.current);
  if (chosen) current.set(purpose, chosen);
  else errors.push(`${purpose}.current: names none of its keys`);
  if (section.next === undefined) return errors;
  const coming = named(section.next);
  if (!coming) errors.push(`${purpose}.next: names none of its keys`);
  else if (coming === chosen) errors.push(`${purpose}.next: is the current key`);
  else next.set(purpose, coming);
  return errors;
}

/** The bytes are wiped: they would lie in memory that is used again without being cleared. */
function keyOf(text: string): KeyObject {
  const bytes = Buffer.from(text, 'base64');
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}

function ringOf({ byId, current, next }: Keys): KeyRing {
  return {
    current(purpose) {
      const key = current.get(purpose);
      if (!key) throw new Error(`key ring without a current ${purpose} key`);
      return key;
    },
    next: (purpose) => next.get(purpose),
    has: (purpose) => current.has(purpose),
    byId: (id) => byId.get(id),
    all: (purpose) => [...byId.values()].filter((key) => key.purpose === purpose),
  };
}

const isPurpose = (name: string): name is KeyPurpose => (keyPurposes as readonly string[]).includes(name);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Purposes whose keys are for encryption; the others sign. */
export type SealPurpose = Exclude<KeyPurpose, 'code' | 'api_key' | 'signals' | 'lists'>;

/**
 * Encrypts under the purpose's current key.
 * @param aad what the secret belongs to (e.g. the endpoint's id): a sealed text copied to another row doesn't open there.
 * @param iv 12 random bytes, never used twice.
 */
export function seal(ring: KeyRing, purpose: SealPurpose, plaintext: string, aad: string, iv: Uint8Array): string {
  if (iv.length !== ivBytes) throw new RangeError('an AES-GCM iv is 12 bytes');
  const { id, key } = ring.current(purpose);
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return `${id}.${Buffer.concat([iv, ciphertext, cipher.getAuthTag()]).toString('base64')}`;
}

/** True where the text is sealed with the current key; after a rotation other texts are sealed again. */
export const isSealedWithCurrentKey = (ring: KeyRing, purpose: SealPurpose, sealed: string): boolean =>
  sealed.startsWith(`${ring.current(purpose).id}.`);

export type Opened =
  | { kind: 'ok'; plaintext: string }
  | { kind: 'unreadable'; reason: 'malformed' | 'unknown_key' | 'not_authentic' };

/** Decrypts with whichever key of that purpose sealed it. */
export function open(ring: KeyRing, purpose: SealPurpose, sealed: string, aad: string): Opened {
  const dot = sealed.indexOf('.');
  const bytes = Buffer.from(sealed.slice(dot + 1), 'base64');
  if (dot < 1 || bytes.length < ivBytes + tagBytes) return { kind: 'unreadable', reason: 'malformed' };
  const key = ring.byId(sealed.slice(0, dot));
  if (key?.purpose !== purpose) return { kind: 'unreadable', reason: 'unknown_key' };
  const decipher = createDecipheriv(algorithm, key.key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const ciphertext = bytes.subarray(ivBytes, -tagBytes);
    return { kind: 'ok', plaintext: Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8') };
  } catch {
    return { kind: 'unreadable', reason: 'not_authentic' };
  }
}
