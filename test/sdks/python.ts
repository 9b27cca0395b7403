// The Python SDK: checked, built the way it is published, and tested as installed, on the newest and the oldest Python here.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { root, run } from '../../scripts/run.ts';
import { preparePythonTools, pythonBin } from '../../scripts/tools/python.ts';
import type { Step, Suite, SuiteContext } from './suite.ts';

const sdk = 'sdks/python';
const tool = (name: string): string => join(pythonBin, name);

interface Python {
  program: string;
  /** `3.9.18` */
  version: string;
}

export const suite: Suite = {
  missing: () => preparePythonTools(console.log),
  async steps(context) {
    const pythons = await installedPythons();
    const oldest = pythons[0];
    const newest = pythons.at(-1);
    return [
      { name: 'types (mypy --strict)', program: tool('mypy'), args: [], cwd: sdk },
      { name: 'lint (ruff)', program: tool('ruff'), args: ['check', '--no-cache', '.'], cwd: sdk },
      { name: 'format (ruff)', program: tool('ruff'), args: ['format', '--no-cache', '--check', '.'], cwd: sdk },
      {
        name: 'sdist and wheel',
        program: tool('python'),
        args: ['-m', 'build', '--no-isolation', '--outdir', join(context.folder, 'dist'), '.'],
        cwd: sdk,
      },
      ...(oldest && oldest !== newest ? testsOn(context, oldest, 'oldest') : []),
      ...(newest ? testsOn(context, newest, 'newest') : []),
      {
        name: 'types as a user sees them (mypy --strict)',
        program: tool('mypy'),
        args: [
          '--strict',
          '--config-file=',
          '--python-executable',
          join(context.folder, 'newest', 'bin', 'python'),
          join(root, sdk, 'tests', 'typing_consumer.py'),
        ],
        // Where no source of the SDK is in the way.
        cwd: relative(root, context.folder),
      },
    ];
  },
};

/** The wheel, with the versions of its dependencies that tests/<age>.txt pins, in a virtual environment of its own. */
function testsOn({ folder }: SuiteContext, { program, version }: Python, age: 'oldest' | 'newest'): Step[] {
  const venv = join(folder, age);
  const python = join(venv, 'bin', 'python');
  const junit = join(folder, `${age}.xml`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  return [
    { name: `Python ${version}: virtual environment`, program, args: ['-m', 'venv', venv] },
    {
      name: `Python ${version}: pip install ramz[grpc], ${age} dependencies`,
      program: python,
      args: [...pip, `${wheelIn(folder)}[grpc]`, '-r', join(root, sdk, 'tests', `${age}.txt`)],
    },
    {
      name: `Python ${version}: tests`,
      program: python,
      args: ['-m', 'pytest', '-q', '--junitxml', junit],
      cwd: sdk,
      env: { PYTHONDONTWRITEBYTECODE: '1', RAMZ_INSTALLED_IN: venv },
      junit,
    },
  ];
}

/** Every CPython from 3.9 on that is on PATH or of pyenv, oldest first. */
async function installedPythons(): Promise<Python[]> {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = existsSync(versions)
    ? readdirSync(versions).map((name) => join(versions, name, 'bin', 'python'))
    : [];
  const onPath = ['python3', 'python3.9', 'python3.10', 'python3.11', 'python3.12', 'python3.13', 'python3.14'];
  const found = new Map<number, Python>();
  for (const program of [...onPath, ...ofPyenv]) {
    const { code, output } = await run(program, ['--version']);
    const [, version, minor] = /^Python (3\.(\d+)\.\d+)$/m.exec(output) ?? [];
    if (code === 0 && version && Number(minor) >= 9) found.set(Number(minor), { program, version });
  }
  return [...found].sort(([a], [b]) => a - b).map(([, python]) => python);
}

/** The wheel that this version of the SDK is built to. */
function wheelIn(folder: string): string {
  const [, version] =
    /"(.*)"/.exec(readFileSync(join(root, sdk, 'src', 'ramz', '_version.py'), 'utf8').split('=')[1] ?? '') ?? [];
  return join(folder, 'dist', `ramz-${version}-py3-none-any.whl`);
}
