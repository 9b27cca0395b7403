// The Dockerfile as tests read it: what it copies out of the context, and which commands it runs.

/** Sources of every COPY from the context, in order. */
export const copiedSources = (dockerfile: string): string[] => copies(dockerfile).flatMap(({ sources }) => sources);

export interface Copy {
  sources: string[];
  to: string;
}

export function copies(dockerfile: string): Copy[] {
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
