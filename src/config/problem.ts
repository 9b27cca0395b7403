// Problems of a configuration that a person can act on: one path in the file's own words and one sentence. The value is never repeated,
// because it may be a secret.

import type { z } from 'zod';
import { duplicateMember } from '../core/duplicate-member.ts';

type Issue = z.core.$ZodIssue;

/** `['operators', 0, 'binds', 1, 'port']` → `operators[0].binds[1].port`; a key that is no name goes in brackets too. */
function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(part))) text += text ? `.${String(part)}` : String(part);
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

/** Words for what zod would only call invalid; everything else keeps the message its rule was declared with. */
export function wording(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing';
  if (issue.code === 'invalid_type')
    return `must be ${issue.expected === 'int' ? 'a whole number' : `of type ${issue.expected}`}`;
  if (issue.code === 'invalid_value')
    return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
  if (issue.code === 'too_small' && issue.origin !== 'string') {
    return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`;
  }
  if (issue.code === 'too_big' && issue.origin !== 'string')
    return `must be at most ${issue.maximum}${unit(issue.origin)}`;
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} characters`;
  if (issue.code === 'too_small') return 'must not be empty';
  return undefined;
}

const unit = (origin: string): string => (origin === 'array' ? ' entries' : '');

export function problemsOf(issues: readonly Issue[]): ConfigProblem[] {
  return issues.flatMap((issue): ConfigProblem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: 'is not a setting' }));
    }
    const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [{ path: pathText(issue.path), message }];
  });
}

/** One thing wrong, and where: a variable's name or a path in the file, e.g. `operators[0].binds[1].port`. */
export interface ConfigProblem {
  path: string;
  message: string;
}

export interface Findings {
  errors: ConfigProblem[];
  warnings: ConfigProblem[];
}

/** A member that is given twice, of text that is JSON: all but the last one would be dropped in silence. */
export function twiceIn(json: string): ConfigProblem[] {
  const path = duplicateMember(json);
  return path ? [{ path: pathText(path), message: 'is given twice' }] : [];
}

/** The text of a file. Some editors begin one with a byte order mark, which is no part of a secret, and which RFC 8259 (8.1) lets a reader pass over. */
export const fileText = (readFile: ConfigSources['readFile'], path: string): string =>
  readFile(path).replace(/^\uFEFF/, '');

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
