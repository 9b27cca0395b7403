// A Dockerfile as tests read it: what it copies out of the context, which commands it runs, and both of a stage replayed in a folder.
import { execFileSync } from 'node:child_process';
import { chmodSync, constants, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** Sources of every COPY from the context, in order. */
export const copiedSources = (dockerfile: string): string[] =>
  copies(dockerfile).flatMap(({ stage, sources }) => (stage === undefined ? sources : []));

interface Copy {
  /** Undefined: the context. */
  stage: string | undefined;
  sources: string[];
  to: string;
}

function copies(dockerfile: string): Copy[] {
  return [...dockerfile.matchAll(/^COPY (?:--from=(\S+) )?(.+)$/gm)].map(([, stage, words = '']) => {
    const sources = words.trim().split(/\s+/);
    const to = sources.pop() ?? '';
    return { stage, sources, to };
  });
}

/** The stage of this name: its lines from FROM on. */
export function stage(dockerfile: string, name: string): string {
  const found = dockerfile.split(/^(?=FROM )/m).find((each) => new RegExp(`^FROM \\S+ AS ${name}$`, 'm').test(each));
  if (found === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
  return found;
}

/** The stage that becomes the image. */
export const lastStage = (dockerfile: string): string => dockerfile.split(/^(?=FROM )/m).at(-1) ?? '';

/** Commands of every RUN, in order. */
export const runs = (dockerfile: string): string[] =>
  [...dockerfile.matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command);

/** Whether .dockerignore lets the path through: it begins with `*` and names what is let in again, each by its path. */
export function isInContext(path: string, dockerignore: string): boolean {
  const rules = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (rules[0] !== '*' || rules.slice(1).some((rule) => !/^![\w./-]+$/.test(rule)))
    throw new Error('rules of another kind');
  return rules.slice(1).some((rule) => path === rule.slice(1) || path.startsWith(`${rule.slice(1)}/`));
}

/**
 * Copies what the stage copies into `to`, out of the context and out of `stages`, which are those replayed before, and runs there those of its commands
 * that `isRun` wants. What comes from another stage is left out. All stages have one WORKDIR.
 */
export function replay(
  text: string,
  {
    context,
    to,
    stages = {},
    isRun,
  }: { context: string; to: string; stages?: Record<string, string>; isRun: (command: string) => boolean },
): void {
  mkdirSync(to, { recursive: true });
  const [, workdir = '/'] = /^WORKDIR (\S+)$/m.exec(text) ?? [];
  for (const { stage: name, sources, to: target } of copies(text)) {
    const from = name === undefined ? context : stages[name];
    if (from === undefined) continue;
    for (const source of sources) {
      const path = join(from, name === undefined ? source : relative(workdir, source));
      // Of a folder its content is copied. The modes come along, which cpSync keeps for files alone.
      const isFolder = statSync(path).isDirectory();
      const into = join(to, target, target.endsWith('/') && !isFolder ? basename(source) : '');
      mkdirSync(isFolder ? into : dirname(into), { recursive: true });
      execFileSync('cp', ['-RPp', isFolder ? `${path}/.` : path, into]);
    }
  }
  for (const command of runs(text).filter(isRun)) execFileSync('sh', ['-c', command], { cwd: to, stdio: 'inherit' });
}

/** A copy of these paths as a checkout under umask 077 has them: nobody but their owner reads anything. */
export function privateCopy(context: string, paths: readonly string[], to: string): void {
  for (const path of paths) cpSync(join(context, path), join(to, path), { recursive: true });
  for (const path of [to, ...contentOf(to)]) chmodSync(path, statSync(path).mode & 0o700);
}

/** What of the folder a user to whom nothing in it belongs can't read. */
export const unreadable = (folder: string): string[] =>
  contentOf(folder).filter((path) => {
    const { mode } = statSync(path);
    const needed = (mode & constants.S_IFMT) === constants.S_IFDIR ? 0o005 : 0o004;
    return (mode & needed) !== needed;
  });

const contentOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
