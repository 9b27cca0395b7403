// The files of Docker Compose: that each process reaches the database by the address that deploy/README.md gives it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { defaults as allDefaults } from '../../../src/config/defaults.ts';

const read = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');

/** The text of each service, by its name. */
function servicesOf(name: string): Map<string, string> {
  const [, services = ''] = /^services:\n(.*?)(?=^\S|$(?![\s\S]))/ms.exec(read(name)) ?? [];
  return new Map(
    services.split(/^ {2}(?=\w+:$)/m).flatMap((text) => (text.trim() ? [[text.split(':')[0] ?? '', text]] : [])),
  );
}

const defaults = allDefaults.environment;
const base = servicesOf('compose.yaml');
const voice = servicesOf('compose.voice.yaml');
const ss7 = servicesOf('compose.ss7.yaml');
/** What is mounted of this folder, and where. */
const mountsOf = (services: Map<string, string>) =>
  [...services.values()].flatMap((text) =>
    [...text.matchAll(/"(\.\/[^:"]+):([^:"]+)/g)].map(([, from = '', to = '']): [string, string] => [from, to]),
  );
const settingOf = (text: string, name: string) => new RegExp(`^ +${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
const url = new URL(
  /^ *echo "(\S+)" > deploy\/secrets\/service\/database_url$/m.exec(
    read('README.md').replace('$(cat deploy/secrets/database_password)', 'secret'),
  )?.[1] ?? '',
);

test('a container writes nothing of its own, gains no rights, and takes no more than its share of the host', () => {
  const service = base.get('ramz') ?? '';
  expect(settingOf(service, 'read_only')).toBe('true');
  expect(settingOf(service, 'security_opt')).toBe('["no-new-privileges:true"]');
  expect(settingOf(service, 'cap_drop')).toBe('[ALL]');
  expect(settingOf(service, 'mem_limit')).toMatch(/^\d+m$/);
  expect(Number(settingOf(service, 'pids_limit'))).toBeGreaterThan(0);
  for (const port of JSON.parse(settingOf(service, 'ports')) as string[]) expect(port).toMatch(/^127\.0\.0\.1:/);
  expect(settingOf(base.get('postgres') ?? '', 'ports')).toBe('');
  expect(
    readFileSync(join(root, 'Dockerfile'), 'utf8')
      .split(/^FROM /m)
      .at(-1),
  ).toMatch(/^USER node$/m);
});

test('the secrets of operators and trunks that docs name as files are in a folder that each process has', () => {
  expect(mountsOf(base)).toContainEqual(['./secrets/service', '/run/secrets']);
  const pages = ['docs/operators.md', 'docs/examples/ramz.config.json', 'deploy/README.md'];
  const files = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\{ ?"file": "(\/[^"…]*)" ?\}/g)].map(([, path]) => path),
  );
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((path) => !path?.startsWith('/run/secrets/'))).toEqual(['/path']);
});

test('what a reload reads again is mounted by its folder: a file that an editor replaces would stay the old one', () => {
  const own = new Map([['ramz', base.get('ramz') ?? '']]);
  expect(mountsOf(own).map(([from]) => from)).toEqual(['./config', './secrets/ring', './secrets/service']);
  // The second process of compose.voice.yaml extends that of compose.yaml.
  expect(mountsOf(voice)).toEqual([]);
  expect(settingOf(voice.get('ramz_b') ?? '', 'extends')).toBe('{ file: compose.yaml, service: ramz }');
  for (const services of [base, voice])
    for (const text of services.values())
      expect(settingOf(text, 'RAMZ_CONFIG') || '/etc/ramz/').toMatch(/^\/etc\/ramz\//);
});

test('git ignores the files of a deployment that are mounted', () => {
  const ignored = read('.gitignore').split('\n');
  const mounted = [base, voice, ss7].flatMap(mountsOf).map(([from]) => from.replace('./', ''));
  expect(mounted).toEqual(['postgres-init.sh', 'config', 'secrets/ring', 'secrets/service', 'ss7.json']);
  const isIgnored = (path: string) => ignored.includes(path) || ignored.includes(`${path.split('/')[0]}/`);
  // A script of ours, which is the same in each deployment.
  expect(mounted.filter((path) => !isIgnored(path))).toEqual(['postgres-init.sh']);
});

test('the address of the database names its service, user and database', () => {
  const database = base.get(url.hostname) ?? '';
  expect([...base.keys()]).toEqual(['postgres', 'ramz']);
  expect(database).toContain('./postgres-init.sh:/docker-entrypoint-initdb.d/ramz.sh:ro');
  const made = read('postgres-init.sh');
  expect(made).toContain(`create role ${url.username} login`);
  expect(made).toContain(`create database ${url.pathname.slice(1)} owner ${url.username};`);
  expect(settingOf(database, 'POSTGRES_USER')).not.toBe(url.username);
});

test('Postgres is healthy once the service can connect: not without its role or its database', () => {
  const [, command = ''] = /^ {6}test: \[CMD, (.+)\]$/m.exec(base.get('postgres') ?? '') ?? [];
  // By TCP: the server that runs postgres-init.sh listens on a socket alone.
  for (const option of ['-h, 127.0.0.1', `-U, ${url.username}`, `-d, ${url.pathname.slice(1)}`])
    expect(command).toContain(option);
  expect(command).toMatch(/^psql, .*, -c, select 1$/);
});

test('secrets are files that the page makes: none is in an environment', () => {
  const files = ['DATABASE_URL', 'RAMZ_ADMIN_TOKEN', 'METRICS_TOKEN'].map((name) => {
    expect(settingOf(base.get('ramz') ?? '', name)).toBe('');
    return settingOf(base.get('ramz') ?? '', `${name}_FILE`);
  });
  for (const file of files) {
    expect(read('README.md')).toContain(` > ${file.replace('/run/secrets/', 'deploy/secrets/service/')}\n`);
  }
});

test('a process on the host’s network, where no service has a name, finds the database at its published port', () => {
  expect([...voice.keys()]).toEqual(['postgres', 'ramz', 'ramz_b', 'kamailio']);
  expect([...ss7.keys()]).toEqual(['postgres', 'ramz', 'ss7']);
  for (const service of [voice.get('ramz'), voice.get('ramz_b'), ss7.get('ramz')].map((text) => text ?? '')) {
    expect(settingOf(service, 'network_mode')).toBe('host');
    const own = settingOf(service, 'DATABASE_URL');
    expect(own).toBe('');
    expect(JSON.parse(settingOf(service, 'extra_hosts') || '[]')).toContain(`${url.hostname}:127.0.0.1`);
  }
  for (const services of [voice, ss7]) {
    const ports = settingOf(services.get(url.hostname) ?? '', 'ports');
    expect(JSON.parse(ports || '[]')).toEqual([`127.0.0.1:${url.port}:${url.port}`]);
  }
});

test('the processes on the host’s network, the SS7 gateway among them, each have ports of their own', () => {
  const portsOf = (text = '') =>
    (['PORT', 'GRPC_PORT', 'METRICS_PORT'] as const).map((name) => Number(settingOf(text, name) || defaults[name]));
  const schema = 'gateways/ss7/src/main/resources/ramz/ss7/settings.schema.json';
  const gateway = JSON.parse(readFileSync(join(root, schema), 'utf8'));
  const metrics = gateway.properties.http.properties.port.default;
  expect(metrics).toEqual(expect.any(Number));
  const ports = [...portsOf(voice.get('ramz')), ...portsOf(voice.get('ramz_b')), Number(url.port), metrics];
  expect([...new Set(ports)]).toEqual(ports);
});

test('the log of every container is rotated: Docker’s own driver fills the disk', () => {
  const [, options = ''] =
    /^x-logging: &logging\n {2}driver: local\n {2}options: (\{ .+ \})$/m.exec(read('compose.yaml')) ?? [];
  expect(options).toMatch(/^\{ max-size: \d+m, max-file: "\d+" \}$/);
  for (const [name, text] of base) expect([name, settingOf(text, 'logging')]).toEqual([name, '*logging']);
  // What another file says of a service of compose.yaml is merged with what that says; an anchor does not reach the others.
  for (const [name, text] of [...voice, ...ss7])
    if (!base.has(name) && settingOf(text, 'extends') === '')
      expect([name, settingOf(text, 'logging')]).toEqual([name, `{ driver: local, options: ${options} }`]);
});

test('Postgres has the time to write its checkpoint at the end, and to replay its log at the start', () => {
  const seconds = (name: string) => Number(/^(\d+)m$/.exec(settingOf(base.get('postgres') ?? '', name))?.[1]) * 60;
  expect(seconds('stop_grace_period')).toBeGreaterThanOrEqual(60);
  expect(seconds('start_period')).toBeGreaterThanOrEqual(60);
});

test('Postgres writes no details of errors into its log: they name phone numbers', () => {
  expect(base.get('postgres')).toMatch(/command:\n.*-c, log_error_verbosity=terse/);
});
