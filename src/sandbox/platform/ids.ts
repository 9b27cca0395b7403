// Ids and secrets in the platform's forms. Random: nothing may be read from them.

import { randomBytes, randomInt } from 'node:crypto';

/** Id of a message: `wamid.` and base64 that contains the number, as the real ones do; nobody should parse it. */
export function newWamid(to: string): string {
  const digits = to.replace(/\D/g, '');
  const inside = Buffer.concat([
    Buffer.from([0x1c, 0x18, digits.length]),
    Buffer.from(digits, 'ascii'),
    Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]),
    Buffer.from(randomBytes(9).toString('hex').toUpperCase(), 'ascii'),
    Buffer.from([0x00]),
  ]);
  return `wamid.${inside.toString('base64')}`;
}

/** Id of anything else: 15 digits. */
export const newNodeId = (): string => `7${randomInt(10 ** 13, 10 ** 14)}`;

export const newToken = (): string => `EAASandbox${randomBytes(24).toString('base64url')}`;

export const newCode = (): string => `AQ${randomBytes(48).toString('base64url')}`;
