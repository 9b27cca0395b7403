// Prometheus' own promtool on deploy/alerts.yml: it is read without a complaint, and rules fire when they must.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { startProcess } from '../../support/process.ts';
import { requireTool, toolPath } from '../../support/tool.ts';

const test = requireTool('promtool');
const deployed = join(import.meta.dirname, '..', '..', '..', 'deploy', 'alerts.yml');

async function promtool(...args: string[]) {
  const running = startProcess(toolPath('promtool') ?? 'promtool', { args });
  const { code } = await running.exit();
  return { code, output: running.output() };
}

test('the rules are read without a complaint', async () => {
  const { code, output } = await promtool('check', 'rules', '--lint-fatal', deployed);
  expect(output).toMatch(/SUCCESS: \d\d rules found/);
  expect(code).toBe(0);
});

test('rules fire when they must, and not before', async () => {
  const folder = testFolder('prometheus');
  copyFileSync(deployed, join(folder, 'alerts.yml'));
  copyFileSync(join(import.meta.dirname, 'alerts.test.yml'), join(folder, 'alerts.test.yml'));
  const { code, output } = await promtool('test', 'rules', join(folder, 'alerts.test.yml'));
  expect(output).toContain('SUCCESS');
  expect(code).toBe(0);
});
