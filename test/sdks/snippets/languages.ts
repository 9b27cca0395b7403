// How a program of each language is written into its project and started.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installGo } from '../install/go.ts';
import type { Installed } from '../install/install.ts';
import { installNode } from '../install/node.ts';
import { installPhp } from '../install/php.ts';
import { installPython } from '../install/python.ts';
import type { Page, Program, Runnable } from './blocks.ts';

export interface Start {
  program: string;
  args: readonly string[];
  cwd: string;
}

export interface Language {
  /** Makes the project that programs run in. */
  install(folder: string): Promise<Installed>;
  /** Writes the program into the project. */
  write(folder: string, name: string, program: Program, page: Page): Start;
}

/** js and ts share a project. */
export const projectOf = (language: Runnable): string => (language === 'js' || language === 'ts' ? 'node' : language);

export const languages: Readonly<Record<Runnable, Language>> = {
  sh: {
    install: async (folder) => ({ kind: 'ready', project: { folder } }),
    write: (folder, name, { text, page }) => {
      // The blocks of a page are pasted into one terminal: what one sets, the next finds.
      const own = join(folder, page.replaceAll('/', '_'));
      const kept = '. ./state 2>/dev/null || true\nset -euo pipefail\n';
      const keep = "\ndeclare -p | grep -vE '^declare -[a-zA-Z]*r' > ./state\n";
      return { program: 'bash', args: [put(own, `${name}.sh`, kept + text + keep)], cwd: own };
    },
  },
  python: {
    install: (folder) => installPython(folder),
    write: (folder, name, { text }, { files }) => {
      const own = join(folder, name);
      for (const file of files) put(own, file.name, file.text);
      return {
        program: join(folder, '.venv', 'bin', 'python'),
        args: ['-W', 'error', put(own, 'main.py', text)],
        cwd: own,
      };
    },
  },
  js: {
    install: (folder) => installNode(folder),
    write: (folder, name, { text }) => ({
      program: process.execPath,
      args: [put(folder, `${name}.mjs`, text)],
      cwd: folder,
    }),
  },
  ts: {
    install: (folder) => installNode(folder),
    write: (folder, name, { text }) => ({
      program: process.execPath,
      args: [put(folder, `${name}.ts`, text)],
      cwd: folder,
    }),
  },
  go: {
    install: installGo,
    write: (folder, name, { text }) => {
      put(join(folder, name), 'main.go', text);
      return { program: 'go', args: ['run', `./${name}`], cwd: folder };
    },
  },
  php: {
    install: installPhp,
    write: (folder, name, { text }) => ({
      program: 'php',
      // Everything that is wrong is an error, notices included.
      args: ['-d', 'error_reporting=-1', '-d', 'display_errors=stderr', put(folder, `${name}.php`, text)],
      cwd: folder,
    }),
  },
};

function put(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
