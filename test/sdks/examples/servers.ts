// How each example is installed, with the packed SDK, and started.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';
import { installGo } from '../install/go.ts';
import { type Installed, must } from '../install/install.ts';
import { installLaravel } from '../install/laravel.ts';
import { installNode } from '../install/node.ts';
import { installPhp } from '../install/php.ts';
import { installPython } from '../install/python.ts';

export interface Example {
  name: string;
  install(folder: string): Promise<Installed>;
  /** Program and arguments; it runs in the folder and finds its port in PORT. */
  start(folder: string, port: number): [program: string, ...args: string[]];
}

const source = (name: string): string => join(root, 'examples', name);

export const examples: readonly Example[] = [
  {
    name: 'fastapi',
    install: async (folder) => {
      const installed = await installPython(folder, ['examples/fastapi/requirements.txt']);
      cpSync(source('fastapi'), folder, { recursive: true });
      return installed;
    },
    start: (folder, port) => [join(folder, '.venv', 'bin', 'uvicorn'), 'app:app', '--port', String(port)],
  },
  {
    name: 'fastify',
    install: async (folder) => {
      const manifest = JSON.parse(readFileSync(join(source('fastify'), 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>;
      };
      const { '@ramz/sdk': _, ...others } = manifest.dependencies;
      const installed = await installNode(folder, others);
      cpSync(join(source('fastify'), 'server.js'), join(folder, 'server.js'));
      return installed;
    },
    start: () => [process.execPath, 'server.js'],
  },
  {
    name: 'go-net-http',
    install: async (folder) => {
      const installed = await installGo(folder);
      if (installed.kind === 'missing') return installed;
      cpSync(source('go-net-http'), folder, { recursive: true });
      await must('go', ['vet', '.'], folder);
      await must('go', ['build', '-o', 'server', '.'], folder);
      return installed;
    },
    start: (folder) => [join(folder, 'server')],
  },
  {
    name: 'php',
    install: async (folder) => {
      const installed = await installPhp(folder);
      cpSync(join(source('php'), 'index.php'), join(folder, 'index.php'));
      return installed;
    },
    start: (folder, port) => [
      'php',
      '-d',
      `session.save_path=${folder}`,
      '-d',
      `sys_temp_dir=${folder}`,
      '-d',
      'display_errors=stderr',
      '-S',
      `127.0.0.1:${port}`,
      'index.php',
    ],
  },
  {
    name: 'laravel',
    install: async (folder) => {
      const installed = await installLaravel(folder);
      cpSync(source('laravel'), folder, { recursive: true });
      return installed;
    },
    start: (folder, port) => [
      'env',
      `RAMZ_LARAVEL_PROJECT=${folder}`,
      'RAMZ_WEBHOOK_PATH=webhooks/ramz',
      'RAMZ_LARAVEL_LOG=php://stdout',
      'php',
      '-S',
      `127.0.0.1:${port}`,
      join(root, 'test', 'sdks', 'install', 'laravel', 'server.php'),
    ],
  },
];
