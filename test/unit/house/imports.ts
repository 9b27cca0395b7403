// Reads the import statements under src/, for the tests of the house rules.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export const SRC = join(import.meta.dirname, '..', '..', '..', 'src');

export interface Import {
  /** Path of the importing file under src/. */
  file: string;
  /** Path of the imported file under src/ (`db/client.ts`), or a package's name (`pg`, `node:fs`). */
  target: string;
  ours: boolean;
}

/** Files under src/ that people write, as paths relative to it. */
export function sourceFiles(): string[] {
  const all = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'));
  return all.filter((path) => /\.(ts|mjs|js)$/.test(path) && !path.startsWith('gen/'));
}

/** Every `import … from`, `export … from`, bare import and `import()` of a source text, types included. */
export function importsOf(file: string, text: string): Import[] {
  const code = text.replace(/^\s*\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
  const pattern =
    /(?:^|[;}\s])(?:import|export)\s(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]/g;
  return [...code.matchAll(pattern)].map((match) => {
    const written = match[1] ?? match[2] ?? '';
    const ours = written.startsWith('.');
    const target = ours
      ? relative(SRC, join(SRC, dirname(file), written))
          .split(sep)
          .join('/')
      : packageName(written);
    return { file, target, ours };
  });
}

export const allImports = (): Import[] =>
  sourceFiles().flatMap((file) => importsOf(file, readFileSync(join(SRC, file), 'utf8')));

function packageName(written: string): string {
  if (written.startsWith('node:')) return written;
  return written
    .split('/')
    .slice(0, written.startsWith('@') ? 2 : 1)
    .join('/');
}
