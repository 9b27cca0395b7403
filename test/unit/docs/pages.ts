// The pages people read: README, CONTRIBUTING, docs/**/*.md, those of the SDKs and examples, by their paths from the root.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..', '..');

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const pages = (): string[] => [
  'README.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }).sort(),
  ...globSync(['sdks/*.md', 'sdks/*/README.md', 'examples/README.md', 'examples/*/README.md'], {
    cwd: ROOT,
  }).sort(),
];
