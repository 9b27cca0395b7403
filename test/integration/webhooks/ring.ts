// Keys and ids for tests; no vitest in it, so that other processes can use it too.
import { randomBytes } from 'node:crypto';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { agingIds } from '../../support/aging-ids.ts';

/** Webhooks of an endpoint go out in the order of their ids. */
export const ids = agingIds();
export const ringJson = newKeyRing(randomBytes);

export function readRing(json: string) {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}
