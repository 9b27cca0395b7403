// A virtual environment with the wheel of sdks/python, and what is asked for beside it.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/run.ts';
import { preparePythonTools, pythonBin } from '../../../scripts/tools/python.ts';
import { type Installed, missing, must, ready } from './install.ts';

/** With the extra for gRPC. @param requirements further requirements files, e.g. an example's. */
export async function installPython(folder: string, requirements: readonly string[] = []): Promise<Installed> {
  const problem = await preparePythonTools((line) => console.log(line));
  if (problem !== undefined) return missing(problem);
  const wheels = join(folder, 'wheels');
  mkdirSync(wheels, { recursive: true });
  const python = join(pythonBin, 'python');
  await must(python, ['-m', 'build', '--wheel', '--no-isolation', '--outdir', wheels, 'sdks/python'], root);
  const wheel = readdirSync(wheels).find((name) => name.endsWith('.whl'));
  await must(python, ['-m', 'venv', join(folder, '.venv')], folder);
  const listed = requirements.flatMap((file) => ['--requirement', join(root, file)]);
  const options = ['--quiet', '--constraint', join(root, 'test', 'tools', 'requirements.txt')];
  await must(
    join(folder, '.venv', 'bin', 'python'),
    ['-m', 'pip', 'install', ...options, ...listed, `${join(wheels, String(wheel))}[grpc]`],
    folder,
  );
  return ready(folder);
}
