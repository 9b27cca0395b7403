// A program of several commands, such as `ramz account`: the table of its commands, each with its usage beside it, which of them the words
// name, and the usage that a refusal is shown with.

import { type CommandLine, exitCodeOf, type Options, quoted, type Read, Refusal, readWords } from './command.ts';

/** What a command does with the tools of its program; resolves with the exit code. */
export type Run<Tools> = (tools: Tools) => Promise<number>;

export interface Command<Tools> {
  names: readonly string[];
  usage: string;
  /** @throws Refusal */
  read(name: string, args: readonly string[]): Run<Tools>;
}

interface Description<Tools, Known extends Options> {
  /** The words that name it. Several where one word of them is what is decided: `sender approve`, `sender reject`. */
  names: readonly string[];
  /** As it stands in the usage of the program: a line break, the command and its words, and what is to be said of it. */
  usage: string;
  /** As in `readWords`; by default none. */
  takes?: readonly string[];
  options?: Known;
  /** Resolves with the exit code, or with nothing for 0. */
  run(tools: Tools, given: Read<Known> & { name: string }): Promise<number> | Promise<void>;
}

export function command<Tools, Known extends Options>(described: Description<Tools, Known>): Command<Tools> {
  const { names, usage, takes = [], options = {} as Known, run } = described;
  return {
    names,
    usage,
    read(name, args) {
      const given = readWords(args, options, takes);
      return async (tools) => (await run(tools, { ...given, name })) ?? 0;
    },
  };
}

export interface Program<Tools> {
  /** What stands before the words of a command: `npm run account --`. */
  call: string;
  commands: readonly Command<Tools>[];
  /** What is to be said of several commands. */
  notes?: string;
}

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood, or what the command resolves with. `work` runs it. */
export function runProgram<Tools>(
  program: Program<Tools>,
  { args, say, complain }: Pick<CommandLine, 'args' | 'say' | 'complain'>,
  work: (run: Run<Tools>) => Promise<number>,
): Promise<number> {
  const words = args[0] === 'help' ? args.slice(1) : args;
  const usage = usageOf(program, nearest(program, words));
  return exitCodeOf({ args, usage, say, ...(complain && { complain }) }, () => work(commandOf(program, args)));
}

/** The command that the words name. @throws Refusal */
export function commandOf<Tools>(program: Program<Tools>, args: readonly string[]): Run<Tools> {
  for (const { names, read } of program.commands) {
    const name = names.find((each) => startsWith(args, each));
    if (name !== undefined) return read(name, args.slice(name.split(' ').length));
  }
  if (args.length === 0) throw new Refusal('a command is missing', 2);
  const isGroup = nearest(program, args).length < program.commands.length;
  throw new Refusal(`${quoted(args.slice(0, isGroup ? 2 : 1).join(' '))} is no command`, 2);
}

const startsWith = (args: readonly string[], name: string): boolean =>
  name.split(' ').every((word, at) => word === args[at]);

/** The command that the words name; else those that begin with the first of them; else all. */
function nearest<Tools>({ commands }: Program<Tools>, args: readonly string[]): readonly Command<Tools>[] {
  const named = commands.filter(({ names }) => names.some((name) => startsWith(args, name)));
  if (named.length > 0) return named;
  const group = commands.filter(({ names }) => names.some((name) => name.split(' ')[0] === args[0]));
  return group.length > 0 ? group : commands;
}

const usageOf = <Tools>({ call, notes = '' }: Program<Tools>, commands: readonly Command<Tools>[]): string =>
  `usage: ${call} <words>\n${commands.map(({ usage }) => usage).join('')}${notes}`;
