// `npm run build:web`: builds the pages of web/ into `.web/<key>/`, where the key is a hash of everything that they are made of, and has
// `.web/current` name it once it is whole. Ends at once when that is so already. Builds of other keys go, but for the one before: a page
// that is open still loads from it.

import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { buildReference } from './reference.ts';

const root = join(import.meta.dirname, '../..');

/** Sources of the pages: their own, what they import of the service, and the versions of all packages. */
const sources = [
  'web/**/*.{ts,tsx,css,html,svg}',
  'scripts/web/*.ts',
  'src/gen/ramz/**/*.ts',
  'src/gen/google/rpc/*.ts',
  'src/story/**/*.ts',
  'package-lock.json',
];

const folder = join(root, '.web');
const keptBuilds = 2;

function keyOf(): string {
  const hash = createHash('sha256');
  for (const path of globSync(sources, { cwd: root }).sort())
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
}

const isWhole = (key: string): boolean => existsSync(join(folder, key, 'whole'));

function makeCurrent(key: string): void {
  const made = join(folder, `current.${process.pid}`);
  writeFileSync(made, `${key}\n`);
  renameSync(made, join(folder, 'current'));
}

/** In a folder of its own, which gets its name when it is whole: two builds at once do no harm to each other. */
async function buildAll(key: string): Promise<void> {
  const making = join(folder, `${key}.${process.pid}`);
  try {
    process.env.RAMZ_PAGE = 'phones';
    await build({
      configFile: join(root, 'web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: join(making, 'phones') },
    });
    await buildReference(join(making, 'reference'));
    writeFileSync(join(making, 'whole'), '');
    if (!isWhole(key)) {
      rmSync(join(folder, key), { recursive: true, force: true });
      renameSync(making, join(folder, key));
    }
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function removeOld(key: string): void {
  const builds = readdirSync(folder).filter((name) => /^[0-9a-f]{16}$/.test(name) && name !== key);
  const byAge = builds.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { name } of byAge.slice(keptBuilds - 1)) rmSync(join(folder, name), { recursive: true, force: true });
}

mkdirSync(folder, { recursive: true });
const key = keyOf();
const startedAt = performance.now();
const had = isWhole(key);
if (!had) await buildAll(key);
makeCurrent(key);
removeOld(key);
console.error(
  had
    ? `pages: up to date (${key})`
    : `pages: built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s (${key})`,
);
