// `npm run sbom`: CycloneDX as JSON, with every package of the lock file and its hash; and `npm run advisories`, which never passes in silence.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';

interface Component {
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version: string; integrity?: string; link?: boolean }>;
};

test('the bill of materials names every locked package, with its hash', () => {
  const text = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const bill = JSON.parse(text) as { bomFormat: string; specVersion: string; components: Component[] };
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  const byName = new Map(bill.components.map((each) => [`${each.name}@${each.version}`, each]));
  const locked = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
  expect(locked.length).toBeGreaterThan(100);
  for (const [path, { version, integrity }] of locked) {
    const name = `${path.split('node_modules/').at(-1)}@${version}`;
    const found = byName.get(name);
    expect(found, name).toBeDefined();
    if (integrity === undefined) continue;
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    expect(found?.hashes, name).toEqual([{ alg: 'SHA-512', content }]);
  }
});

test('the image gets the same', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { sbom: string } };
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`RUN ${scripts.sbom} > sbom.cdx.json`);
});

test('a look at advisories says so where no registry answers, and does not pass', () => {
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };
  const asked = spawnSync(process.execPath, ['scripts/supply/check.ts', 'advisories'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  expect(asked.stdout).toMatch(/^NOT CHECKED: no registry answered about known faults \(.+\)\n$/);
  expect(asked.status).toBe(2);
});
