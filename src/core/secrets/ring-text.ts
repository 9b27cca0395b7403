// Changes of a key ring as text, for the file that it is kept in: a key is added as `next`, becomes `current`, and is removed when it is
// old. Each takes a ring that can be read and gives one that can be read; what else the text has is kept.

import { type KeyPurpose, keyPurposes, newKey } from './key-ring.ts';

interface Section {
  current: string;
  next?: string;
  keys: Record<string, string>;
}

type RingText = Partial<Record<KeyPurpose, Section>>;

/**
 * Adds a key for the purpose as its next one; the same ring where it has a next one. `id`: of the next key.
 * @throws where the ring lacks the purpose.
 */
export function withNextKey(
  json: string,
  purpose: KeyPurpose,
  random: (size: number) => Uint8Array,
): { json: string; id: string } {
  const ring = read(json);
  const section = sectionOf(ring, purpose);
  if (section.next !== undefined) return { json, id: section.next };
  const { id, text } = newKey(purpose, random);
  section.next = id;
  section.keys[id] = text;
  return { json: write(ring), id };
}

/** Makes the next key of the purpose its current one; the same ring where it has no next one. */
export function withNextAsCurrent(json: string, purpose: KeyPurpose): string {
  const ring = read(json);
  const section = sectionOf(ring, purpose);
  if (section.next === undefined) return json;
  section.current = section.next;
  delete section.next;
  return write(ring);
}

export type KeyRemoved = { kind: 'removed'; json: string } | { kind: 'current' } | { kind: 'unknown' };

/** Takes a key out of the ring. The current key of a purpose stays: without one nothing could be made. */
export function withoutKey(json: string, id: string): KeyRemoved {
  const ring = read(json);
  const section = keyPurposes.map((purpose) => ring[purpose]).find((each) => each && Object.hasOwn(each.keys, id));
  if (!section) return { kind: 'unknown' };
  if (section.current === id) return { kind: 'current' };
  if (section.next === id) delete section.next;
  delete section.keys[id];
  return { kind: 'removed', json: write(ring) };
}

const read = (json: string): RingText => JSON.parse(json) as RingText;

const write = (ring: RingText): string => `${JSON.stringify(ring, null, 2)}\n`;

function sectionOf(ring: RingText, purpose: KeyPurpose): Section {
  const section = ring[purpose];
  if (!section) throw new Error(`the key ring has no ${purpose} key`);
  return section;
}
