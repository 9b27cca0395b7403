// The deployment of deploy/README.md with Docker Compose: its commands as they are written there, up to a code that is checked and keys that are
// rotated. The project, the image and the ports are of this test alone. Needs root, as the page does, and a Docker engine that has the base images or can get them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, run } from '../../scripts/run.ts';
import { cloneInto } from '../sdks/install/clone.ts';
import { testFolder } from '../support/folder.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const folder = testFolder('compose');
const project = `ramz-test-${process.pid}`;
const env = { ...process.env, COMPOSE_PROJECT_NAME: project };

const engine = await run('docker', ['info', '--format', '{{.ServerVersion}}']);
const compose = await run('docker', ['compose', 'version']);
const isRoot = process.getuid?.() === 0;
const missing = [
  ...(engine.code === 0 ? [] : ['no Docker engine answers']),
  ...(compose.code === 0 ? [] : ['there is no Docker Compose']),
  ...(isRoot ? [] : ['the steps need root']),
].join(', ');

const page = readFileSync(join(root, 'deploy', 'README.md'), 'utf8');
/** Commands of one section of the page: its blocks, in order. */
function commandsOf(title: string): string[] {
  const [, section = ''] = page.split(`## ${title}\n`);
  const blocks = [...(section.split(/^## /m)[0] ?? '').matchAll(/^( *)```sh[^\n]*\n(.*?)^ *```$/gms)];
  return blocks.map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** Runs commands of the page in the copy. @throws with what they wrote */
async function shell(commands: string): Promise<string> {
  const own = commands.replaceAll('-t ramz ', `-t ${project} `).replaceAll('--rm ramz ', `--rm ${project} `);
  const { code, output } = await run('sh', ['-ec', own], { cwd: folder, env, timeoutMs: 20 * 60_000 });
  if (code !== 0) throw new Error(`${own}\nended with ${code}:\n${output.slice(-4_000)}`);
  return output;
}
const inCompose = (words: string) => shell(`docker compose -f deploy/compose.yaml ${words}`);

/** Any free ports, so that nothing else on this machine is in the way. */
function freePorts(): void {
  const file = join(folder, 'deploy', 'compose.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"127\.0\.0\.1:\d+:(\d+)"/g, '"127.0.0.1::$1"'));
}

function writeConfiguration(): void {
  const tariff = { version: '1', valid_from: '2026-01-01T00:00:00Z', currency: 'DZD', amount: '1', charged: 'submit' };
  const bind = { host: 'smsc.alpha.example', system_id: 'example', password: { file: '/run/secrets/alpha_password' } };
  const rest = { name: 'Alpha', time_zone: 'Africa/Algiers', rate_per_second: 10, tariff: [tariff] };
  const alpha = { id: 'alpha', enabled: false, prefixes: ['+21355'], binds: [bind], ...rest };
  mkdirSync(join(folder, 'deploy', 'config'), { mode: 0o755 });
  writeFileSync(join(folder, 'deploy', 'config', 'config.json'), JSON.stringify({ operators: [alpha] }), {
    mode: 0o644,
  });
}

beforeAll(() => {
  if (missing !== '') return;
  cloneInto(folder);
  freePorts();
});
afterAll(async () => {
  if (missing !== '') return;
  await run('docker', ['compose', '-f', 'deploy/compose.yaml', 'down', '-v', '--rmi', 'local'], { cwd: folder, env });
  await run('docker', ['rmi', project, `${project}-kamailio`, `${project}-ss7`]);
});

const minutes = 60_000;

test(
  'a code is checked, keys are rotated, a migration runs by itself, and the service ends in order',
  async ({ skip }) => {
    if (missing !== '') skip(missing);
    const [secrets = '', operatorSecret = '', , createAccount = ''] = commandsOf('With Docker Compose');
    expect(secrets).toContain('docker build');
    await shell(secrets);
    writeConfiguration();
    await shell(operatorSecret);
    const [, up = ''] = /Run `docker compose -f deploy\/compose\.yaml (up [^`]+)`/.exec(page) ?? [];
    await inCompose(up);
    await until(async () => (await inCompose('ps ramz')).includes('(healthy)'), { what: 'health', everyMs: 500 });

    const account = await shell(createAccount.replace('exec ramz', 'exec -T ramz'));
    const [testKey = ''] = /ramz_test_\w+/.exec(account) ?? [];
    const client = serviceClient(`http://${(await inCompose('port ramz 8080')).trim()}`, testKey);
    const { id } = await client.send('+213550000001');
    expect(await client.check(id, '000000')).toMatchObject({ valid: true });

    const [rotate = ''] = commandsOf('The key ring');
    expect(await shell(rotate.replace('run --rm', 'run --rm -T'))).toContain(
      'every process makes new things with these keys',
    );
    const [migrate = ''] = commandsOf('Upgrading');
    const own = readFileSync(join(folder, 'deploy', 'secrets', 'service', 'database_url'), 'utf8').trim();
    const migrated = migrate.replace(/(?<=echo ')[^']+/, own).replace('run --rm', 'run --rm -T');
    expect(migrated).toContain(own);
    expect(await shell(migrated)).toContain('the database is up to date');
    await inCompose('exec -T ramz touch /data/written');
    await inCompose('stop ramz');
    expect(await inCompose('ps --all ramz')).toContain('Exited (0)');
  },
  30 * minutes,
);

for (const [service, file] of [
  ['kamailio', 'compose.voice.yaml'],
  ['ss7', 'compose.ss7.yaml'],
]) {
  test(
    `the image of ${service} is built for ${file}`,
    async ({ skip }) => {
      if (missing !== '') skip(missing);
      await shell(`docker compose -f deploy/compose.yaml -f deploy/${file} build ${service}`);
    },
    20 * minutes,
  );
}
