// The image, replayed without a container: the stages' files and commands in folders of their own, then the service as its CMD starts it.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/run.ts';
import { testDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { lastStage, replay, stage } from '../support/image.ts';
import { startProcess } from '../support/process.ts';

const folder = testFolder('image');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

const all = () => true;
const none = () => false;

test('the image serves the API, and the viewer of the API is built into it', async () => {
  const [pages, packages, source, image] = ['pages', 'packages', 'source', 'image'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  for (const [name, to] of Object.entries({ pages, packages, source }))
    replay(stage(dockerfile, name), { context: root, to, isRun: all });
  replay(lastStage(dockerfile), { context: root, to: image, stages: { pages, packages, source }, isRun: none });
  expect(readdirSync(image)).toEqual(expect.arrayContaining(['src', 'prompts', '.web', 'node_modules']));

  for (const verb of ['start', 'sandbox', 'send']) {
    const { status, stderr } = spawnSync(process.execPath, ['src/main.ts', verb], { cwd: image, encoding: 'utf8' });
    expect([verb, status, stderr]).toEqual([verb, 1, expect.stringContaining('this verb is not in the image')]);
  }

  const database = await testDatabase();
  execFileSync(process.execPath, ['src/main.ts', 'migrate'], {
    cwd: image,
    env: { ...process.env, DATABASE_URL: database.url },
  });
  const keys = execFileSync(process.execPath, ['src/main.ts', 'keys', 'new'], { cwd: image, encoding: 'utf8' });
  const command: string[] = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]');
  expect(command[0]).toBe('node');
  const service = startProcess(process.execPath, {
    args: command.slice(1),
    cwd: image,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      RAMZ_KEYS: keys,
      RAMZ_ALLOW_PLAINTEXT: 'true',
      PORT: '0',
      GRPC_PORT: '0',
      METRICS_PORT: '0',
      RAMZ_DATA: folder,
    },
  });
  const [, http = ''] = await service.waitFor(/"http":"(http:[^"]+)"/);
  const page = await fetch(`${http}/docs`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(await page.text()).toContain('assets/');
  expect((await service.end('SIGTERM')).code).toBe(0);
});
