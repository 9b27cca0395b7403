// What the fake throws where the service would answer an error.

import type { Json } from '../codec.ts';
import type { ErrorCode } from '../gen/words.ts';

interface About {
  field?: string | undefined;
  /** Further members of the error. */
  details?: Json | undefined;
  retryAfterSeconds?: number | undefined;
}

export class Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly about: About;

  constructor(code: ErrorCode, message: string, about: About = {}) {
    this.code = code;
    this.message = message;
    this.about = about;
  }
}
