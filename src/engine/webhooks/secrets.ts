// Signing secrets of endpoints: made here, sealed for their row, opened to sign. Bound to the endpoint's id, so that a
// sealed secret copied to another row does not open there.

import { randomBytes } from 'node:crypto';
import { type KeyRing, open, seal } from '../../core/secrets/key-ring.ts';
import { newWebhookSecret } from '../../core/webhooks/signature.ts';

/** `secret` is shown to the client this once; `sealed` is what is stored. */
export function makeSecret(ring: KeyRing, endpointId: string): { secret: string; sealed: string } {
  const secret = newWebhookSecret(randomBytes(24));
  return { secret, sealed: seal(ring, 'webhook_secret', secret, endpointId, randomBytes(12)) };
}

/** undefined when the ring no longer has the key, or the text was tampered with. */
export function openSecret(ring: KeyRing, endpointId: string, sealed: string): string | undefined {
  const opened = open(ring, 'webhook_secret', sealed, endpointId);
  return opened.kind === 'ok' ? opened.plaintext : undefined;
}
