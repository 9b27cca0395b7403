// A refusal as a value: what the pure parts of the handlers answer where a request can't be done.

import type { ErrorCode } from '../../waist/errors.ts';
import { type FailOptions, fail } from '../../waist/errors.ts';

export interface Refusal {
  kind: 'refused';
  code: ErrorCode;
  /** The field at fault, by its path on the wire. */
  field: string;
  message: string;
  metadata?: Record<string, string>;
}

/** `problem` is the end of a sentence that begins with the field's name. */
export function refused(code: ErrorCode, field: string, problem: string, metadata?: Record<string, string>): Refusal {
  return { kind: 'refused', code, field, message: `${field} ${problem}`, ...(metadata ? { metadata } : {}) };
}

export function toError({ code, field, message, metadata }: Refusal): ReturnType<typeof fail> {
  const options: FailOptions = metadata ? { field, metadata } : { field };
  return fail(code, message, options);
}
