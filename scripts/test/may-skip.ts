// The skips that are no failure with CI=true: test/may-skip.txt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Remark } from '../../test/support/reporter.ts';
import { root } from '../run.ts';

export interface MaySkip {
  /** Beginnings of a test's name and of its reason. */
  name: string;
  reason: string;
  why: string;
}

const maySkipFile = join(root, 'test', 'may-skip.txt');

/** @throws for a line that is not `<name> | <reason> # <why>`. */
export function readMaySkip(text = readFileSync(maySkipFile, 'utf8')): MaySkip[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, reason, why] = /^(\S.*?) \| (\S.*?) # (\S.*)$/.exec(line) ?? [];
      if (!name || !reason || !why) throw new Error(`test/may-skip.txt: "${line}" is not <name> | <reason> # <why>`);
      return { name, reason, why };
    });
}

export const maySkip = (skipped: Remark, allowed: readonly MaySkip[]): boolean =>
  allowed.some(({ name, reason }) => skipped.name.startsWith(name) && skipped.reason.startsWith(reason));
