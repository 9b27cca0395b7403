// Where settings come from, and what reading one of the places gives.

import type { ConfigProblem } from './types.ts';

/** `readFile` answers a file's text and throws where it cannot be read, as `readFileSync` does. */
export interface ConfigSources {
  env: Readonly<Record<string, string | undefined>>;
  readFile(path: string): string;
}

/** `value` is there exactly when there are no errors. */
export interface Loaded<T> {
  value?: T;
  errors: ConfigProblem[];
}
