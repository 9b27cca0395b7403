// Patterns that read a text in time linear in its length: regular expressions without what needs backtracking (look-around, references
// back). Settings bring them, and what they read comes from strangers: one `(a+)+b` of the usual kind would stop a process. All possible
// readings go through the text together (Thompson 1968; the registers are Pike's), and a letter's case counts for nothing.

import { type Assertion, type CharTest, type Node, parsePattern } from './pattern-syntax.ts';

/** A text is read up to here, in UTF-16 units. */
const maxText = 1_024;
/** Steps of a program: `{2,5}` writes what it repeats five times. */
const maxSteps = 500;

type Step =
  | { op: 'char'; test: CharTest }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'save'; register: number }
  | { op: 'assert'; what: Assertion }
  | { op: 'match' };

export type Compiled = { kind: 'ok'; pattern: LinearPattern } | { kind: 'refused'; reason: string };

/** Compiles a pattern, or says in words what of it is not understood. */
export function compilePattern(source: string): Compiled {
  const parsed = parsePattern(source);
  if (parsed.kind === 'refused') return parsed;
  const steps: Step[] = [];
  if (!emit(steps, parsed.root)) return { kind: 'refused', reason: `repeats too much: more than ${maxSteps} steps` };
  steps.push({ op: 'match' });
  return { kind: 'ok', pattern: new LinearPattern(steps, parsed.names) };
}

/** One reading on its way: the step it stands at, and where its groups began and ended. */
interface Thread {
  at: number;
  registers: readonly number[];
}

export class LinearPattern {
  readonly #steps: readonly Step[];
  /** Names of its groups, in the order of their registers. */
  readonly names: readonly string[];

  constructor(steps: readonly Step[], names: readonly string[]) {
    this.#steps = steps;
    this.names = names;
  }

  /** What each named group holds in the first reading, from left to right; null where there is none. Groups that took no part are absent. */
  exec(whole: string): Readonly<Record<string, string>> | null {
    const text = whole.slice(0, maxText);
    let found: Thread | null = null;
    let threads: Thread[] = [];
    for (let i = 0; i <= text.length && (found === null || threads.length > 0); i += 1) {
      const alive: Thread[] = [];
      const seen = new Set<number>();
      for (const thread of threads) this.#follow(alive, seen, thread, text, i);
      // A reading that begins further right counts less than one under way.
      if (found === null) this.#follow(alive, seen, { at: 0, registers: [] }, text, i);
      threads = [];
      for (const thread of alive) {
        const step = this.#steps[thread.at]!;
        if (step.op === 'match') {
          found = thread;
          break; // What follows counts less.
        }
        if (step.op === 'char' && i < text.length && step.test(text.charCodeAt(i)))
          threads.push({ at: thread.at + 1, registers: thread.registers });
      }
    }
    return found === null ? null : this.#groups(text, found.registers);
  }

  /** Adds the steps that wait for a letter, and the end, in the order in which they count. Each step is added once: that bounds the time. */
  #follow(alive: Thread[], seen: Set<number>, thread: Thread, text: string, i: number): void {
    const waiting = [thread];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { at, registers } = next;
      if (seen.has(at)) continue;
      seen.add(at);
      const step = this.#steps[at]!;
      if (step.op === 'jump') waiting.push({ at: step.to, registers });
      else if (step.op === 'split') waiting.push({ at: step.second, registers }, { at: step.first, registers });
      else if (step.op === 'save') {
        const saved = [...registers];
        saved[step.register] = i;
        waiting.push({ at: at + 1, registers: saved });
      } else if (step.op === 'assert') {
        if (holds(step.what, text, i)) waiting.push({ at: at + 1, registers });
      } else alive.push(next);
    }
  }

  #groups(text: string, registers: readonly number[]): Record<string, string> {
    const groups = this.names.flatMap((name, index) => {
      const [from, to] = [registers[index * 2], registers[index * 2 + 1]];
      return from === undefined || to === undefined ? [] : [[name, text.slice(from, to)]];
    });
    return Object.fromEntries(groups);
  }
}

/** Writes the steps of a node; false where they become too many. */
function emit(steps: Step[], node: Node): boolean {
  if (steps.length >= maxSteps) return false;
  switch (node.kind) {
    case 'char':
      steps.push({ op: 'char', test: node.test });
      return true;
    case 'assert':
      steps.push({ op: 'assert', what: node.what });
      return true;
    case 'sequence':
      return node.parts.every((part) => emit(steps, part));
    case 'group': {
      if (node.index === null) return emit(steps, node.part);
      steps.push({ op: 'save', register: node.index * 2 });
      const fits = emit(steps, node.part);
      steps.push({ op: 'save', register: node.index * 2 + 1 });
      return fits;
    }
    case 'choice':
      return emitChoice(steps, node.parts);
    case 'repeat':
      return emitRepeat(steps, node);
  }
}

function emitChoice(steps: Step[], [first, ...others]: readonly Node[]): boolean {
  if (others.length === 0) return first === undefined || emit(steps, first);
  const split = { op: 'split' as const, first: steps.length + 1, second: 0 };
  steps.push(split);
  if (!emit(steps, first!)) return false;
  const jump = { op: 'jump' as const, to: 0 };
  steps.push(jump);
  split.second = steps.length;
  if (!emitChoice(steps, others)) return false;
  jump.to = steps.length;
  return true;
}

function emitRepeat(steps: Step[], { part, least, most, greedy }: Extract<Node, { kind: 'repeat' }>): boolean {
  for (let n = 0; n < least; n += 1) if (!emit(steps, part)) return false;
  const optional = most === null ? 1 : most - least;
  const splits: { op: 'split'; first: number; second: number }[] = [];
  for (let n = 0; n < optional; n += 1) {
    const loop = steps.length;
    const split = { op: 'split' as const, first: loop + 1, second: 0 };
    steps.push(split);
    splits.push(split);
    if (!emit(steps, part)) return false;
    if (most === null) steps.push({ op: 'jump', to: loop });
  }
  for (const split of splits) {
    split.second = steps.length;
    if (!greedy) [split.first, split.second] = [split.second, split.first];
  }
  return true;
}

function holds(what: Assertion, text: string, i: number): boolean {
  if (what === 'start') return i === 0;
  if (what === 'end') return i === text.length;
  const isBorder = isWord(text, i - 1) !== isWord(text, i);
  return what === 'border' ? isBorder : !isBorder;
}

const isWord = (text: string, at: number): boolean => /^\w$/.test(text.charAt(at));
