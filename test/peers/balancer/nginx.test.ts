// nginx before two processes, as deploy/nginx.conf has it, within the `http { }` of somebody who compresses and logs all he can.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '../../support/process.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import type { Program } from './balancer.ts';
import { deletedOnce } from './deletions.ts';
import { tellStory } from './story.ts';

const test = requireTool('nginx');

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const nginx: Program = {
  file: 'nginx.conf',
  secrets: '/etc/nginx',
  logs: '/var/log/nginx',
  asksReadiness: false,
  start(config, folder) {
    const main = join(folder, 'main.conf');
    const log = join(folder, 'error.log');
    writeFileSync(
      main,
      `daemon off;
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      pid ${join(folder, 'pid')};
      events { worker_connections 512; }
      http {
        access_log ${join(folder, 'access.log')};
        ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n')}
        gzip on;
        gzip_proxied any;
        gzip_types *;
        include ${config};
      }`,
    );
    return startProcess(toolPath('nginx') ?? 'nginx', { args: ['-p', folder, '-e', log, '-c', main] });
  },
};

test('two processes behind nginx', () => tellStory(nginx));

test('a DELETE reaches one process behind nginx, once', () => deletedOnce(nginx));
