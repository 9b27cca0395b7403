// A refusal of core as the error that a caller sees.

import type { Refusal } from '../../core/verify/refusal.ts';
import { type FailOptions, fail } from '../waist/errors.ts';

export function toError({ code, field, message, metadata }: Refusal): ReturnType<typeof fail> {
  const options: FailOptions = metadata ? { field, metadata } : { field };
  return fail(code, message, options);
}
