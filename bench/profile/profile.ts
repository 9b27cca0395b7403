// Reads a .cpuprofile of V8 and adds its samples up. Pure.

/** The part of the format that is used. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  /** Microseconds; `timeDeltas[i]` passed before `samples[i]`. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

export interface Frame {
  /** `src/engine/sessions/sessions.ts`, `pg`, `node:net`, or `(native)`. */
  module: string;
  name: string;
}

/** One stack, outermost frame first, and how long it was on the processor. */
export interface Stack {
  frames: Frame[];
  us: number;
}

const resting = ['(idle)', '(root)'];

/** Stacks seen from `fromUs` to `toUs` after the start; time in which nothing ran is left out. */
export function stacksOf({ nodes, samples, timeDeltas }: CpuProfile, fromUs: number, toUs: number): Stack[] {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Map<number, number>();
  let at = 0;
  samples.forEach((id, index) => {
    const delta = timeDeltas[index] ?? 0;
    at += delta;
    if (at >= fromUs && at < toUs) own.set(id, (own.get(id) ?? 0) + delta);
  });
  return [...own].flatMap(([id, us]) => {
    const frames: Frame[] = [];
    for (let next: number | undefined = id; next !== undefined; next = parents.get(next)) {
      const { functionName, url } = byId.get(next)?.callFrame ?? { functionName: '', url: '' };
      if (!resting.includes(functionName))
        frames.unshift({ module: moduleOf(url), name: functionName || '(anonymous)' });
    }
    return frames.length > 0 ? [{ frames, us }] : [];
  });
}

/** A file of ours by its path in the project, a package by its name. */
export function moduleOf(url: string): string {
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packaged !== undefined) return packaged;
  if (url.startsWith('node:')) return url.split('/')[0] === 'node:internal' ? 'node' : url;
  return /\/(src\/.*)$/.exec(url)?.[1] ?? (url || '(native)');
}

/**
 * Frames of one package, or of Node itself, in a row become one: what happens inside them is not ours to change. Those below the
 * first that is neither Node's nor native are left out, because everything stands on them.
 */
export function folded({ frames, us }: Stack): Stack {
  const kept: Frame[] = [];
  const first = frames.findIndex(({ module }) => !isNodes(module));
  for (const frame of frames.slice(Math.max(0, first))) {
    const foreign = !frame.module.startsWith('src/');
    const module = frame.module.startsWith('node:') ? 'node' : frame.module;
    if (foreign && kept.at(-1)?.module === module) continue;
    kept.push(foreign && module !== '(native)' ? { module, name: module } : frame);
  }
  return { frames: kept, us };
}

const isNodes = (module: string): boolean => module === '(native)' || module.startsWith('node');

/** The same with one more block at the bottom: the part of the house, or the package, it begins in. */
export function grouped({ frames, us }: Stack, groupOf: (module: string) => string): Stack {
  const [first] = frames;
  if (!first || isNodes(first.module)) return { frames, us };
  const group = groupOf(first.module);
  return group === first.name ? { frames, us } : { frames: [{ module: group, name: group }, ...frames], us };
}

/** Time by module, longest first: of the innermost frame that is not Node's own, so that a write to a socket is its writer's. */
export function byModule(stacks: readonly Stack[], groupOf: (module: string) => string): [group: string, us: number][] {
  const sums = new Map<string, number>();
  for (const { frames, us } of stacks) {
    const owner = frames.findLast(({ module }) => !isNodes(module)) ?? frames.at(-1);
    const [only] = frames;
    const native = frames.length === 1 && only && isNodes(only.module) ? only.name : undefined;
    const group = native ?? groupOf(owner?.module ?? '(native)');
    sums.set(group, (sums.get(group) ?? 0) + us);
  }
  return [...sums].toSorted(([, a], [, b]) => b - a);
}
