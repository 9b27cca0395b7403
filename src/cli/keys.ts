// `ramz keys new`: makes a key ring and writes it to stdout, for a file that only the service can read. It writes no
// file itself, so that no key ring is ever overwritten.

import { randomBytes } from 'node:crypto';
import { newKeyRing } from '../core/secrets/key-ring.ts';

const usage = `usage: npm run --silent ramz -- keys new > key_ring.json

Makes a key ring with a new key for each purpose. RAMZ_KEY_RING names the file. Keep a copy elsewhere: without it no API key,
no pending code and no webhook secret can be read.
`;

/** Returns the exit code: 0 done, 2 not understood. */
export function keys(args: readonly string[], { write }: { write(text: string): void }): number {
  const [verb] = args;
  if (verb === 'new' && args.length === 1) {
    write(newKeyRing((size) => randomBytes(size)));
    return 0;
  }
  write(usage);
  return verb === 'help' ? 0 : 2;
}
