// A setting that is a secret: given in clear, or better as the name of an environment variable or the path of a file.
// The value never appears in an error.

import { z } from 'zod';

/** Where secrets are read from. Both answer undefined when there is nothing, and an empty value counts as nothing. */
export interface SecretSource {
  variable(name: string): string | undefined;
  file(path: string): string | undefined;
}

/** A secret resolved while the file is read: a missing one is an error at its path, so the start fails closed. */
export function secretSchema(source: SecretSource) {
  return z
    .union(
      [z.string().min(1), z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
      {
        error: (issue) =>
          issue.input === undefined
            ? 'is missing: give {"env": "NAME"} or {"file": "/path"}'
            : 'must be {"env": "NAME"}, {"file": "/path"} or the text itself, not empty',
      },
    )
    .transform((given, context) => {
      if (typeof given === 'string') return given;
      const value = 'env' in given ? source.variable(given.env) : source.file(given.file);
      if (value) return value;
      const where =
        'env' in given
          ? `${shown(given.env, /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/, 'the environment variable')} is not set`
          : `${shown(given.file, /^\.{0,2}\//, 'the file')} cannot be read or is empty`;
      context.addIssue({ code: 'custom', message: `the secret is missing: ${where}` });
      return z.NEVER;
    });
}

/** Somebody may have written the secret itself where its name belongs: only what looks like a name is told. */
const shown = (name: string, likely: RegExp, what: string): string =>
  likely.test(name) ? `${what} ${name}` : `${what} it names`;

export type SecretSchema = ReturnType<typeof secretSchema>;
