// What the commands share: words are read against the usage, help is printed, and a refusal is said and becomes the exit code.

import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The end of a command that is no bug. */
export class Refusal extends Error {
  override name = 'Refusal';
  /** 1 = refused, 2 = not understood. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface Command {
  args: readonly string[];
  usage: string;
  say(line: string): void;
}

/** Resolves with the exit code: what `work` resolves with (0 where that is nothing), or the refusal's, or 0 for help. */
export async function exitCodeOf(
  { args, usage, say }: Command,
  work: () => Promise<number> | Promise<void>,
): Promise<number> {
  if (args[0] === 'help' || args.includes('--help')) {
    say(usage);
    return 0;
  }
  try {
    return (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message);
    return error.exitCode;
  }
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** @throws Refusal with the usage where an option is unknown, or there are fewer or more words. */
export function readWords<Known extends Options>(
  { args, usage }: Pick<Command, 'args' | 'usage'>,
  options: Known,
  least: number,
  most = least,
) {
  try {
    const { values, positionals: words } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (words.length < least || words.length > most) throw new Refusal(usage, 2);
    return { values, words };
  } catch (error) {
    // parseArgs throws TypeErrors that name the option at fault.
    throw error instanceof TypeError ? new Refusal(`${error.message}\n\n${usage}`, 2) : error;
  }
}

/** @throws Refusal that lists the words. */
export function oneOf<Word extends string>(option: string, word: string, words: readonly Word[]): Word {
  const found = words.find((each) => each === word);
  if (found === undefined) throw new Refusal(`${option} must be one of ${words.join(', ')}`, 2);
  return found;
}

/** Words with commas between them, in the order of `words`; by default all. @throws Refusal that lists the words. */
export function someOf<Word extends string>(option: string, text: string | undefined, words: readonly Word[]): Word[] {
  const asked = text?.split(',').map((word) => oneOf(option, word.trim(), words)) ?? words;
  return words.filter((word) => asked.includes(word));
}

/** Unix ms; null = not given: never. @throws Refusal */
export function expiryOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at) || at <= now) throw new Refusal('--expires must be a day or time in the future: 2027-01-31', 2);
  return at;
}
