// What is tested in Java itself: framing of M3UA, lengths of TCAP, settings.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { run } from '../../scripts/run.ts';
import { gatewayFolder } from '../../scripts/ss7/gateway.ts';
import { ss7Test as test } from './support/programs.ts';

const namesOf = (pattern: string, name: RegExp) =>
  globSync(pattern, { cwd: gatewayFolder }).map((file) => name.exec(basename(file))?.[1]);

test('passes', async () => {
  const { code, output } = await run('mvn', ['-q', '-B', 'test'], { cwd: gatewayFolder });
  expect(code, output).toBe(0);
  const written = namesOf('src/test/**/*Test.java', /^(.*)\.java$/).toSorted();
  const reported = namesOf(join('target', 'surefire-reports', '*.txt'), /\.(\w+)\.txt$/);
  expect(written.length).toBeGreaterThan(2);
  expect(reported).toEqual(expect.arrayContaining(written));
}, 600_000);
