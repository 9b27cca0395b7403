// What the files of deploy/ have to agree on among each other.
import { expect, test } from 'vitest';
import { loadDatabases } from '../../../src/config.ts';
import { read } from './pages.ts';

test('nginx waits as long for a watch at either port, and HAProxy too', () => {
  const timeOf = (file: string, name: string) => new RegExp(`^ *${name} +(\\w+);?$`, 'm').exec(read(file))?.[1];
  const waits = timeOf('deploy/nginx.conf', 'grpc_read_timeout');
  expect(waits).toMatch(/^\d+m$/);
  expect(timeOf('deploy/nginx.conf', 'proxy_read_timeout')).toBe(waits);
  expect(timeOf('deploy/haproxy.cfg', 'timeout server')).toBe(waits);
});

test('the migration in a container of Compose runs as the owner of the tables', () => {
  const [, section = ''] = read('deploy/README.md').split('## Upgrading\n');
  const [command = ''] = /^ *docker compose .+? src\/main\.ts migrate$/ms.exec(section.split(/^## /m)[0] ?? '') ?? [];
  const variables = [...read('deploy/compose.yaml').matchAll(/^ {6}(DATABASE_\w+): (.+)$/gm)];
  const given = [...command.matchAll(/--env (\w+)=(\S+)/g)];
  const [, mounted = ''] = /--volume "\$PWD\/deploy\/secrets\/owner:(\/\w+):ro"/.exec(command) ?? [];
  const env = Object.fromEntries([...variables, ...given].map(([, name, value]) => [name, value]));
  const readFile = (path: string) => (path === `${mounted}/database_url` ? 'postgres://ramz_owner@db/ramz' : '');
  expect(loadDatabases({ env, readFile })).toMatchObject({
    value: { home: 'postgres://ramz_owner@db/ramz' },
    errors: [],
  });
});
