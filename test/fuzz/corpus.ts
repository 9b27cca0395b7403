// Inputs kept in the repository: what once broke something, and what reaches places that seeds alone do not.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'corpus');

export function readCorpus(target: string): Buffer[] {
  const own = join(folder, target);
  if (!existsSync(own)) return [];
  return readdirSync(own)
    .toSorted()
    .map((name) => readFileSync(join(own, name)));
}

/** Named by what is in it, so that nothing is kept twice. Returns the path. */
export function keep(target: string, input: Buffer): string {
  const own = join(folder, target);
  mkdirSync(own, { recursive: true });
  const path = join(own, createHash('sha256').update(input).digest('hex').slice(0, 12));
  writeFileSync(path, input);
  return path;
}
