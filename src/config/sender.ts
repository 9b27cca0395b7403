// What the deployment's own sender names may be: a name as accounts may have it, or a short code the operator gave.

import { z } from 'zod';
import { isSenderName } from '../core/alphabet.ts';

/** Digits alone are refused to accounts, since they could pass for somebody else's number; here they are one's own. */
const shortCode = /^[0-9]{3,11}$/;

export const senderIdSchema = z
  .string()
  .max(11, 'is too long: a sender name has at most 11 characters')
  .refine(
    (name) => name.length > 11 || isSenderName(name) || shortCode.test(name),
    'must be letters and digits with single space - . _ & between them, or a short code of 3-11 digits',
  );
