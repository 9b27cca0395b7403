// A Dockerfile as tests read it: what it copies out of the context, which commands it runs, and both of a stage replayed in a folder.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Sources of every COPY from the context, in order. */
export const copiedSources = (dockerfile: string): string[] => copies(dockerfile).flatMap(({ sources }) => sources);

interface Copy {
  sources: string[];
  to: string;
}

function copies(dockerfile: string): Copy[] {
  return [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].map(([, words = '']) => {
    const sources = words.trim().split(/\s+/);
    const to = sources.pop() ?? '';
    return { sources, to };
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

/** Copies what the stage copies from the context into `to`, and runs there those of its commands that `isRun` wants. */
export function replay(
  text: string,
  { context, to, isRun }: { context: string; to: string; isRun: (command: string) => boolean },
): void {
  mkdirSync(to, { recursive: true });
  for (const { sources, to: target } of copies(text)) {
    for (const source of sources) {
      const into = target.endsWith('/') ? join(to, target, basename(source)) : join(to, target);
      mkdirSync(dirname(into), { recursive: true });
      cpSync(join(context, source), into, { recursive: true });
    }
  }
  for (const command of runs(text).filter(isRun)) execFileSync('sh', ['-c', command], { cwd: to, stdio: 'inherit' });
}
