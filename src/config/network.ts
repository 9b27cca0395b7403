// An address or a network in CIDR notation.

import { isIP } from 'node:net';
import { z } from 'zod';

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const kind = isIP(address);
  if (kind === 0 || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128));
}

export const networkSchema = z
  .string()
  .refine(isNetwork, 'must be an address or a network, e.g. "10.0.0.0/8" or "2001:db8::1"');
