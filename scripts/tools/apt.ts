// Installs those of some Debian packages that are missing: only as root, only where apt is. Their services stay down.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { run } from '../run.ts';

/** Asked by every package's install script whether its service may start; 101 means no. */
const POLICY = '/usr/sbin/policy-rc.d';
const POLICY_ASIDE = `${POLICY}.ramz-aside`;

/** Returns why packages are missing still, or undefined when all are there. */
export async function prepareAptPackages(
  names: readonly string[],
  say: (line: string) => void,
): Promise<string | undefined> {
  const missing: string[] = [];
  for (const name of names) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length === 0) return undefined;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return `missing: ${missing.join(', ')} (installed by \`npm test\` as root on Debian only)`;

  say(`installing ${missing.join(', ')} …`);
  return await withServicesDown(async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const steps = [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', ...missing],
    ];
    for (const args of steps) {
      const { code, output } = await run('apt-get', args, { env });
      if (code !== 0) return `apt-get ${args[0]} failed: ${output.trim().split('\n').slice(-5).join('\n')}`;
    }
    return undefined;
  });
}

async function isInstalled(name: string): Promise<boolean> {
  const { code, output } = await run('dpkg-query', ['--status', name]);
  return code === 0 && /^Status: .* installed$/m.test(output);
}

async function withServicesDown<T>(work: () => Promise<T>): Promise<T> {
  if (existsSync(POLICY)) renameSync(POLICY, POLICY_ASIDE);
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    rmSync(POLICY, { force: true });
    if (existsSync(POLICY_ASIDE)) renameSync(POLICY_ASIDE, POLICY);
  }
}
