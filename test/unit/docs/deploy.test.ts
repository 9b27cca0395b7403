// What the files of deploy/ have to agree on among each other.
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadDatabases } from '../../../src/config.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { pages, ROOT, read } from './pages.ts';

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

test('the page on roles names the functions with the rights of the owner', () => {
  const migrations = globSync('src/db/migrations/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const made = migrations
    .split(/(?=create function )/)
    .filter((text) => /^[^$]*\bsecurity definer\b/.test(text))
    .map((text) => /^create function (\w+)/.exec(text)?.[1]);
  const [, may = ''] = /^\| `ramz_service` \| (.+?) \|/m.exec(read('docs/database.md')) ?? [];
  expect(made.length).toBeGreaterThan(2);
  expect([...may.matchAll(/`(ramz_\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(made.toSorted());
});

test('every metric is on a page, in a rule or on the dashboard', () => {
  const texts = [...pages(), 'deploy/alerts.yml', 'deploy/dashboard.json'].map(read).join('\n');
  const named = new Set([...texts.matchAll(/\b(ramz_\w+?)(?:_bucket|_sum|_count)?\b/g)].map(([, name]) => name));
  const metrics = createMetrics()
    .register.getMetricsAsArray()
    .map(({ name }) => name);
  // Those of prom-client, which deploy/README.md names by what they begin with.
  const ofLibrary = ['ramz_process_', 'ramz_nodejs_'];
  expect(ofLibrary.filter((begin) => !read('deploy/README.md').includes(`\`${begin}…\``))).toEqual([]);
  const own = metrics.filter((name) => !ofLibrary.some((begin) => name.startsWith(begin)));
  expect(own.length).toBeGreaterThan(60);
  expect(own.filter((name) => !named.has(name))).toEqual([]);
});
