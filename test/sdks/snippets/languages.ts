// How a program of each language is written into its project and started.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';
import { cloneInto } from '../install/clone.ts';
import { installGo } from '../install/go.ts';
import type { Installed } from '../install/install.ts';
import { installLaravel } from '../install/laravel.ts';
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
export const projectOf = ({ language, inside }: Program): string =>
  inside ?? (language === 'js' || language === 'ts' ? 'node' : language);

/** Of a program, which may need a framework around it. */
export const languageOf = ({ language, inside }: Program): Language =>
  inside === 'laravel' ? laravel : inside === 'install' ? install : languages[language];

/** What a page says to install by: in a folder of its own, with nothing in it. `RAMZ_CLONE` is a clone as it comes. */
const install: Language = {
  install: async (folder) => {
    cloneInto(cloneIn(folder));
    return { kind: 'ready', project: { folder } };
  },
  write: (folder, name, { text }) => {
    const own = join(folder, name);
    // Composer asks Packagist for everything unless it is told not to.
    put(join(folder, 'composer'), 'config.json', '{"repositories":[{"packagist.org":false}]}');
    const set = `export RAMZ_CLONE='${cloneIn(folder)}' COMPOSER_HOME='${join(folder, 'composer')}' COMPOSER_ALLOW_SUPERUSER=1`;
    put(folder, `${name}.sh`, `set -euo pipefail\n${set}\n${text}`);
    mkdirSync(own, { recursive: true });
    return { program: 'bash', args: [join(folder, `${name}.sh`)], cwd: own };
  },
};

const cloneIn = (folder: string): string => join(folder, 'clone');

const laravel: Language = {
  install: installLaravel,
  write: (folder, name, { text }) => {
    const whole = text.startsWith('<?php') ? text : `<?php\n${text}`;
    const file = put(folder, `${name}.php`, whole);
    const boot = join(root, 'test', 'sdks', 'install', 'laravel', 'bootstrap.php');
    const args = ['-d', 'display_errors=stderr', '-d', `auto_prepend_file=${boot}`, file];
    return { program: 'env', args: [`RAMZ_LARAVEL_PROJECT=${folder}`, 'php', ...args], cwd: folder };
  },
};

const languages: Readonly<Record<Runnable, Language>> = {
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
    install: (folder) => installNode(folder, grpcPackages()),
    write: (folder, name, { text }) => ({
      program: process.execPath,
      args: [put(folder, `${name}.mjs`, text)],
      cwd: folder,
    }),
  },
  ts: {
    install: (folder) => installNode(folder, grpcPackages()),
    // With its types checked, which Node itself only strips.
    write: (folder, name, { text }) => {
      const file = put(folder, `${name}.ts`, text);
      const types = join(root, 'node_modules', '@types');
      const options = `--noEmit --strict --target es2023 --module nodenext --types node --typeRoots ${types}`;
      const tsc = join(root, 'node_modules', '.bin', 'tsc');
      return {
        program: 'sh',
        args: ['-c', `${tsc} ${options} ${file} && exec ${process.execPath} ${file}`],
        cwd: folder,
      };
    },
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

/** What the SDK's gRPC client needs beside it, in the versions that are tested here. */
function grpcPackages(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const names = ['@bufbuild/protobuf', '@connectrpc/connect', '@connectrpc/connect-node'];
  return Object.fromEntries(names.map((name) => [name, String(dependencies[name])]));
}

function put(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
