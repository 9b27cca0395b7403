// Keys and ids for tests; no vitest in it, so that other processes can use it too.
import { randomBytes } from 'node:crypto';
import { idSource } from '../../../src/core/ids.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';

export const ids = idSource({ now: Date.now, randomBytes });
export const ringJson = newKeyRing(randomBytes);

export function readRing(json: string) {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}
