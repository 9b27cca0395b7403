// Builds the Go programs that test/tools/go.mod pins into .tools/bin, when that file or its sums changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../run.ts';

const source = join(root, 'test', 'tools');
const target = join(root, '.tools', 'bin');
const stamp = join(target, '.built-from');

/** Returns why the tools could not be built, or undefined when they are there. */
export async function prepareGoTools(say: (line: string) => void): Promise<string | undefined> {
  const files = ['go.mod', 'go.sum'].map((name) => readFileSync(join(source, name), 'utf8'));
  const wanted = createHash('sha256').update(files.join('\0')).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;

  const needed = files[0]?.match(/^go (\d+)\.(\d+)/m);
  const found = (await run('go', ['env', 'GOVERSION'])).output.match(/^go(\d+)\.(\d+)/m);
  const install = `Go ${needed?.[1]}.${needed?.[2]} or newer is needed: https://go.dev/dl`;
  if (!found) return `no Go here. ${install}`;
  if (Number(found[2]) < Number(needed?.[2])) return `${found[0]} is too old (so is Debian's package). ${install}`;

  say('building the Go tools, about a minute the first time …');
  mkdirSync(target, { recursive: true });
  const built = await run('go', ['install', 'tool'], {
    cwd: source,
    env: { ...process.env, GOBIN: target, GOFLAGS: '-mod=readonly' },
  });
  if (built.code !== 0) return `go install failed: ${built.output.trim()}`;
  writeFileSync(stamp, wanted);
  return undefined;
}
