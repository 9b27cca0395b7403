// Validation of free-text input.

import { fail } from '../waist/errors.ts';

/** Without spaces around it. Throws `invalid_argument` when nothing is left. */
export function readText(text: string, field: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw fail('invalid_argument', `${field} must not be blank`, { field });
  return trimmed;
}
